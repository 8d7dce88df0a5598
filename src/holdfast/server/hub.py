"""Who watches what: one tail per watched session and one for the list, whatever the number of viewers.

The hub keeps no state of a viewer beyond its connection: what was missed is read again from the cursor. A tail lives
while somebody watches it; closing the hub ends every live connection at once.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

import msgspec

from holdfast.core.errors import HoldfastError, StoreError
from holdfast.core.ids import SessionId
from holdfast.server.ebb import CROWD, give_back
from holdfast.server.schema.house import Places
from holdfast.server.schema.live import Conditions, StoreState
from holdfast.server.tails import ListSource, SessionSource, Source, Tail
from holdfast.server.viewer import Follow, Viewer
from holdfast.store.protocol import Store

PULSE = 5.0
"""Seconds between two signs of life on a connection that has nothing to say."""
VIEWERS = 2_000
"""Live connections at once."""
SPOOLING = "A run can't reach the store. What it does is kept beside it, and follows when the store is back."
log = logging.getLogger(__name__)


class TooManyViewers(HoldfastError):
    """{0} live connections are open already. Close some tabs, or try again later."""

    status = 503


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a browser wants to see: sessions from their cursors, the list from its change number.

    `visible`: a person looks at it.
    """

    follows: Sequence[tuple[SessionId, int]] = ()
    listed: int | None = None
    lineage: str | None = None
    visible: bool = False


class Hub:
    """Use it as a context: its tails end with the block."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.lineage = ""
        self.conditions = Conditions()
        self.closing = asyncio.Event()
        self._trouble = ""
        self._spooling = False
        self._list = ListSource(store)
        self._tails: dict[SessionId | None, tuple[Tail, asyncio.Task[None]]] = {}
        self._viewers: set[Viewer] = set()
        self._group = asyncio.TaskGroup()
        self._pulse: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.lineage = await self.store.lineage()
        await self._group.__aenter__()
        self._pulse = self._group.create_task(self._beat())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        for _, task in self._tails.values():
            task.cancel()
        if self._pulse is not None:
            self._pulse.cancel()
        await self._group.__aexit__(kind, error, trace)

    def close(self) -> None:
        """End every live connection. Called when the server is asked to end."""
        self.closing.set()
        for viewer in self._viewers:
            viewer.leave()

    def rung(self) -> None:
        """Some log has grown: the list may have changed."""
        self._list.ring()

    def report(self, trouble: StoreError | None) -> None:
        """Tell every viewer that the store can't be used, or that it can again."""
        if trouble is not None and str(trouble) != self._trouble:
            log.warning("store.unusable", extra={"error": str(trouble)})
        self._trouble = "" if trouble is None else str(trouble)
        self._tell_store()

    def report_spooling(self, *, spooling: bool) -> None:
        """Tell every viewer that a run can't reach the store, though we may."""
        if self._spooling and not spooling:
            self._trouble = ""  # what a run had kept aside is in the store, so the store can be written
        self._spooling = spooling
        self._tell_store()

    def report_places(self, places: Places) -> None:
        """Tell every viewer who waits for a free place."""
        self._tell(msgspec.structs.replace(self.conditions, places=places))

    def _tell_store(self) -> None:
        error = self._trouble or (SPOOLING if self._spooling else "")
        self._tell(msgspec.structs.replace(self.conditions, store=StoreState(writable=not error, error=error)))

    def _tell(self, conditions: Conditions) -> None:
        if conditions != self.conditions:
            self.conditions = conditions
            for viewer in self._viewers:
                viewer.wake()

    @property
    def seen(self) -> bool:
        """Whether a person looks at any tab now."""
        return any(viewer.visible for viewer in self._viewers)

    def sees(self, session: SessionId) -> bool:
        """Whether a person looks at a browser that has this session open."""
        looking = [viewer for viewer in self._viewers if viewer.visible]
        return any(follow.session == session for viewer in looking for follow in viewer.follows)

    @property
    def watched(self) -> int:
        """How many tails run now."""
        return len(self._tails)

    def check_room(self) -> None:
        """Raise `TooManyViewers` if there is no room for one more live connection."""
        if len(self._viewers) >= VIEWERS:
            raise TooManyViewers(VIEWERS)

    @asynccontextmanager
    async def viewer(self, wish: Wish) -> AsyncGenerator[Viewer]:
        """A live connection for the length of the block."""
        viewer = Viewer(self.lineage, lambda: self.conditions, self.report)
        viewer.visible = wish.visible
        self._viewers.add(viewer)
        if self.closing.is_set():
            viewer.leave()
        names: list[SessionId | None] = [session for session, _ in wish.follows]
        cursors = [after for _, after in wish.follows]
        if wish.listed is not None:
            names.append(None)
            cursors.append(wish.listed)
        tails = [self._join(name, viewer) for name in names]
        try:
            known = wish.lineage in (None, self.lineage)
            viewer.follows = [
                Follow(name, tail, cursor, known=known)
                for name, tail, cursor in zip(names, tails, cursors, strict=True)
            ]
            yield viewer
        finally:
            self._viewers.discard(viewer)
            for name in names:
                self._part(name, viewer)

    def _join(self, name: SessionId | None, viewer: Viewer) -> Tail:
        if name not in self._tails or self._tails[name][0].gone:
            source: Source = self._list if name is None else SessionSource(self.store, name)
            tail = Tail(source, self.report)
            self._tails[name] = (tail, self._group.create_task(self._run(name, tail)))
        tail, _ = self._tails[name]
        tail.viewers.add(viewer)
        return tail

    def _part(self, name: SessionId | None, viewer: Viewer) -> None:
        if name not in self._tails:
            return
        tail, task = self._tails[name]
        tail.viewers.discard(viewer)
        if not tail.viewers:
            del self._tails[name]
            task.cancel()

    async def _run(self, name: SessionId | None, tail: Tail) -> None:
        """A tail that breaks ends its viewers' connections, which come back; the other tails go on."""
        try:
            await tail.run()
        except Exception:
            log.exception("tail.failed", extra={"session": name or "list"})
            for viewer in [viewer for viewer in self._viewers if viewer in tail.viewers]:
                viewer.leave()

    async def _beat(self) -> None:
        most = 0
        while True:
            await asyncio.sleep(PULSE)
            for viewer in self._viewers:
                viewer.beat()
            most = max(most, len(self._viewers))
            if most - len(self._viewers) >= CROWD:
                most = len(self._viewers)
                give_back()
