"""Carries a runner's facts into the store, in order and once.

Group commit: what is emitted is appended at once, and what arrives while a commit is in flight goes together in the
next. Only when the store is slow does the outbox wait a little (20 ms at most) so that more goes together.

When the store can't be written the facts go to the spool, whose space is reserved, and reach the store before anything
newer does. When the spool is full the agent is not read further: nothing is dropped. Positions make every retry
harmless.

Secrets are covered here, before anything is stored: see `Screen`.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from msgspec import UNSET

from holdfast import faults
from holdfast.core.coalesce import coalesce_events, place
from holdfast.core.cover import Cover
from holdfast.core.errors import StoreError
from holdfast.core.events import AnyFact, ApprovalAnswered, Event, TextAppended, ThoughtAppended, ToolChanged
from holdfast.core.ids import SessionId
from holdfast.core.records import Position, Record
from holdfast.runner.screen import Screen
from holdfast.store.protocol import Store
from holdfast.store.spool import Spool

BATCH = 500
BATCH_WEIGHT = 4_000_000
WAITING = 2_000
WAITING_WEIGHT = 16_000_000
"""Facts, and characters of them, that may wait before the agent is not read further."""
LONGEST_PAUSE = 0.02
SLOW = 0.004
"""Seconds that a commit may take before the outbox begins to gather."""
HELD_SECONDS = 0.25
"""How long the few characters wait with which a secret might begin, when nothing follows them."""
RETRY = 0.5
"""Seconds between looks at a store that could not be written."""


Carried = AnyFact | ApprovalAnswered
"""An agent that answered itself did so in its run: that is a fact, though the answer is an intent's when a person's."""


class Tell(Protocol):
    """Hears whether facts go to the spool because the store can't be written."""

    def __call__(self, *, spooling: bool) -> None: ...


def weight(fact: Carried) -> int:
    """About how many characters a fact holds, of what an agent can make long."""
    match fact:
        case TextAppended() | ThoughtAppended():
            return len(fact.text)
        case ToolChanged():
            said = sum(len(part) for part in (fact.arguments, fact.output, fact.error) if part is not UNSET)
            diffs = () if fact.diffs is UNSET else fact.diffs
            return len(fact.appended) + said + sum(len(diff.old or "") + len(diff.new or "") for diff in diffs)
        case _:
            return 0


class Fold(Protocol):
    """Takes facts that have just been stored behind seq `after`, as the records that they are now."""

    def __call__(self, after: int, records: Sequence[Record]) -> None: ...


