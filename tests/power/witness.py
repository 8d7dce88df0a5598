"""A store whose every append is written down: what was asked for, and what was promised."""

import itertools
from collections.abc import Callable, Sequence

from holdfast.core import codec
from holdfast.core.events import AnyFact, Event, SessionCreated
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Position
from holdfast.core.session import Session
from holdfast.store.protocol import Appended, Claimed
from holdfast.store.sqlite.store import SqliteStore
from holdfast.store.sqlite.writing import CREATED
from tests.power.journal import Acknowledged, Asked, Journal, Owned


class Witness:
    """The store as one child sees it. `who` makes the names of its appends its own."""

    def __init__(self, store: SqliteStore, journal: Journal, who: str) -> None:
        self.store: SqliteStore = store
        self.who: str = who
        self._write = journal.write
        self._count = itertools.count(1)

    async def look(self, session: SessionId) -> Session:
        return (await self.store.open(session)).session

    async def create(self, session: SessionId, event: SessionCreated) -> Appended:
        name = self._ask(session, [event], None, CREATED)
        return self._acknowledge(name, await self.store.create(session, event), synced=True)

    async def append(
        self, session: SessionId, events: Sequence[Event], *, position: Position | None = None, key: str | None = None
    ) -> Appended:
        name = self._ask(session, events, position, key)
        appended = await self.store.append(session, events, position=position, key=key)
        return self._acknowledge(name, appended, synced=any(event.synced for event in events))

    async def claim(self, session: SessionId, loss: Callable[[Session], Sequence[AnyFact]]) -> Claimed:
        claimed = await self.store.claim(session, loss)
        self._write(Owned(session, claimed.epoch, claimed.head))
        return claimed

    async def adopt(
        self, session: SessionId, facts: Sequence[tuple[Position, AnyFact]], *, turn: TurnId, epoch: int
    ) -> Appended:
        name = self._ask(session, [fact for _, fact in facts], None, None)
        appended = await self.store.adopt(session, facts, turn=turn, epoch=epoch)
        return self._acknowledge(name, appended, synced=True)

    def _ask(self, session: SessionId, events: Sequence[Event], position: Position | None, key: str | None) -> str:
        name = f"{self.who}.{next(self._count)}"
        bodies = [codec.encode(event) for event in events]
        epoch, n = (0, 0) if position is None else (position.epoch, position.n)
        self._write(Asked(name, session, epoch, n, key, bodies))
        return name

    def _acknowledge(self, name: str, appended: Appended, *, synced: bool) -> Appended:
        self._write(Acknowledged(name, appended.first, appended.last, appended.written, synced))
        return appended
