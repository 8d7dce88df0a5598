"""A session's settled items, in a dict by their place."""

from typing import Any

from holdfast.core import window
from holdfast.core.ids import CallId, TurnId
from holdfast.core.items import END, Item, ToolCall
from holdfast.core.window import Settled
from holdfast.store.protocol import Page

Place = tuple[int, int, int]
"""The turn's number, the item's, and the part's."""


class DictShelf:
    """What is put there is a copy, and so is what goes on being changed."""

    def __init__(self) -> None:
        self.items: dict[Place, tuple[int, Item]] = {}

    def put(self, page: int, settled: Settled) -> None:
        place = (settled.number, settled.item.k, settled.part)
        kept, _ = self.items.get(place, (page, None))
        self.items[place] = (kept, window.load_item(window.dump_item(settled.item)))

    def turn(self, turn: TurnId) -> tuple[int, int, list[Item]] | None:
        found = [
            (place, page, item) for place, (page, item) in sorted(self.items.items(), key=_place) if item.turn == turn
        ]
        if not found or found[0][0][1] != 0:
            return None
        last_parts = {place[1]: window.load_item(window.dump_item(item)) for place, _, item in found}
        end_page = next((page for place, page, _ in found if place[1] == END), 0)
        return found[0][0][0], end_page, list(last_parts.values())

    def call(self, turn: TurnId, call: CallId) -> Settled | None:
        for place, (_, item) in sorted(self.items.items(), key=_place, reverse=True):
            if isinstance(item, ToolCall) and item.call == call and item.turn == turn:
                return Settled(place[0], window.load_item(window.dump_item(item)))
        return None

    def cut(self, first: int) -> None:
        self.items = {place: entry for place, entry in self.items.items() if place[0] < first}

    def last(self) -> tuple[int, int, int]:
        page = max((page for page, _ in self.items.values()), default=1)
        bodies = [window.dump_item(item) for kept, item in self.items.values() if kept == page]
        return page, len(bodies), sum(map(len, bodies))

    def page(self, number: int) -> Page:
        found = sorted(self.items.items(), key=_place)
        return Page(number, [Settled(place[0], item) for place, (page, item) in found if page == number])

    def before(self, limit: Place) -> list[tuple[Place, tuple[int, Item]]]:
        """What lies before that place, the last first, each with its page."""
        return [entry for entry in sorted(self.items.items(), key=_place, reverse=True) if entry[0] < limit]


def _place(entry: tuple[Place, Any]) -> Place:
    return entry[0]
