"""A log that comes as a file: the transcript is the same, and nothing in it has any effect beyond that."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from holdfast.core import codec, ids, labels
from holdfast.core import events as e
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from holdfast.transfer.admission import Admission
from holdfast.transfer.document import Gathering
from tests.core.histories import histories, plausible
from tests.transfer.stage import folded

HISTORIES = Path(__file__).parent.parent / "histories"
IMPORTED = e.SessionImported(source="holdfast", name="x")


def admitted(records: list[Record]) -> list[Record]:
    blobs = frozenset(
        file.blob
        for record in records
        if isinstance(record.event, e.TurnSubmitted)
        for file in record.event.attachments
    )
    admission = Admission(IMPORTED, blobs)
    for record in records:
        admission.take(record)
    return admission.finish()


def gathered(records: list[Record]) -> list[Record]:
    gathering = Gathering()
    told = [out for record in records for out in gathering.take(record)]
    return [*told, *gathering.rest()]


def at_rest(session: Session) -> bool:
    return not (session.alive or session.queue or session.recovering)


@given(plausible())
@settings(deadline=None)
def test_putting_pieces_together_changes_nothing_that_is_shown(records: list[Record]) -> None:
    assert folded(gathered(records)) == folded(records)


@given(plausible())
@settings(deadline=None)
def test_a_log_at_rest_comes_back_with_the_same_transcript(records: list[Record]) -> None:
    first = e.SessionCreated(title="T", agent="scripted")
    whole = [Record(seq=1, time=1_700_000_000_000, event=first), *_timed(records)]
    before = replay(whole)
    told = admitted(whole)
    after = replay(told)
    assert at_rest(after)
    assert after.rules == ()
    assert after.ledger is None or after.ledger.uncommitted == 0
    if at_rest(before):
        assert _unallowed(folded(told)) == _unallowed(folded(whole))
    assert msgspec.json.decode(codec.encode_record(told[1]))["event"]["kind"] == "session.imported"


def test_tags_that_were_added_are_those_of_the_session_and_bounded() -> None:
    """However many changes a file has: a session never has more tags than it may."""
    events: list[e.Event] = [
        e.SessionCreated(tags=("a",)),
        e.SessionChanged(tags=("a", "b"), add_tags=("b",)),
        e.SessionChanged(add_tags=("c\n",)),
        *(e.SessionChanged(tags=("a",), add_tags=(f"t{number}",)) for number in range(100)),
    ]
    records = [Record(seq=number, time=number, event=event) for number, event in enumerate(events, 1)]
    assert replay(admitted(records[:3])).tags == ("a", "b", "c")
    assert len(replay(admitted(records)).tags) == labels.TAGS


@given(histories())
@settings(deadline=None)
def test_whatever_lies_in_a_log_it_comes_to_rest(records: list[Record]) -> None:
    first = Record(seq=1, time=1, event=e.SessionCreated())
    after = replay(admitted([first, *records]))
    assert at_rest(after)
    assert (after.rules, after.workspace, after.mode, after.conversation) == ((), "", "", None)


@pytest.mark.parametrize("path", sorted(HISTORIES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_history_comes_back_as_it_was_or_at_rest(path: Path) -> None:
    lines = [line for line in path.read_bytes().splitlines()[1:] if not line.startswith(b'{"session"')]
    records = [codec.decode_record(line) for line in lines]
    first = Record(seq=1, time=1_700_000_000_000, event=e.SessionCreated(title="T", agent="scripted"))
    whole = [first, *_timed(records)]
    told = admitted(whole)
    after = replay(told)
    assert at_rest(after)
    assert (after.rules, after.workspace, after.mode, after.conversation) == ((), "", "", None)
    if at_rest(replay(whole)):
        assert _unallowed(folded(told)) == _unallowed(folded(whole))
    assert folded(gathered(whole)) == folded(whole)


def _timed(records: list[Record]) -> list[Record]:
    return [
        msgspec.structs.replace(record, seq=record.seq + 1, time=record.time + 1_700_000_000_000)
        for record in records
        if not isinstance(record.event, e.SessionCreated | e.SessionDeleted)
    ]


def _unallowed(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was allowed for longer is told as allowed once."""
    once = {"session": "once", "always": "once"}
    return [
        item | ({"choice": once.get(item["choice"], item["choice"])} if "choice" in item else {}) | {"everywhere": None}
        for item in items
    ]


@pytest.mark.parametrize("number", [-1, 2**63, 2**80, 10**300], ids=["-1", "2**63", "2**80", "10**300"])
def test_what_a_file_says_was_used_can_be_stored_and_added_up(number: int) -> None:
    """What can't be true counts as nothing."""
    names = ("input", "output", "cached", "reasoning", "cost", "context_used", "context_window")
    turn = ids.TurnId("t")
    events: list[e.Event] = [
        e.SessionCreated(),
        e.TurnSubmitted(turn=turn, text="x"),
        e.RunnerStarted(),
        e.TurnStarted(turn=turn),
        e.UsageReported(turn=turn, **dict.fromkeys(names, number)),
        e.UsageReported(turn=turn, **dict.fromkeys(names, 7)),
    ]
    session = replay(admitted([Record(seq=n, time=n, event=event, epoch=1, n=n) for n, event in enumerate(events, 1)]))
    spent = session.usage
    assert (spent.input, spent.output, spent.cached, spent.reasoning, spent.cost) == (7,) * 5
    assert (session.context_used, session.context_window) == (7, 7)
