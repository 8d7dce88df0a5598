"""What runs said last: it may still grow, so it lies in no index. The few sessions with a runner are read instead.

What was read of one is kept while neither its log nor its row has changed: a search pays for those that spoke since.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from holdfast.core import window
from holdfast.core.ids import SessionId
from holdfast.core.items import Item
from holdfast.store.pages import Projection
from holdfast.store.protocol import Hit
from holdfast.store.search import hit, holds, indexed, words
from holdfast.store.sqlite.connection import Database

ALIVE = """
SELECT s.id, s.number, s.head, o.change FROM overviews o JOIN sessions s ON s.number = o.session
WHERE o.alive AND o.place < 2
"""


class Said(NamedTuple):
    """What can be found of one item."""

    item: Item
    words: list[str]


class Spoken(NamedTuple):
    """What a session says, at one place of its log."""

    head: int
    change: int
    title: str
    items: list[Said]


class Speaking:
    """Searches what is in no index yet. `project` folds a session up to a head."""

    def __init__(self, connection: Database, project: Callable[[int, int], Projection]) -> None:
        self._execute = connection.execute
        self._project = project
        self._kept: dict[str, Spoken] = {}

    def search(self, text: str, session: SessionId | None) -> Iterator[Hit]:
        wanted = words(text)
        rows = self._execute(ALIVE).fetchall()
        self._kept = {name: self._kept[name] for name, *_ in rows if name in self._kept}
        for name, number, head, change in rows:
            if session in (None, name):
                spoken = self._spoken(name, number, head, change)
                for item, said in spoken.items:
                    if holds(said, wanted):
                        yield hit(text, SessionId(name), spoken.title, item)

    def _spoken(self, name: str, number: int, head: int, change: int) -> Spoken:
        kept = self._kept.get(name)
        if kept is None or (kept.head, kept.change) != (head, change):
            state = self._project(number, head).session
            items = [Said(entry.item, words(indexed(entry.item))) for entry in window.transcript(state)]
            kept = self._kept[name] = Spoken(head, change, state.title, items)
        return kept
