"""One session's records, and what follows from them."""

from collections.abc import Sequence

from holdfast.core import codec
from holdfast.core.errors import Fenced, Hole
from holdfast.core.events import Event
from holdfast.core.figures import Tally
from holdfast.core.ids import SessionId
from holdfast.core.overview import Overview
from holdfast.core.records import Position, Record
from holdfast.store.memory.shelf import DictShelf
from holdfast.store.pages import Checkpoint, Projection
from holdfast.store.protocol import Query
from holdfast.store.search import fold

HOUSE_NUMBER = 1


class Log:
    """Of the session with this number."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.records: list[Record] = []
        self.keys: dict[str, tuple[int, bytes]] = {}
        self.epoch = 0
        self.position = 0
        self.drained: dict[int, int] = {}
        self.shelf = DictShelf()
        self.projection = Projection(Checkpoint())
        self.tally = Tally()
        self.change = 0

    @property
    def overview(self) -> Overview:
        return self.projection.overview

    def settle(self) -> None:
        self.tally.take(self.projection.tally)
        self.projection.settle(self.shelf)

    def take(self, record: Record) -> None:
        """Lay down a record behind the others, and let it change what follows."""
        self.records.append(record)
        size = len(codec.encode(record.event))
        if self.number == HOUSE_NUMBER:  # it has a state, and no transcript
            self.projection.follow([record], size)
        else:
            self.projection.take([record], size, self.shelf)

    def unstored(self, session: SessionId, position: Position, events: Sequence[Event]) -> list[Event]:
        """Those of the facts from `position` on that it has not yet. Raise `Fenced` or `Hole`."""
        if position.epoch != self.epoch:
            raise Fenced(session, position.epoch, self.epoch)
        if position.n > self.position + 1:
            raise Hole(session, self.position + 1, position.n)
        return list(events[self.position + 1 - position.n :])

    def asked(self, query: Query) -> bool:
        """Whether its row is among those that the query wants."""
        row = self.overview
        return (
            self.number != HOUSE_NUMBER
            and bool(row.deleted) == query.deleted
            and (query.deleted or row.archived == query.archived)
            and query.project in (None, row.project)
            and set(query.tags) <= set(row.tags)
            and fold(query.text.strip()) in fold(row.title)
            and (not query.on_top or row.pinned or self.projection.session.alive)
        )