class Outbox:
    """`emit` and go on, or `commit` and wait until it is stored. `n` counts the facts, `head` is the last one's seq."""

    def __init__(
        self,
        store: Store,
        session: SessionId,
        position: Position,
        spool: Spool,
        *,
        tell: Tell,
    ) -> None:
        self._store = store
        self._session = session
        self._epoch = position.epoch
        self.n: int = position.n
        self.head: int = 0
        self._spool = spool
        self._tell = tell
        self.cover = Cover()
        self._screen = Screen(self.cover)
        self._giving_up: asyncio.TimerHandle | None = None
        self._waiting: deque[Carried] = deque()
        self._weight = 0
        self._emitted = 0
        self._stored = 0
        self._arrived = asyncio.Event()
        self._left = asyncio.Condition()
        self._landed = asyncio.Event()
        self._landed.set()
        self.fold: Fold | None = None
        self._loop = asyncio.get_running_loop()

    def emit(self, fact: Carried) -> None:
        """Take a fact. It is stored as soon as may be, in the order of emission."""
        for shown in self._screen.take(fact):
            self._put(shown)
        if self._giving_up is None and self._screen.holding:
            self._giving_up = self._loop.call_later(HELD_SECONDS, self._let_go)

    def _put(self, fact: Carried) -> None:
        self._waiting.append(fact)
        self._weight += weight(fact)
        self._emitted += 1
        self._arrived.set()

    def _let_go(self) -> None:
        self._giving_up = None
        for fact in self._screen.let_go():
            self._put(fact)

    def release(self) -> None:
        """Nothing follows: what was held back is said."""
        for fact in self._screen.release():
            self._put(fact)

    async def commit(self, *facts: Carried) -> None:
        """Take facts and return when they, and all before them, are in the store."""
        for fact in facts:
            self.emit(fact)
        await self.flush()

    async def flush(self) -> None:
        """Return when all that was emitted so far is in the store."""
        goal = self._emitted
        async with self._left:
            await self._left.wait_for(lambda: self._stored >= goal)

    async def room(self) -> None:
        """Return when there is room for more: what an agent says is read only then."""
        if self._roomy():
            return
        async with self._left:
            await self._left.wait_for(self._roomy)

    def _roomy(self) -> bool:
        return len(self._waiting) < WAITING and self._weight < WAITING_WEIGHT

    @property
    def idle(self) -> bool:
        return self._stored == self._emitted

    async def run(self) -> None:
        """Carry facts until cancelled. Raise `Fenced` when the session has another owner."""
        pause = 0.0
        while True:
            await self._arrived.wait()
            if pause:
                await asyncio.sleep(pause)
            started = self._loop.time()
            await self._carry()
            took = self._loop.time() - started
            pause = min(took, LONGEST_PAUSE) if took > SLOW else 0.0

    async def _carry(self) -> None:
        batch = self._batch()
        events = coalesce_events(batch)
        if self._spool.empty and await self._append(self.n + 1, events):
            self.n += len(events)
            await self._release(len(batch), stored=len(batch))
            return
        self._tell(spooling=True)
        # Grouped as they were tried: if the store has them after all, their positions say so.
        if self._spool.write(self.n + 1, events):
            self.n += len(events)
            await self._release(len(batch), stored=0)
        await self._drain()

    def _batch(self) -> list[Carried]:
        """What goes together next: at least one fact, however long."""
        batch: list[Carried] = []
        total = 0
        for fact in self._waiting:
            total += weight(fact)
            if batch and (len(batch) == BATCH or total > BATCH_WEIGHT):
                break
            batch.append(fact)
        return batch

    async def landed(self) -> None:
        """Return when no append is on its way: what was stored has been folded, if anybody folds."""
        await self._landed.wait()

    async def _append(self, first: int, events: Sequence[Event]) -> bool:
        faults.point("outbox.appending")
        self._landed.clear()
        try:
            appended = await self._store.append(self._session, events, position=Position(epoch=self._epoch, n=first))
            faults.point("outbox.appended")
            self.head = appended.last
            if self.fold is not None and appended.written == len(events):
                after = appended.first - 1
                self.fold(after, place(events, after=after, time=appended.time, epoch=self._epoch, n=first - 1))
        except StoreError:
            return False
        finally:
            self._landed.set()
        return True

    async def _drain(self) -> None:
        """Return when all that was spooled is in the store, or when more has arrived that must be spooled first."""
        while not await self._drained():
            await asyncio.sleep(RETRY)
            if self._waiting:
                return

    async def _drained(self) -> bool:
        facts = self._spool.facts()
        for i in range(0, len(facts), BATCH):
            part = facts[i : i + BATCH]
            if not await self._append(part[0].n, [fact.event for fact in part]):
                return False
        if not facts:
            return False  # what waits has no room even in an empty spool
        self._spool.clear()
        self._tell(spooling=False)
        async with self._left:
            self._stored = self._emitted - len(self._waiting)
            self._left.notify_all()
        return True

    async def _release(self, count: int, *, stored: int) -> None:
        for _ in range(count):
            self._weight -= weight(self._waiting.popleft())
        if not self._waiting:
            self._arrived.clear()
        async with self._left:
            self._stored += stored
            self._left.notify_all()
