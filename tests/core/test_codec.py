"""The codec's law: nothing that was stored is lost by reading it, whoever wrote it."""

from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from holdfast.core import events as e
from holdfast.core.codec import KINDS, decode, decode_record, encode, encode_record, frame, kind
from holdfast.core.errors import Damaged
from holdfast.core.ids import TurnId
from holdfast.core.records import Late, Record
from tests.core.histories import law

SUBMITTED = {"kind": "turn.submitted", "turn": "t1", "text": "hello"}

texts = st.text(max_size=6)
numbers = st.integers(-(2**53), 2**53)
values = st.sampled_from([None, True, 0, -1, 2.5, 10**30, "", "é\n", [], [1, [None]], {}, {"kind": "x", "~": {"a": 1}}])
plain: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: numbers,
    bool: st.booleans(),
    type(None): st.none(),
    msgspec.UnsetType: st.just(UNSET),
    e.Attachment: st.builds(e.Attachment, name=texts, blob=texts, size=numbers),
    e.Diff: st.builds(e.Diff, path=texts, new=texts, old=st.none() | texts),
    e.Option: st.builds(e.Option, id=texts, name=texts, description=texts),
    e.SlashCommand: st.builds(e.SlashCommand, name=texts, description=texts, hint=texts),
    e.PlanEntry: st.builds(e.PlanEntry, text=texts, status=st.sampled_from(get_args(e.PlanStatus))),
}


def of_type(shape: Any) -> st.SearchStrategy[Any]:
    """Any value of a field's type."""
    shape = getattr(shape, "__supertype__", shape)
    if shape in plain:
        return plain[shape]
    if get_origin(shape) is Literal:
        return st.sampled_from(get_args(shape))
    if get_origin(shape) is tuple:
        return st.lists(of_type(get_args(shape)[0]), max_size=2).map(tuple)
    return st.one_of([of_type(option) for option in get_args(shape)])


def of_kind(cls: type[e.Known]) -> st.SearchStrategy[e.Event]:
    fields = {field.name: of_type(field.type) for field in msgspec.structs.fields(cls) if field.name != "extra"}
    return st.builds(cls, **fields)


names = texts.filter(lambda name: name not in ("kind", "~"))
known = st.one_of([of_kind(cls) for cls in KINDS.values()])
unknown = st.builds(e.Unknown, kind=texts.filter(lambda name: name not in KINDS), fields=st.dictionaries(names, values))
records = st.builds(
    Record,
    seq=st.integers(1, 2**40),
    time=st.integers(0, 2**42),
    epoch=st.integers(0, 9),
    n=st.integers(0, 9),
    late=st.sampled_from((None, Late(epoch=2, turn=TurnId("t1")))),
    event=known | unknown,
)


@law
@given(known | unknown)
def test_every_event_comes_back_as_it_was(event: e.Event) -> None:
    """Decoding what was encoded gives an equal event of the same kind."""
    again = decode(encode(event))
    assert again == event
    assert type(again) is type(event)
    assert kind(again) == kind(event)


@law
@given(known, st.dictionaries(st.sampled_from(("mood", "é", "~")), values, max_size=3))
def test_fields_that_we_do_not_know_survive(event: e.Event, added: dict[str, Any]) -> None:
    """A newer program's fields come out as they came in, and change nothing that we know of the event."""
    added = {name: value for name, value in added.items() if (name, value) != ("~", None)}
    stored = msgspec.json.decode(encode(event)) | added
    read = decode(msgspec.json.encode(stored))
    assert msgspec.json.decode(encode(read)) == stored
    assert kind(read) == kind(event)
    if "~" not in added:
        assert msgspec.structs.replace(read, extra=None) == event


@law
@given(
    st.dictionaries(st.sampled_from(("turn", "text", "ask", "diffs", "seen", "mood", "~")), values),
    st.sampled_from([*KINDS, "weather.changed", ""]),
)
def test_any_object_with_a_kind_is_an_event(fields: dict[str, Any], name: str) -> None:
    """A known kind with fields of the wrong type is kept too. Only a field that says nothing may be dropped."""
    stored = fields | {"kind": name}
    kept = msgspec.json.decode(encode(decode(msgspec.json.encode(stored))))
    dropped = {name: value for name, value in stored.items() if name not in kept}
    assert kept | dropped == stored
    assert not any(dropped.values())


@law
@given(st.binary(max_size=40) | values.map(msgspec.json.encode))
def test_only_what_is_no_object_with_a_kind_is_damaged(body: bytes) -> None:
    """Whatever bytes a disk gives back, reading them raises `Damaged` or gives an event: nothing else."""
    try:
        stored = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        stored = None
    if isinstance(stored, dict) and isinstance(stored.get("kind"), str):
        decode(body)
    else:
        with pytest.raises(Damaged):
            decode(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"text":"no kind"}',
        b'{"kind":7}',
        b'{"kind":null}',
        b'{"kind":"text.appended","turn":"t1","text":"cut o',
        b'{"kind":"text.appended","turn":"t1","text":"\xff"}',
        b'{"kind":"weather.changed","rain":"\xff"}',
        b'{"kind":"weather.changed","rain":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_damage_is_named(body: bytes) -> None:
    """A torn, garbled or bottomless event is `Damaged`, also inside a record that is whole around it (R6)."""
    with pytest.raises(Damaged):
        decode(body)
    with pytest.raises(Damaged):
        decode_record(b'{"seq":1,"time":2,"event":' + body + b"}")


@law
@given(records)
def test_every_record_comes_back_as_it_was(record: Record) -> None:
    """A record keeps its place, time, position and mark; framing its stored event gives the same line."""
    line = encode_record(record)
    assert decode_record(line) == record
    assert b"\n" not in line
    body = encode(record.event)
    assert line == frame(record.seq, record.time, body, epoch=record.epoch, n=record.n, late=record.late)
    assert body in line


@pytest.mark.parametrize(
    "line", [b"", b"{}", b'{"seq":1,"time":2}', b'{"seq":"x","time":2,"event":{"kind":"a"}}', b"7"]
)
def test_a_line_that_is_no_record_is_damaged(line: bytes) -> None:
    """A record without its place, its time or its event can't be read, and says so."""
    with pytest.raises(Damaged):
        decode_record(line)


def test_what_we_know_of_an_event_counts_beside_what_we_do_not_know() -> None:
    """A message with a newer program's field, and an attachment with one, is still a message with an attachment."""
    photo = {"name": "p.png", "blob": "b1", "width": 640}
    stored = SUBMITTED | {"attachments": [photo], "mood": "hopeful"}
    event = decode(msgspec.json.encode(stored))
    assert isinstance(event, e.TurnSubmitted)
    assert event.text == "hello"
    assert event.attachments == (e.Attachment(name="p.png", blob="b1"),)
    assert msgspec.json.decode(encode(event)) == stored


def test_the_field_that_holds_unknown_fields_is_no_way_to_change_known_ones() -> None:
    """A stored `~` is one more unknown field: it is kept, and overrides nothing."""
    stored = SUBMITTED | {"~": {"text": "something else"}}
    assert msgspec.json.decode(encode(decode(msgspec.json.encode(stored)))) == stored


def test_kinds_are_words_with_a_dot() -> None:
    """Each stored kind names a thing and what happened to it; there are as many as there are types."""
    assert len(KINDS) == len(get_args(e.Known))
    assert all(name.replace(".", "", 1).replace("_", "").isalpha() and name.count(".") == 1 for name in KINDS)
