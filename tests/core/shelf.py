"""A session whose settled items leave it now and then, as a store keeps it: the state, and a shelf beside it."""

from collections.abc import Iterable
from typing import Any

import msgspec

from holdfast.core import course, output, window
from holdfast.core.events import HistoryTruncated, SessionForked, ToolChanged
from holdfast.core.ids import CallId, TurnId
from holdfast.core.items import ToolCall
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.core.window import Settled

Shown = tuple[int, int, dict[str, Any]]
"""The number of an item's turn, its `k`, and the item with all its parts."""


class Shelved:
    """What is settled is kept as bytes, so that nothing on the shelf changes by way of the session."""

    def __init__(self) -> None:
        self.session = Session()
        self._shelf: dict[tuple[int, int, int], bytes] = {}

    def take(self, record: Record) -> None:
        """Fold a record the way `window` asks for: bring back what it needs, patch what it misses."""
        turn = window.needs(self.session, record)
        if turn is not None:
            self._bring_back(turn)
        if isinstance(record.event, ToolChanged) and self.session.misses(record):
            self._patch(record, record.event)
        if isinstance(record.event, HistoryTruncated) and record.late is None:
            self._cut(course.truncation(self.session, record.event.turn))
        if isinstance(record.event, SessionForked) and record.late is None:
            last = course.parting(self.session, record.event.turn)
            self._cut(None if last is None else last + 1)
        self.session.apply(record)

    def settle(self) -> None:
        for settled in window.settle(self.session):
            self._put(settled)

    def reopen(self) -> None:
        """Go on from a checkpoint, as another process would."""
        self.session = window.load(window.dump(self.session))

    def shown(self) -> list[Shown]:
        entries = {place: self._load(place) for place in self._shelf}
        for entry in window.transcript(self.session):
            entries[entry.number, entry.item.k, entry.part] = entry
        return joined(entries[place] for place in sorted(entries))

    def _load(self, place: tuple[int, int, int]) -> Settled:
        return Settled(place[0], window.load_item(self._shelf[place]))

    def _put(self, settled: Settled) -> None:
        self._shelf[settled.number, settled.item.k, settled.part] = window.dump_item(settled.item)

    def _bring_back(self, turn: TurnId) -> None:
        found = [entry for entry in map(self._load, sorted(self._shelf)) if entry.item.turn == turn]
        if found:
            window.restore(self.session, found[0].number, [entry.item for entry in found])

    def _patch(self, record: Record, event: ToolChanged) -> None:
        for place in sorted(self._shelf):
            settled = self._load(place)
            if isinstance(settled.item, ToolCall) and _is_call(settled.item, event.turn, event.call):
                output.change_tool(self.session.turns[event.turn], settled.item, record, event)
                settled.item.flush()
                self._put(settled)

    def _cut(self, first: int | None) -> None:
        if first is not None:
            self._shelf = {place: body for place, body in self._shelf.items() if place[0] < first}


def _is_call(item: ToolCall, turn: TurnId, call: CallId) -> bool:
    return item.turn == turn and item.call == call


def joined(entries: Iterable[Settled]) -> list[Shown]:
    """Items as plain values, the parts of each long text made one."""
    shown: list[Shown] = []
    for entry in entries:
        item: dict[str, Any] = msgspec.json.decode(window.dump_item(entry.item))
        if item.pop("part", 0):
            item["text"] = shown.pop()[2]["text"] + item["text"]
        shown.append((entry.number, entry.item.k, item))
    return shown
