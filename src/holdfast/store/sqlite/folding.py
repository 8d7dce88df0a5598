"""Sessions, folded up to their heads, as the writer keeps them: an append folds only what is new.

What follows from new records is written here, in the transaction that lays them down: attachments, settled items, the
row in the list, checkpoints.
"""

from collections import OrderedDict
from collections.abc import Sequence

from holdfast import faults
from holdfast.core.events import TurnSubmitted
from holdfast.core.overview import Overview
from holdfast.core.records import Record
from holdfast.store.pages import Checkpoint, Projection
from holdfast.store.search import fold
from holdfast.store.sqlite import counting, projecting
from holdfast.store.sqlite.connection import Database
from holdfast.store.sqlite.projecting import Place
from holdfast.store.sqlite.shelf import SqlShelf

CACHED = 64
"""Projections kept by a writer, so that an append folds only what is new."""

ATTACH = "INSERT OR IGNORE INTO attachments (blob, session) VALUES (?, ?)"


class Folding:
    """Keeps the sessions that were written to last."""

    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._projections: OrderedDict[int, Projection] = OrderedDict()
        self._current: set[int] = set()

    def project(self, place: Place) -> Projection:
        """The session folded up to the head of `place`, from memory if nobody has settled anything meanwhile."""
        projection = self._projections.pop(place.number, None)
        if projection is None or not self._is_current(place.number, projection):
            projection = Projection(projecting.load(self._connection, place.number))
        if projection.session.seq < place.head:
            projecting.catch_up(self._connection, place.number, projection, place.head)
        self._current.add(place.number)
        self._projections[place.number] = projection
        if len(self._projections) > CACHED:
            self._projections.popitem(last=False)
        return projection

    def _is_current(self, number: int, projection: Projection) -> bool:
        return number in self._current or projection.checkpoint.seq == projecting.saved_seq(self._connection, number)

    def renew(self, place: Place, records: Sequence[Record], bodies: Sequence[bytes]) -> None:
        """Let new records, which lie behind the head of `place`, change what follows from the log."""
        if place.number == projecting.HOUSE_NUMBER:
            return
        projection = self.project(place)
        projection.take(records, sum(map(len, bodies)), SqlShelf(self._connection, place.number))
        for record in records:
            if isinstance(record.event, TurnSubmitted):
                for attachment in record.event.attachments:
                    self._connection.execute(ATTACH, (attachment.blob, place.number))
        changed = projection.renewed()
        if changed is not None:
            self._list(place.number, changed, alive=projection.session.alive)
        if projection.due():
            self.checkpoint(place.number, projection)

    def _list(self, number: int, overview: Overview, *, alive: bool) -> None:
        projecting.write_overview(self._connection, number, overview, fold(overview.title), alive=alive)

    def checkpoint(self, number: int, projection: Projection) -> None:
        before, tally = projection.checkpoint.seq, projection.tally
        checkpoint: Checkpoint = projection.settle(SqlShelf(self._connection, number))
        faults.point("store.settled")
        projecting.save(self._connection, number, checkpoint)
        counting.add(self._connection, number, before, checkpoint.seq, tally)

    def doubt(self) -> None:
        """Somebody else has written, and may have settled something."""
        self._current.clear()

    def forget(self) -> None:
        """What is kept may be ahead of the database."""
        self._current.clear()
        self._projections.clear()
