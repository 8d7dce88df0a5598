"""A session as JSON that can be read back: its records, and the files that came with its messages.

What looks like a secret is hidden in it, wherever it stands; words that arrived in pieces are put together first, so
that none hides between two of them. Putting them together changes nothing that a reader sees.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, cast

import msgspec
from msgspec import UNSET

from holdfast.core import codec
from holdfast.core.coalesce import coalesce
from holdfast.core.events import TextAppended, ThoughtAppended, ToolChanged, TurnSubmitted, UsageReported
from holdfast.core.ids import SessionId
from holdfast.core.mask import masked
from holdfast.core.records import Record
from holdfast.store.blobs import Blobs, NoSuchBlob
from holdfast.store.protocol import Store

FORMAT = 1
BATCH = 500
NAMES = frozenset(
    {"kind", "turn", "call", "ask", "steer", "parent", "message", "blob", "digest", "instance", "media_type", "rule"}
)
"""Fields that name something: what they name must be found again."""


class Gathering:
    """Puts the pieces of texts and of what tools printed together, each before the next thing that could show it."""

    def __init__(self) -> None:
        self._words: list[Record] = []
        self._printed: dict[tuple[str, str], list[Record]] = {}

    def take(self, record: Record) -> Iterator[Record]:
        event = record.event
        if isinstance(event, TextAppended | ThoughtAppended):
            if self._words and not _same_words(self._words[-1], record):
                yield from self._spoken()
            self._words.append(record)
        elif isinstance(event, ToolChanged) and not event.first:
            key = (event.turn, event.call)
            if _only_prints(event):
                self._printed.setdefault(key, []).append(record)
                return
            yield from self._shown(key)
            yield record
        elif isinstance(event, UsageReported):
            yield record
        else:
            yield from self.rest()
            yield record

    def rest(self) -> Iterator[Record]:
        yield from self._spoken()
        for key in list(self._printed):
            yield from self._shown(key)

    def _spoken(self) -> Iterator[Record]:
        words, self._words = self._words, []
        numbered = [msgspec.structs.replace(record, seq=seq) for seq, record in enumerate(words, 1)]
        yield from coalesce(numbered)

    def _shown(self, key: tuple[str, str]) -> Iterator[Record]:
        printed = self._printed.pop(key, [])
        if printed:
            text = "".join(record.event.appended for record in printed if isinstance(record.event, ToolChanged))
            event = msgspec.structs.replace(cast("ToolChanged", printed[0].event), appended=text)
            yield msgspec.structs.replace(printed[-1], event=event)


def _same_words(first: Record, second: Record) -> bool:
    one, two = first.event, second.event
    if not (isinstance(one, TextAppended | ThoughtAppended) and isinstance(two, TextAppended | ThoughtAppended)):
        return False
    same = type(one) is type(two) and (one.turn, one.parent, one.message) == (two.turn, two.parent, two.message)
    return same and first.late == second.late and first.epoch == second.epoch


def _only_prints(event: ToolChanged) -> bool:
    rest = msgspec.structs.replace(event, appended="")
    return event.output is UNSET and rest == ToolChanged(turn=event.turn, call=event.call)


def hidden(value: Any) -> Any:
    """A JSON value with everything hidden that looks like a secret."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, list):
        return [hidden(part) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: part if name in NAMES else hidden(part) for name, part in fields.items()}
    return value


async def write_document(store: Store, session: SessionId, blobs: Blobs) -> AsyncIterator[bytes]:
    """The document, in pieces."""
    state = (await store.open(session)).session
    about = {"title": hidden(state.title), "agent": state.agent, "created": state.created}
    yield b'{"holdfast":%d,"session":%s,"about":%s,"records":[' % (
        FORMAT,
        msgspec.json.encode(session),
        msgspec.json.encode(about),
    )
    files: dict[str, None] = {}
    gathering, after, seq = Gathering(), 0, 0
    while after < state.seq:
        records = [record for record in await store.read(session, after, BATCH) if record.seq <= state.seq]
        if not records:
            break
        after = records[-1].seq
        whole = [out for record in records for out in gathering.take(record)]
        whole += gathering.rest() if after == state.seq else ()
        for record in whole:
            if isinstance(record.event, TurnSubmitted):
                files |= dict.fromkeys(file.blob for file in record.event.attachments)
        # In a thread: to look for what is secret in megabytes of output takes seconds, in which everybody would wait.
        yield await asyncio.to_thread(_lines, whole, seq)
        seq += len(whole)
    yield b'],"files":{'
    for number, blob in enumerate(files):
        body = await asyncio.to_thread(_file, blobs, blob)
        yield (b"," if number else b"") + b'\n"%s":%s' % (blob.encode(), msgspec.json.encode(body))
    yield b"}}\n"


def _lines(records: Sequence[Record], after: int) -> bytes:
    """The records, numbered from `after` on; a comma stands before each but the first of all."""
    lines = (b"\n" + _line(record, seq) for seq, record in enumerate(records, after + 1))
    return (b"," if after and records else b"") + b",".join(lines)


def _line(record: Record, seq: int) -> bytes:
    event: Any = hidden(msgspec.json.decode(codec.encode(record.event)))
    body = msgspec.json.encode(event)
    return codec.frame(seq, record.time, body, epoch=record.epoch, n=record.n, late=record.late)


def _file(blobs: Blobs, blob: str) -> str | None:
    try:
        return base64.b64encode(blobs.path(blob).read_bytes()).decode()
    except (OSError, NoSuchBlob):
        return None
