"""Keeps a session's settled items on a shelf while its log grows.

The owner of a `Projection` gives it every record once, in the transaction that appends it (`take`), or, to catch up
with what another process appended, without a shelf (`follow`): that process has changed the shelf already. Whatever
reaches back to settled items is settled again at once, so that nobody who catches up ever has to reach back.

A page is full at 100 items or 64 kB, in the middle of a long turn too.
"""

from collections.abc import Sequence

import msgspec

from holdfast.core import course, output, window
from holdfast.core.coalesce import coalesce
from holdfast.core.events import (
    HistoryTruncated,
    RunnerLost,
    RunnerStarted,
    RunnerStopped,
    SessionForked,
    ToolChanged,
    TurnEnded,
)
from holdfast.core.figures import Tally
from holdfast.core.ids import TurnId
from holdfast.core.overview import Overview, overview, unmoved
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.store.protocol import Shelf, tool_in

PAGE_ITEMS = 100
PAGE_BYTES = 64 * 1024
TAIL_RECORDS = 1_000
TAIL_BYTES = 128 * 1024
_ENDINGS = (TurnEnded, RunnerStarted, RunnerStopped, RunnerLost)
"""What may end a turn: it leaves the state whole, so that adopted facts find all of it or nothing."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a projection can start again: the state at `seq`, and how full the last page is."""

    seq: int = 0
    page: int = 1
    page_items: int = 0
    page_bytes: int = 0
    body: bytes = b"{}"


class Projection:
    """A session folded up to its newest record, with what has happened since its checkpoint; `tally` counts that,
    whoever appended it."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.session: Session = window.load(checkpoint.body)
        self.checkpoint: Checkpoint = checkpoint
        self.overview: Overview = overview(self.session)
        self.alive: bool = self.session.alive
        self._restored: dict[TurnId, int] = {}
        self.tally: Tally = Tally()
        self._due = False
        self._moved = False

    def follow(self, records: Sequence[Record], size: int) -> None:
        """Fold records whose effect on the shelf is there already. `size` is that of all their bodies."""
        for record in coalesce(records):
            self._fold(record)
        self.tally.bytes += size

    def take(self, records: Sequence[Record], size: int, shelf: Shelf) -> None:
        """Fold new records, and let them change what is settled."""
        for record in coalesce(records):
            self._bring_back(record, shelf)
            self._patch(record, shelf)
            self._cut(record, shelf)
            self._fold(record)
            self._due = self._due or isinstance(record.event, _ENDINGS)
        self.tally.bytes += size

    def due(self) -> bool:
        """Whether enough has happened for a new checkpoint."""
        return (
            self._due
            or self.session.seq - self.checkpoint.seq >= TAIL_RECORDS
            or self.tally.bytes >= max(TAIL_BYTES, len(self.checkpoint.body))
        )

    def settle(self, shelf: Shelf) -> Checkpoint:
        """Move what is settled onto the shelf and return the checkpoint that belongs to it."""
        page, items, size = self.checkpoint.page, self.checkpoint.page_items, self.checkpoint.page_bytes
        for settled in window.settle(self.session):
            restored = self._restored.get(settled.item.turn)
            if restored is not None:
                shelf.put(restored, settled)
                continue
            if items >= PAGE_ITEMS or size >= PAGE_BYTES:
                page, items, size = page + 1, 0, 0
            shelf.put(page, settled)
            items += 1
            size += len(window.dump_item(settled.item))
        body = window.dump(self.session)
        self.checkpoint = Checkpoint(seq=self.session.seq, page=page, page_items=items, page_bytes=size, body=body)
        self._restored, self.tally, self._due = {}, Tally(), False
        return self.checkpoint

    def renewed(self) -> Overview | None:
        """The overview, if since the last time it has changed or a runner has come or gone."""
        if not self._moved:
            return None
        self._moved = False
        now, alive = overview(self.session), self.session.alive
        if (now, alive) == (self.overview, self.alive):
            return None
        self.overview, self.alive = now, alive
        return now

    def _fold(self, record: Record) -> None:
        self.tally.fold(self.session, record)
        self._moved = self._moved or not unmoved(self.overview, self.session, record)

    def _bring_back(self, record: Record, shelf: Shelf) -> None:
        turn = window.needs(self.session, record)
        found = None if turn is None else shelf.turn(turn)
        if turn is None or found is None:
            return
        number, page, items = found
        window.restore(self.session, number, items)
        if page:  # a turn whose end is still open has no last page: the rest goes where new items go
            self._restored[turn] = page
        self._due = True

    def _patch(self, record: Record, shelf: Shelf) -> None:
        event = record.event
        if not isinstance(event, ToolChanged) or not self.session.misses(record):
            return
        settled = shelf.call(event.turn, event.call)
        item = tool_in(settled)
        if settled is not None and item is not None:
            output.change_tool(self.session.turns[event.turn], item, record, event)
            item.flush()
            shelf.put(self.checkpoint.page, settled)

    def _cut(self, record: Record, shelf: Shelf) -> None:
        first = _first_to_go(self.session, record)
        if first is not None:
            shelf.cut(first)
            page, items, size = shelf.last()
            self.checkpoint = msgspec.structs.replace(self.checkpoint, page=page, page_items=items, page_bytes=size)
            self._due = True


def _first_to_go(session: Session, record: Record) -> int | None:
    """The number of the first turn that leaves the transcript by this record."""
    match record:
        case Record(late=None, event=HistoryTruncated() as event):
            return course.truncation(session, event.turn)
        case Record(late=None, event=SessionForked() as event):
            last = course.parting(session, event.turn)
            return None if last is None else last + 1
        case _:
            return None
