"""What runs said last: it may still grow, so it lies in no index. The few sessions with a runner are read instead.

What was read of one is kept while neither its log, its row nor its checkpoint has changed: a search pays for those that
spoke since. A checkpoint may be written between two records, and what it settles lies in the index from then on.

Law: what can't be read of one session costs that session alone.
"""

import logging
from collections.abc import Callable, Iterator
from typing import NamedTuple

from holdfast.core import window
from holdfast.core.errors import StoreCorrupt
from holdfast.core.ids import SessionId
from holdfast.core.items import Item
from holdfast.store.pages import Projection
from holdfast.store.protocol import Hit
from holdfast.store.search import hit, holds, indexed, words
from holdfast.store.sqlite.connection import Database, translated

log = logging.getLogger(__name__)

ALIVE = """
SELECT s.id, s.number, s.head, o.change, coalesce(c.seq, 0)
FROM overviews o JOIN sessions s ON s.number = o.session LEFT JOIN checkpoints c ON c.session = o.session
WHERE o.alive AND o.place < 2
"""


class Said(NamedTuple):
    """What can be found of one item."""

    item: Item
    words: list[str]


class Moment(NamedTuple):
    """Where a session's log, its row and its checkpoint stood."""

    head: int
    change: int
    checkpoint: int


class Spoken(NamedTuple):
    """What a session says, at one moment."""

    moment: Moment
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
        for name, number, *moment in rows:
            if session in (None, name):
                spoken = self._spoken(name, number, Moment(*moment))
                for item, said in spoken.items:
                    if holds(said, wanted):
                        yield hit(text, SessionId(name), spoken.title, item)

    def _spoken(self, name: str, number: int, moment: Moment) -> Spoken:
        kept = self._kept.get(name)
        if kept is None or kept.moment != moment:
            kept = self._kept[name] = self._read(name, number, moment)
        return kept

    def _read(self, name: str, number: int, moment: Moment) -> Spoken:
        try:
            with translated():
                state = self._project(number, moment.head).session
        except StoreCorrupt as exc:
            log.warning("search.unreadable", extra={"session": name, "error": str(exc)})
            return Spoken(moment, "", [])
        items = [Said(entry.item, words(indexed(entry.item))) for entry in window.transcript(state)]
        return Spoken(moment, state.title, items)
