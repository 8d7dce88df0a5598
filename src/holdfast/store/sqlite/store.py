"""The store on the disk, as the contract of `protocol` wants it."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Self

import msgspec

from holdfast.core import codec
from holdfast.core.errors import Fenced, Hole, Refused, StoreError
from holdfast.core.events import AnyFact, AnyIntent, Event, SessionCreated
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Position, Record
from holdfast.core.session import Session
from holdfast.store.protocol import (
    Appended,
    Claimed,
    DailyFigures,
    Finds,
    Hit,
    Labels,
    Listing,
    Opened,
    Owner,
    Page,
    Query,
    Row,
    SessionSize,
)
from holdfast.store.sqlite.bell import Bell
from holdfast.store.sqlite.connection import SERVER_AUTOCHECKPOINT, Database, connect, migrate, translated
from holdfast.store.sqlite.gate import Gate
from holdfast.store.sqlite.place import boot_id, prepare
from holdfast.store.sqlite.reading import Reading
from holdfast.store.sqlite.worker import Worker
from holdfast.store.sqlite.writing import Writing

DATABASE = "store.db"
GATE = "store.lock"
POLL = 1.0
INDEXED_AT_ONCE = 200

FOUND = """
INSERT OR IGNORE INTO meta (name, value) VALUES ('change', 0), ('boot', ''), ('lineage', '');
INSERT OR IGNORE INTO sessions (number, id) VALUES (1, 'house');
"""
BOOT = "SELECT value FROM meta WHERE name = 'boot'"
RENEW = "UPDATE meta SET value = CASE name WHEN 'boot' THEN ? ELSE ? END WHERE name IN ('boot', 'lineage')"


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def renew_lineage(connection: Database) -> None:
    """Give this history of the store a new name: what came before may be missing its end."""
    connection.execute(RENEW, (boot_id(), secrets.token_hex(8)))


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a process uses the store: whose bells it hears, of every session (None: none yet), and how large it lets the
    WAL grow."""

    bells: Path | None = None
    autocheckpoint: int = SERVER_AUTOCHECKPOINT
    now: Callable[[], int] = now


