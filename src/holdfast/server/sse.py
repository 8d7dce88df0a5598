"""What goes down a live connection: server-sent events, encoded once for all who watch.

Every record is a frame of its own whose id is the cursor to go on from: `id: <session>:<seq>`. JSON has no line breaks
of its own, so one `data` line holds it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from holdfast.core import codec
from holdfast.core.events import SessionDeleted
from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.server.schema.live import Gone
from holdfast.server.schema.sessions import SessionRow, row_of
from holdfast.store.protocol import Row

Name = Literal["ready", "record", "session", "gone", "reset", "store", "places", "initial", "approval", "clarify"]
"""The last three are those of the dialect."""

HELLO = b": hello\n\n"
ALIVE = b": alive\n\n"
HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
}

_EVENT = re.compile(rb"^event: (\w+)\ndata: (.*)$", re.MULTILINE)
_encode = msgspec.json.Encoder().encode


def frame(name: Name, value: msgspec.Struct) -> bytes:
    """An event that is no record: it has no place in a log, hence no id."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), _encode(value))


def events_in(body: bytes) -> Iterator[tuple[str, bytes]]:
    """The name and the data of each event in `body`, for whoever translates a live connection into another."""
    return ((found[1].decode(), found[2]) for found in _EVENT.finditer(body))


def record_frames(session: SessionId, records: Sequence[Record]) -> bytes:
    """The records, and after the one that deletes the session the word that it is gone."""
    return b"".join(_with_gone(session, records))


def _with_gone(session: SessionId, records: Sequence[Record]) -> Iterable[bytes]:
    name = session.encode()
    for record in records:
        yield b"id: %s:%d\nevent: record\ndata: %s\n\n" % (name, record.seq, codec.encode_record(record))
        if isinstance(record.event, SessionDeleted):
            yield frame("gone", Gone(session=session))


def row_frames(rows: Sequence[Row]) -> bytes:
    """Lines of the session list; a deleted session leaves it."""
    return b"".join(_row_frame(row_of(row)) for row in rows)


def _row_frame(row: SessionRow) -> bytes:
    return frame("gone", Gone(session=row.id, change=row.change)) if row.deleted else frame("session", row)
