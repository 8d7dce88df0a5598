"""One live connection: what it follows, and how far it has come.

A viewer is asked for its next bytes only when the last ones have left, so a slow one waits at its own cursor and costs
nobody else anything.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from functools import partial

from holdfast.core.errors import NoSuchSession, StoreError
from holdfast.core.ids import SessionId
from holdfast.server.schema.live import Conditions, Gone, Ready, Reset
from holdfast.server.sse import ALIVE, HELLO, frame
from holdfast.server.tails import BATCH, POLL, Tail


class Follow:
    """A cursor in one tail. `known` says that the cursor belongs to this history of the store."""

    def __init__(self, session: SessionId | None, tail: Tail, cursor: int, *, known: bool) -> None:
        self.session = session
        self.tail = tail
        self.cursor = cursor
        self.over = False
        self._known = known
        self._begun = False

    async def next(self, lineage: str) -> bytes:
        """The next frames, or nothing if there are none now."""
        if self.over:
            return b""
        if self.tail.gone:
            return self._leave()
        try:
            if not self._begun and not await self._begin():
                self.over = True
                return frame("reset", Reset(session=self.session, lineage=lineage))
            return await self._advance()
        except NoSuchSession:
            return self._leave()

    async def _begin(self) -> bool:
        """Whether the cursor lies in this log at all. The window may lag behind the store: the store is asked."""
        await self.tail.begun()
        if not self._known or self.cursor > await self.tail.source.head():
            return False
        self._begun = True
        return True

    async def _advance(self) -> bytes:
        chunk = self.tail.window.next(self.cursor)
        if chunk is not None:
            self.cursor = chunk.last
            return chunk.body
        boundary = self.tail.window.boundary(self.cursor)
        if boundary <= self.cursor:
            return b""
        last, body = await self.tail.source.frames(self.cursor, min(boundary - self.cursor, BATCH), joined=False)
        self.cursor = max(last, boundary if not body else last)
        return body

    def _leave(self) -> bytes:
        self.over = True
        return b"" if self.session is None else frame("gone", Gone(session=self.session))


class Viewer:
    """Bytes for one browser, for as long as it stays."""

    def __init__(
        self, lineage: str, conditions: Callable[[], Conditions], trouble: Callable[[StoreError], None]
    ) -> None:
        self.follows: list[Follow] = []
        self.visible = False
        self._lineage = lineage
        self._conditions = conditions
        self._trouble = trouble
        self._told = Conditions()
        self._news = asyncio.Event()
        self._left = False
        self._due = False

    def wake(self) -> None:
        self._news.set()

    def beat(self) -> None:
        """Show a sign of life if there is nothing else to send."""
        self._due = True
        self._news.set()

    def leave(self) -> None:
        """End the connection as soon as what is being sent has left."""
        self._left = True
        self._news.set()

    async def bodies(self) -> AsyncGenerator[bytes]:
        """What to send, first bytes at once, until the viewer leaves."""
        yield HELLO + frame("ready", Ready(lineage=self._lineage))
        while not self._left:
            self._news.clear()
            sent = False
            for take in (self._take_conditions, *(partial(self._take, follow) for follow in self.follows)):
                body = await take()
                if body:
                    sent = True
                    yield body
                if self._left:
                    return
            if not sent:
                if self._due:
                    self._due = False
                    yield ALIVE
                await self._news.wait()

    async def _take_conditions(self) -> bytes:
        """What has changed for everybody since we last said it."""
        told, self._told = self._told, self._conditions()
        store = b"" if told.store == self._told.store else frame("store", self._told.store)
        places = b"" if told.places == self._told.places else frame("places", self._told.places)
        return store + places

    async def _take(self, follow: Follow) -> bytes:
        try:
            return await follow.next(self._lineage)
        except StoreError as exc:
            self._trouble(exc)
            await asyncio.sleep(POLL)
            self.wake()
            return b""
