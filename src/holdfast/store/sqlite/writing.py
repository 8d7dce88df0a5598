"""Everything that changes the database: the verbs that write, one transaction each, on the writer's thread.

What a transaction is, from the gate to the bells, is `committing`; what follows from new records is `folding`. Checks
come before the first insert, so a refusal changes nothing.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from itertools import repeat
from typing import Any

import msgspec

from holdfast import faults
from holdfast.core import coalesce, codec, window
from holdfast.core.errors import BadCommand, Fenced, Hole, KeyTaken, NotNow, SessionExists
from holdfast.core.events import AnyFact, AnyIntent, Event, SessionCreated
from holdfast.core.ids import HOUSE, SessionId, TurnId
from holdfast.core.records import Late, Position, Record
from holdfast.core.session import Session
from holdfast.store.protocol import Appended, Claimed, begun_by, check_fork
from holdfast.store.search import fold, indexed
from holdfast.store.sqlite import counting, projecting, sharing
from holdfast.store.sqlite.committing import FIND, Committing
from holdfast.store.sqlite.connection import Database
from holdfast.store.sqlite.folding import Folding
from holdfast.store.sqlite.gate import Gate
from holdfast.store.sqlite.projecting import SPAN, Place

CREATED = "created"
ADMITTED_AT_ONCE = 100
"""Records of another log that are folded together: long texts are settled in parts between them."""

CREATE = "INSERT INTO sessions (id) VALUES (?) RETURNING number, head, epoch, position"
INSERT = "INSERT INTO records (id, time, epoch, n, late, body) VALUES (?, ?, ?, ?, ?, ?)"
OWN = "UPDATE sessions SET epoch = ?, position = 0 WHERE number = ?"
FIND_KEY = "SELECT seq, digest FROM keys WHERE session = ? AND key = ?"
KEEP_KEY = "INSERT INTO keys (session, key, seq, digest) VALUES (?, ?, ?, ?)"
FIND_DRAINED = "SELECT position FROM epochs WHERE session = ? AND epoch = ?"
KEEP_DRAINED = """
INSERT INTO epochs (session, epoch, position) VALUES (?, ?, ?)
ON CONFLICT (session, epoch) DO UPDATE SET position = excluded.position
"""
WORDS_LEFT = "SELECT u.item, i.body FROM unindexed u JOIN items i ON i.id = u.item ORDER BY u.item LIMIT ?"
INDEX_WORDS = "INSERT OR REPLACE INTO words (rowid, text) VALUES (?, ?)"
INDEXED = "DELETE FROM unindexed WHERE item <= ?"
PURGE = (
    "DELETE FROM unindexed WHERE item IN (SELECT id FROM items WHERE session = ?)",
    "DELETE FROM words WHERE rowid IN (SELECT id FROM items WHERE session = ?)",
    "DELETE FROM items WHERE session = ?",
    "DELETE FROM checkpoints WHERE session = ?",
    *counting.FORGET,
    "DELETE FROM tags WHERE session = ?",
    "DELETE FROM overviews WHERE session = ?",
    "DELETE FROM attachments WHERE session = ?",
    "DELETE FROM epochs WHERE session = ?",
    "DELETE FROM keys WHERE session = ?",
    "DELETE FROM sessions WHERE number = ?",
)
PURGE_RECORDS = "DELETE FROM records WHERE id BETWEEN ? AND ?"


class Writing:
    """The writer's side of the store. `ring` is called after each commit with the session and its new head."""

    def __init__(
        self,
        connection: Database,
        gate: Gate,
        *,
        now: Callable[[], int],
        ring: Callable[[SessionId, int], None],
    ) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._now = now
        self._folding = Folding(connection)
        self._committing = Committing(connection, gate, self._folding, ring)

    # Verbs.

    def create(self, session: SessionId, event: SessionCreated) -> Appended:
        body = codec.encode(event)
        with self.transaction(sync=True):
            found = self._execute(FIND, (session,)).fetchall()
            if found:
                place = Place(*found[0])
                if session == HOUSE or self._kept(place, CREATED, body) is None:
                    raise SessionExists(session)
                return Appended(1, 1, 0)
            place = Place(*self._execute(CREATE, (session,)).fetchall()[0])
            return self._store(session, place, [event], [body], key=CREATED)

    def admit(self, session: SessionId, records: Sequence[Record], replacing: Callable[[Session], bool]) -> Appended:
        begun_by(records)
        with self.transaction(sync=True):
            for found in self._execute(FIND, (session,)):
                there = Place(*found)
                if session == HOUSE or not replacing(self._folding.project(there).session):
                    return Appended(1, there.head, 0)
                self._remove(there)
            place = Place(*self._execute(CREATE, (session,)).fetchall()[0])
            last = max(records, key=lambda record: (record.epoch, record.n))
            self._execute(OWN, (last.epoch, place.number))
            place = Place(place.number, 0, last.epoch, last.n)
            body = codec.encode(records[0].event)
            self._execute(KEEP_KEY, (place.number, CREATED, 1, _digest(body)))
            for first in range(0, len(records), ADMITTED_AT_ONCE):
                place = self._admit(session, place, records[first : first + ADMITTED_AT_ONCE])
            return Appended(1, place.head, place.head, self._now())

    def _admit(self, session: SessionId, place: Place, records: Sequence[Record]) -> Place:
        """Lay down some records of another log behind the head; return where it is then."""
        numbered = [msgspec.structs.replace(record, seq=seq) for seq, record in enumerate(records, place.head + 1)]
        bodies = codec.encode_all([record.event for record in numbered])
        rows = [
            (place.number * SPAN + record.seq, record.time, record.epoch, record.n, _late_body(record), body)
            for record, body in zip(numbered, bodies, strict=True)
        ]
        self._lay_down(session, place, rows, place.position)
        self._folding.renew(place, numbered, bodies)
        return self._committing.find(session)

    def fork(
        self, session: SessionId, source: SessionId, goes_on: Callable[[Session], Sequence[AnyIntent]]
    ) -> Appended:
        if source == HOUSE:
            raise NotNow("The house log can't be forked.")
        with self.transaction(sync=True):
            for found in self._execute(FIND, (session,)):
                return Appended(1, Place(*found).head, 0)
            base = self._committing.find(source)
            projection = self._folding.project(base)
            events = goes_on(projecting.copy_of(projection.session))
            bodies = codec.encode_all(events)
            self._folding.checkpoint(base.number, projection)
            place = Place(*self._execute(CREATE, (session,)).fetchall()[0])
            place = Place(place.number, base.head, base.epoch + 1, 0)
            self._execute(OWN, (place.epoch, place.number))
            values = {"fork": place.number, "source": base.number, "turns": projection.session.numbered}
            sharing.share(
                self._connection, values | {"head": base.head, "epoch": base.epoch, "position": base.position}
            )
            self._execute(KEEP_KEY, (place.number, CREATED, base.head + 1, _digest(bodies[0])))
            appended = self._store(session, place, events, bodies)
            check_fork(events, self._folding.project(self._committing.find(session)).session, base.head + 1)
            return appended

    def append(
        self,
        session: SessionId,
        events: Sequence[Event],
        *,
        position: Position | None,
        key: str | None,
        check: Callable[[Session], None] | None = None,
        bodies: Sequence[bytes] | None = None,
    ) -> Appended:
        if not events:
            raise BadCommand("An append needs at least one event.")
        bodies = codec.encode_all(events) if bodies is None else bodies
        with self.transaction(sync=any(event.synced for event in events)):
            place = self._committing.find(session)
            if position is not None:
                known = _stored(session, place, position)
                events, bodies = events[known:], bodies[known:]
            if not events:
                return Appended(place.head, place.head, 0)
            kept = None if key is None else self._kept(place, key, bodies[-1])
            if kept is not None:
                if position is not None:
                    self._committing.advance(session, place, place.head, place.position + len(events))
                return Appended(kept, kept, 0)
            if check is not None:
                check(self._folding.project(place).session)
            epoch = 0 if position is None else position.epoch
            return self._store(session, place, events, bodies, key=key, epoch=epoch)

    def claim(self, session: SessionId, loss: Callable[[Session], Sequence[AnyFact]]) -> Claimed:
        with self.transaction(sync=True):
            place = self._committing.find(session)
            projection = self._folding.project(place)
            facts = loss(projection.session)
            self._execute(KEEP_DRAINED, (place.number, place.epoch, place.position))
            place = Place(place.number, place.head, place.epoch + 1, 0)
            self._execute(OWN, (place.epoch, place.number))
            self._committing.remember(session, place)
            faults.point("store.claimed")
            head = place.head
            if facts:
                head = self._store(session, place, facts, codec.encode_all(facts), epoch=place.epoch).last
            self._folding.checkpoint(place.number, projection)
            return Claimed(place.epoch, head, projecting.copy_of(projection.session), len(facts))

    def adopt(
        self, session: SessionId, facts: Sequence[tuple[Position, Event]], *, turn: TurnId, epoch: int
    ) -> Appended:
        with self.transaction(sync=True):
            place = self._committing.find(session)
            if epoch != place.epoch:
                raise Fenced(session, epoch, place.epoch)
            fresh = [(position, fact) for position, fact in facts if position.n > self._drained(place, position.epoch)]
            if not fresh:
                return Appended(place.head, place.head, 0)
            records = [self._late(place, seq, *pair, turn) for seq, pair in enumerate(fresh, place.head + 1)]
            for position, _ in fresh:
                self._execute(KEEP_DRAINED, (place.number, position.epoch, position.n))
            bodies = codec.encode_all([record.event for record in records])
            rows = [
                (place.number * SPAN + record.seq, record.time, record.epoch, record.n, _late_body(record), body)
                for record, body in zip(records, bodies, strict=True)
            ]
            self._lay_down(session, place, rows, place.position)
            self._folding.renew(place, records, bodies)
            return Appended(records[0].seq, records[-1].seq, len(records))

    def purge(self, session: SessionId, only_if: Callable[[Session], bool]) -> bool:
        if session == HOUSE:
            raise NotNow("The house log can't be removed.")
        with self.transaction(sync=True):
            place = self._committing.find(session)
            if not only_if(self._folding.project(place).session):
                return False
            self._remove(place)
        return True

    def _remove(self, place: Place) -> None:
        self._committing.forget()
        sharing.give_up(self._connection, place.number, SPAN)
        for sql in PURGE:
            self._execute(sql, (place.number,))
        self._execute(PURGE_RECORDS, (place.number * SPAN, place.number * SPAN + SPAN - 1))

    def index(self, limit: int) -> int:
        """Put the words of at most `limit` settled items into the index; return how many there were."""
        with self.transaction(sync=False):
            left = self._execute(WORDS_LEFT, (limit,)).fetchall()
            self._connection.executemany(
                INDEX_WORDS, [(row, fold(indexed(window.load_item(body)))) for row, body in left]
            )
            if left:
                self._execute(INDEXED, (left[-1][0],))
        return len(left)

    def count(self) -> bool:
        """Count one session anew whose figures are missing; whether there was one."""
        with self.transaction(sync=False):
            number = counting.uncounted(self._connection)
            if number is not None:
                counting.recount(self._connection, number)
        return number is not None

    # The transaction.

    def transaction(self, *, sync: bool) -> AbstractContextManager[None]:
        """As `Committing.transaction`."""
        return self._committing.transaction(sync=sync)

    def rest(self) -> float | None:
        """As `Committing.rest`."""
        return self._committing.rest()

    def sync(self) -> None:
        """As `Committing.sync`."""
        self._committing.sync()

    def close(self) -> None:
        """Sync what is left and let go."""
        try:
            self.sync()
        finally:
            self._connection.close()

    # Parts.

    def _kept(self, place: Place, key: str, body: bytes) -> int | None:
        """Where the key's event lies, None if there is none. Raise `KeyTaken` if it has other content."""
        for seq, digest in self._execute(FIND_KEY, (place.number, key)):
            if digest == _digest(body):
                return int(seq)
            if key == CREATED:
                return None
            raise KeyTaken(key, seq)
        return None

    def _drained(self, place: Place, epoch: int) -> int:
        for (position,) in self._execute(FIND_DRAINED, (place.number, epoch)):
            return int(position)
        return 0

    def _late(self, place: Place, seq: int, position: Position, fact: Any, turn: TurnId) -> Record:
        late = Late(epoch=position.epoch, turn=turn)
        return Record(seq=seq, time=self._now(), event=fact, epoch=place.epoch, n=position.n, late=late)

    def _store(
        self,
        session: SessionId,
        place: Place,
        events: Sequence[Event],
        bodies: Sequence[bytes],
        *,
        key: str | None = None,
        epoch: int = 0,
    ) -> Appended:
        """Insert fresh events behind the head, with the key of the last."""
        now, count = self._now(), len(events)
        n = place.position if epoch else 0
        first = place.number * SPAN + place.head + 1
        numbers = range(n + 1, n + count + 1) if epoch else repeat(0)
        rows = list(zip(range(first, first + count), repeat(now), repeat(epoch), numbers, repeat(None), bodies))
        if key is not None:
            self._execute(KEEP_KEY, (place.number, key, place.head + count, _digest(bodies[-1])))
        self._lay_down(session, place, rows, place.position + count if epoch else place.position)
        self._folding.renew(place, coalesce.place(events, after=place.head, time=now, epoch=epoch, n=n), bodies)
        return Appended(place.head + 1, place.head + count, count, now)

    def _lay_down(
        self,
        session: SessionId,
        place: Place,
        rows: Sequence[tuple[int, int, int, int, bytes | None, bytes]],
        position: int,
    ) -> None:
        self._connection.executemany(INSERT, rows)
        self._committing.advance(session, place, place.head + len(rows), position)
        self._committing.grown(session, place.head + len(rows))


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).digest()


def _late_body(record: Record) -> bytes | None:
    return None if record.late is None else msgspec.json.encode(record.late)


def _stored(session: SessionId, place: Place, position: Position) -> int:
    """How many of the facts from `position` on the log has already."""
    if position.epoch != place.epoch:
        raise Fenced(session, position.epoch, place.epoch)
    if position.n > place.position + 1:
        raise Hole(session, place.position + 1, position.n)
    return place.position + 1 - position.n
