"""One tail per watched thing: read once from the store, encoded once, fanned out to every viewer.

Law: only what was read from the store reaches a browser. Few viewers get it at once; for a crowd what arrives within
`FLUSH` seconds is joined and goes out together, because waking a thousand connections per word would fill a core.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from holdfast.core.coalesce import coalesce
from holdfast.core.errors import NoSuchSession, StoreError
from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.server.sse import record_frames, row_frames
from holdfast.server.window import Window
from holdfast.store.protocol import Query, Row, Store

POLL = 1.0
BATCH = 200
CROWD = 50
FLUSH = 0.04
log = logging.getLogger(__name__)


class Watcher(Protocol):
    """Who wants to know that there is something new."""

    def wake(self) -> None: ...


class Source(Protocol):
    """What a tail follows: a numbered thing that only grows."""

    async def head(self) -> int:
        """The last number there is. Raise `NoSuchSession` if there is no such thing."""
        ...

    async def frames(self, after: int, limit: int, *, joined: bool) -> tuple[int, bytes]:
        """What lies above `after` as frames, and the last number of it; (`after`, nothing) if there is none."""
        ...

    async def wait(self, after: int) -> None:
        """Return when there may be something above `after`, after `POLL` seconds at the latest."""
        ...


class SessionSource:
    """The records of one session."""

    def __init__(self, store: Store, session: SessionId) -> None:
        self._store = store
        self.session = session

    async def head(self) -> int:
        return await self._store.wait(self.session, -1, 0)

    async def frames(self, after: int, limit: int, *, joined: bool) -> tuple[int, bytes]:
        records: list[Record] = await self._store.read(self.session, after, limit)
        if not records:
            return after, b""
        return records[-1].seq, record_frames(self.session, coalesce(records) if joined else records)

    async def wait(self, after: int) -> None:
        await self._store.wait(self.session, after, POLL)


class ListSource:
    """The rows of the session list, by their change number. `ring` says that some log has grown."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()

    async def head(self) -> int:
        return (await self._store.sessions(Query(limit=1))).change

    async def frames(self, after: int, limit: int, *, joined: bool) -> tuple[int, bytes]:  # noqa: ARG002  rows never join
        rows: list[Row] = await self._store.changes(after, limit)
        if len(rows) == limit:
            self._rung.set()  # there may be more
        return (rows[-1].change, row_frames(rows)) if rows else (after, b"")

    async def wait(self, after: int) -> None:  # noqa: ARG002  a bell does not say what it is about
        try:
            async with asyncio.timeout(POLL):
                await self._rung.wait()
        except TimeoutError:
            return
        self._rung.clear()
        await asyncio.sleep(FLUSH)  # a run that streams rings with every word, and the list seldom changes


class Tail:
    """Follows a source for as long as somebody watches, and keeps the newest of it in a window."""

    def __init__(self, source: Source, trouble: Callable[[StoreError], None]) -> None:
        self.source = source
        self.window = Window(0)
        self.viewers: set[Watcher] = set()
        self.gone = False
        self._trouble = trouble
        self._begun = asyncio.Event()

    async def begun(self) -> None:
        """Return when the window stands at the head of its source, or `gone` is known."""
        await self._begun.wait()

    async def run(self) -> None:
        """Follow until cancelled, or until the source is gone for good."""
        try:
            await self._begin()
            while True:
                await self._step()
        except NoSuchSession:
            self.gone = True
        finally:
            self._begun.set()
            self._wake()

    async def _begin(self) -> None:
        while not self._begun.is_set():
            try:
                self.window = Window(await self.source.head())
                self._begun.set()
            except StoreError as exc:
                self._trouble(exc)
                await asyncio.sleep(POLL)

    async def _step(self) -> None:
        crowd = len(self.viewers) > CROWD
        head = self.window.head
        try:
            await self.source.wait(head)
            last, body = await self.source.frames(head, BATCH, joined=crowd)
        except StoreError as exc:
            self._trouble(exc)
            await asyncio.sleep(POLL)
            return
        if last == head:
            return
        self.window.add(last, body)
        self._wake()
        if crowd:
            await asyncio.sleep(FLUSH)

    def _wake(self) -> None:
        for viewer in self.viewers:
            viewer.wake()
