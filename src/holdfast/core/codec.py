"""Events and records as JSON and back.

Law: `decode(encode(event)) == event`, and a JSON object that names its kind survives decoding and encoding with
every field, whether this program knows them or not. Only bytes that are no such object raise `Damaged`.

The quick path decodes straight into the known types and refuses what it does not know; the refusal, not a scan
of every event, is what leads to the path that keeps unknown kinds and fields.
"""

from collections.abc import Sequence
from typing import Any, cast, get_args

import msgspec

from holdfast.core.errors import Damaged
from holdfast.core.events import Attachment, Diff, Event, Known, PlanEntry, Unknown
from holdfast.core.records import Late, Record

KINDS: dict[str, type[Known]] = {cls.__struct_config__.tag: cls for cls in get_args(Known)}
_EXTRA = "~"
_FIELDS = {cls: frozenset(cls.__struct_encode_fields__) - {_EXTRA} for cls in KINDS.values()}
_PARTS = {
    "attachments": frozenset(Attachment.__struct_fields__),
    "diffs": frozenset(Diff.__struct_fields__),
    "entries": frozenset(PlanEntry.__struct_fields__),
}
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_encoder = msgspec.json.Encoder()
_decode_known = msgspec.json.Decoder(Known).decode
_decode_any = msgspec.json.Decoder(dict[str, Any]).decode


class _Envelope(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    seq: int
    time: int
    epoch: int = 0
    n: int = 0
    late: Late | None = None
    event: msgspec.Raw


_decode_envelope = msgspec.json.Decoder(_Envelope).decode


def kind(event: Event) -> str:
    """The stored name of the event's type."""
    return event.kind if isinstance(event, Unknown) else str(event.__struct_config__.tag)


def encode(event: Event) -> bytes:
    if isinstance(event, Unknown):
        return _encoder.encode({"kind": event.kind, **event.fields})
    if event.extra is None:
        return _encoder.encode(event)
    fields: dict[str, Any] = msgspec.to_builtins(event)
    return _encoder.encode(fields | fields.pop(_EXTRA))


def encode_all(events: Sequence[Event]) -> list[bytes]:
    """As `encode`, for many at once."""
    quickly = _encoder.encode
    return [
        quickly(event) if not isinstance(event, Unknown) and event.extra is None else encode(event) for event in events
    ]


def decode(body: bytes | msgspec.Raw) -> Event:
    """Raise `Damaged` if `body` is no JSON object with a kind; anything else is an event."""
    try:
        event = _decode_known(body)
    except _UNREADABLE:
        return _decode_loosely(body)
    return event if event.extra is None else _decode_loosely(body)


def _decode_loosely(body: bytes | msgspec.Raw) -> Event:
    try:
        fields = _decode_any(body)
        stored_kind = fields.pop("kind")
    except (*_UNREADABLE, KeyError) as exc:
        raise Damaged(exc) from exc
    if not isinstance(stored_kind, str):
        raise Damaged("its kind is no text")
    cls = KINDS.get(stored_kind)
    if cls is None or _EXTRA in fields:
        return Unknown(kind=stored_kind, fields=fields)
    return _keep_extra(cls, stored_kind, fields)


def _keep_extra(cls: type[Known], stored_kind: str, fields: dict[str, Any]) -> Event:
    known = {name: _known(name, value) for name, value in fields.items() if name in _FIELDS[cls]}
    extra = {name: value for name, value in fields.items() if name not in known or known[name] != value}
    try:
        return msgspec.convert({"kind": stored_kind, **known, _EXTRA: extra or None}, cls)
    except msgspec.ValidationError:
        return Unknown(kind=stored_kind, fields=fields)


def _known(name: str, value: Any) -> Any:
    """Leave out what the parts of a field have beyond what we know; `extra` keeps the field as it came."""
    part = _PARTS.get(name)
    if part is None or not isinstance(value, list):
        return value
    items = cast("list[Any]", value)  # JSON: what the items are is not known yet
    return [_trimmed(item, part) for item in items]


def _trimmed(item: Any, part: frozenset[str]) -> Any:
    if not isinstance(item, dict):
        return item
    fields = cast("dict[str, Any]", item)  # JSON: keys are text
    return {name: value for name, value in fields.items() if name in part}


def encode_record(record: Record) -> bytes:
    return frame(
        record.seq,
        record.time,
        encode(record.event),
        epoch=record.epoch,
        n=record.n,
        late=record.late,
    )


def frame(
    seq: int,
    time: int,
    body: bytes,
    *,
    epoch: int = 0,
    n: int = 0,
    late: Late | None = None,
) -> bytes:
    """A record's JSON around an event that is encoded already: the server forwards what the store holds."""
    return _encoder.encode(_Envelope(seq=seq, time=time, epoch=epoch, n=n, late=late, event=msgspec.Raw(body)))


def decode_record(line: bytes) -> Record:
    """Raise `Damaged` if `line` is no record."""
    try:
        envelope = _decode_envelope(line)
    except _UNREADABLE as exc:
        raise Damaged(exc) from exc
    return Record(
        seq=envelope.seq,
        time=envelope.time,
        epoch=envelope.epoch,
        n=envelope.n,
        late=envelope.late,
        event=decode(envelope.event),
    )