class SqliteStore:
    """A folder with a database in it. Make one with `SqliteStore.open_folder`.

    `heard`, if it is set, is called whenever another process says that it has written, to whatever log.
    """

    def __init__(self, folder: Path, options: Options) -> None:
        self._folder = folder
        self._options = options
        self._waiting: dict[SessionId, set[asyncio.Future[int]]] = {}
        self._heads: dict[SessionId, int] = {}
        self.heard: Callable[[], None] | None = None
        self._loop = asyncio.get_running_loop()
        self._bell = None if options.bells is None else Bell.in_folder(options.bells, None)
        self._gate = Gate(folder / GATE)
        self._writer: Worker[Writing] = Worker(
            "holdfast-writer",
            self._make_writing,
            _close,
            rest=Writing.rest,
            tidy=Writing.sync,
            together=lambda writing, sync: writing.transaction(sync=sync),
            refusals=(Refused, Fenced, Hole),
        )
        self._reader: Worker[Reading] = Worker("holdfast-reader", self._make_reading, _close)

    @classmethod
    async def open_folder(cls, folder: Path, options: Options | None = None) -> Self:
        """Open the store in `folder`, which is made if it is not there. Raise `StoreError` if that can't be done."""
        with translated():
            prepare(folder)
            store = cls(folder, options or Options())
        await store.start()
        return store

    async def start(self) -> None:
        """Begin to work. Called once, by `open_folder`."""
        try:
            await self._writer.start()
            await self._reader.start()
            self._listen()
        except BaseException:
            await self.close()
            raise

    def hear_of(self, session: SessionId, bells: Path) -> None:
        """Hear the bells from now on, for this session alone: it was not known when the store was opened."""
        assert self._bell is None
        self._bell = Bell.in_folder(bells, session)
        self._listen()

    def _listen(self) -> None:
        if self._bell is not None:
            with translated():
                self._bell.listen()
            self._loop.add_reader(self._bell, self._bell.hear, self._hear)

    async def lineage(self) -> str:
        return await self._reader.do(Reading.lineage)

    async def create(self, session: SessionId, event: SessionCreated) -> Appended:
        return await self._writer.do(lambda writing: writing.create(session, event))

    async def admit(
        self, session: SessionId, records: Sequence[Record], replacing: Callable[[Session], bool] = lambda _: False
    ) -> Appended:
        return await self._writer.do(lambda writing: writing.admit(session, records, replacing))

    async def fork(
        self, session: SessionId, source: SessionId, goes_on: Callable[[Session], Sequence[AnyIntent]]
    ) -> Appended:
        return await self._writer.do(lambda writing: writing.fork(session, source, goes_on))

    async def append(
        self,
        session: SessionId,
        events: Sequence[Event],
        *,
        position: Position | None = None,
        key: str | None = None,
        check: Callable[[Session], None] | None = None,
    ) -> Appended:
        bodies = codec.encode_all(events)  # here, so that what can't be encoded fails its caller alone
        return await self._writer.share(
            lambda writing: writing.append(session, events, position=position, key=key, check=check, bodies=bodies),
            synced=any(event.synced for event in events),
        )

    async def claim(self, session: SessionId, loss: Callable[[Session], Sequence[AnyFact]]) -> Claimed:
        return await self._writer.do(lambda writing: writing.claim(session, loss))

    async def adopt(
        self, session: SessionId, facts: Sequence[tuple[Position, Event]], *, turn: TurnId, epoch: int
    ) -> Appended:
        return await self._writer.do(lambda writing: writing.adopt(session, facts, turn=turn, epoch=epoch))

    async def read(self, session: SessionId, after: int, limit: int) -> list[Record]:
        heard = self._heads.get(session, 0)
        records = await self._reader.do(lambda reading: reading.read(session, after, limit))
        last = records[-1].seq if records else after
        if len(records) < limit and last < heard == self._heads.get(session):
            self._heads[session] = last  # what was heard of is gone: the session was purged
        return records

    async def telling(self, session: SessionId, after: int, limit: int) -> list[Record]:
        return await self._reader.do(lambda reading: reading.telling(session, after, limit))

    async def times(self, session: SessionId, after: int, until: int) -> list[int]:
        return await self._reader.do(lambda reading: reading.times(session, after, until))

    async def keyed(self, session: SessionId, key: str) -> int:
        return await self._reader.do(lambda reading: reading.keyed(session, key))

    async def wait(self, session: SessionId, after: int, seconds: float) -> int:
        deadline = self._loop.time() + seconds
        # Whoever rings has said how far the log reaches, so most waits ask nobody. What was not heard is looked for.
        if seconds <= 0 or self._bell is None or session not in self._heads:
            head = await self._look(session)
            if head > after or seconds <= 0:
                return head
        while True:
            rung: asyncio.Future[int] = self._loop.create_future()
            self._waiting.setdefault(session, set()).add(rung)
            try:
                head = self._heads.get(session, 0)  # after `rung` is known to the writer's thread: nothing lies between
                if head <= after:
                    # not wait_for: Python 3.11's loses a cancellation that comes together with the result
                    async with asyncio.timeout(min(POLL, max(0.0, deadline - self._loop.time()))):
                        head = await rung
            except TimeoutError:
                head = await self._look(session)
            finally:
                self._forget(session, rung)
            if head > after or self._loop.time() >= deadline:
                return head

    async def _look(self, session: SessionId) -> int:
        """How far the log reaches, by the database itself."""
        head = await self._reader.do(lambda reading: reading.head(session))
        self._heads[session] = max(head, self._heads.get(session, 0))
        return head

    async def open(self, session: SessionId) -> Opened:
        return await self._reader.do(lambda reading: reading.open(session))

    async def page(self, session: SessionId, number: int) -> Page:
        return await self._reader.do(lambda reading: reading.page(session, number))

    async def sessions(self, query: Query) -> Listing:
        return await self._reader.do(lambda reading: reading.sessions(query))

    async def labels(self, limit: int) -> Labels:
        return await self._reader.do(lambda reading: reading.labels(limit))

    async def changes(self, after: int, limit: int) -> list[Row]:
        return await self._reader.do(lambda reading: reading.changes(after, limit))

    async def owners(self) -> list[Owner]:
        return await self._reader.do(Reading.owners)

    async def claims(self, session: SessionId) -> int:
        return await self._reader.do(lambda reading: reading.claims(session))

    async def search(self, text: str, *, limit: int = 20, session: SessionId | None = None) -> list[Hit]:
        with contextlib.suppress(StoreError):  # a store that can't be written is searched as far as it is indexed
            await self.index()
        return await self._reader.do(lambda reading: reading.search(text, limit, session))

    async def find(self, session: SessionId, text: str, *, cursor: str | None = None, stretch: int = 1_000) -> Finds:
        return await self._reader.do(lambda reading: reading.find(session, text, cursor, stretch))

    async def index(self) -> None:
        done = INDEXED_AT_ONCE if await self._reader.do(Reading.unindexed) else 0
        while done == INDEXED_AT_ONCE:
            done = await self._writer.do(lambda writing: writing.index(INDEXED_AT_ONCE))

    async def figures(self, since: int, offset: int = 0) -> list[DailyFigures]:
        await self._count()
        return await self._reader.do(lambda reading: reading.figures(since, offset))

    async def sizes(self, limit: int) -> list[SessionSize]:
        await self._count()
        return await self._reader.do(lambda reading: reading.sizes(limit))

    async def _count(self) -> None:
        with contextlib.suppress(StoreError):  # a store that can't be written says what it has counted
            missing = await self._reader.do(Reading.uncounted)
            while missing:
                missing = await self._writer.do(Writing.count)

    async def blobs(self) -> set[str]:
        return await self._reader.do(Reading.blobs)

    async def lying(self, place: Literal["archived", "deleted"], before: int, limit: int) -> list[SessionSize]:
        await self._count()
        return await self._reader.do(lambda reading: reading.lying(place, before, limit))

    async def purge(self, session: SessionId, only_if: Callable[[Session], bool] = lambda _: True) -> bool:
        return await self._writer.do(lambda writing: writing.purge(session, only_if))

    async def close(self) -> None:
        """Finish what was handed over and let go of everything. Twice is harmless."""
        if self._gate.closed:
            return
        try:
            await self._writer.stop()
        finally:
            await self._reader.stop()
            if self._bell is not None:
                self._loop.remove_reader(self._bell)
                self._bell.close()
            self._gate.close()

    # Parts.

    def _make_writing(self) -> Writing:
        path = self._folder / DATABASE
        with translated(), self._gate.entered():
            connection = connect(path, autocheckpoint=self._options.autocheckpoint)
            path.chmod(0o600)
            with connection:
                migrate(connection)
                connection.execute(FOUND).fetchall()
                if connection.execute(BOOT).get != boot_id():
                    renew_lineage(connection)
        return Writing(connection, self._gate, now=self._options.now, ring=self._ring)

    def _make_reading(self) -> Reading:
        with translated():
            return Reading(connect(self._folder / DATABASE, autocheckpoint=self._options.autocheckpoint))

    def _ring(self, session: SessionId, head: int) -> None:
        """Called on the writer's thread after each commit."""
        self._heads[session] = max(head, self._heads.get(session, 0))
        if self._bell is not None:
            self._bell.ring(session, head)
        if self._waiting.get(session):
            self._loop.call_soon_threadsafe(self._wake, session, head)

    def _hear(self, session: SessionId, head: int) -> None:
        """Somebody else has written."""
        self._heads[session] = max(head, self._heads.get(session, 0))
        self._wake(session, head)
        if self.heard is not None:
            self.heard()

    def _wake(self, session: SessionId, head: int) -> None:
        for rung in list(self._waiting.get(session, ())):
            if not rung.done():
                rung.set_result(head)

    def _forget(self, session: SessionId, rung: "asyncio.Future[int]") -> None:
        waiting = self._waiting.get(session, set())
        waiting.discard(rung)
        if not waiting:
            self._waiting.pop(session, None)


def _close(side: Writing | Reading) -> None:
    side.close()
