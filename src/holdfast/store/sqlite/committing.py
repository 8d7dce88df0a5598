"""A transaction of the writer, from the gate to the bells, and the second that a power cut may cost.

The order is always the same: gate, sync level, BEGIN IMMEDIATE, what is to be done, where the logs end now, COMMIT.
After any failure what is remembered of sessions is thrown away: it may be ahead of the database.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from holdfast import faults
from holdfast.core.errors import NoSuchSession
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.connection import Database, translated
from holdfast.store.sqlite.folding import Folding
from holdfast.store.sqlite.gate import Gate
from holdfast.store.sqlite.projecting import Place

SYNC_EVERY = 1.0
"""Seconds after which streamed text that is only in the page cache is synced."""

FIND = "SELECT number, head, epoch, position FROM sessions WHERE id = ?"
ADVANCE = "UPDATE sessions SET head = ?, position = ? WHERE number = ?"
MARK_SYNC = """
INSERT INTO meta (name, value) VALUES ('synced', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
"""


class Committing:
    """Knows where the logs end. `ring` is called after each commit with the session and its new head."""

    def __init__(
        self, connection: Database, gate: Gate, folding: Folding, ring: Callable[[SessionId, int], None]
    ) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._gate = gate
        self._folding = folding
        self._ring = ring
        self._places: dict[SessionId, Place] = {}
        self._advanced: dict[SessionId, Place] = {}
        self._rings: dict[SessionId, int] = {}
        self._version = 0
        self._full = False
        self._unsynced_since: float | None = None

    @contextmanager
    def transaction(self, *, sync: bool) -> Generator[None]:
        """One transaction for all that is done within; one inside another is part of it. Bells ring after it."""
        if self._connection.in_transaction:
            yield
            return
        sync = sync or self.rest() == 0.0
        with translated(), self._gate.entered():
            faults.point("store.locked")
            self._set_sync(full=sync)
            changes = self._connection.total_changes()
            self._execute("BEGIN IMMEDIATE")
            try:
                self._notice_others()
                yield
                while self._advanced:
                    _, place = self._advanced.popitem()
                    self._execute(ADVANCE, (place.head, place.position, place.number))
                faults.point("store.written")
                self._execute("COMMIT")
            except BaseException:
                self.forget()
                if self._connection.in_transaction:
                    self._execute("ROLLBACK")
                raise
        if self._connection.total_changes() != changes:  # an empty commit syncs nothing
            self._unsynced_since = None if sync else self._unsynced_since or time.monotonic()
        faults.point("store.committed")
        while self._rings:
            self._ring(*self._rings.popitem())

    def _set_sync(self, *, full: bool) -> None:
        if full != self._full:
            self._execute("PRAGMA synchronous = FULL" if full else "PRAGMA synchronous = NORMAL")
            self._full = full

    def rest(self) -> float | None:
        """How long the writer may wait for its next job before something must be synced."""
        if self._unsynced_since is None:
            return None
        return max(0.0, self._unsynced_since + SYNC_EVERY - time.monotonic())

    def sync(self) -> None:
        """Sync what is committed. SQLite syncs the whole WAL with the next full commit, so one is made."""
        if self._unsynced_since is None:
            return
        self._unsynced_since = time.monotonic()  # should it fail, it is tried again in a second
        with self.transaction(sync=True):
            self._execute(MARK_SYNC)

    # Where the logs end.

    def find(self, session: SessionId) -> Place:
        place = self._places.get(session)
        if place is not None:
            return place
        for row in self._execute(FIND, (session,)):
            return Place(*row)
        raise NoSuchSession(session)

    def remember(self, session: SessionId, place: Place) -> None:
        """The row of the session was written, and this is in it."""
        self._places[session] = place

    def advance(self, session: SessionId, place: Place, head: int, position: int) -> None:
        """Where the log ends now. Written once, before the commit, however many appends share the transaction."""
        self._places[session] = self._advanced[session] = Place(place.number, head, place.epoch, position)

    def grown(self, session: SessionId, head: int) -> None:
        """Ring for it, once it is committed."""
        self._rings[session] = head

    def forget(self) -> None:
        """What we remember may be ahead of the database."""
        self._places.clear()
        self._advanced.clear()
        self._folding.forget()
        self._rings.clear()

    def _notice_others(self) -> None:
        """What we remember of sessions holds as long as nobody else has written."""
        ((version,),) = self._execute("PRAGMA data_version").fetchall()
        if version != self._version:
            self._version = version
            self._places.clear()
            self._folding.doubt()
