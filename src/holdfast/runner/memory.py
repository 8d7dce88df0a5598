"""Has agents commit to memory what they completed, at the boundaries that the log and the end of this runner are.

Law: one commit at a time, because one task makes them. That a commit begins is in the log, synced, before the agent is
told, and whether it counts is the ledger's to say. A turn never waits for a commit.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any

from holdfast import faults
from holdfast.agents.acp.client import AgentUnusable, CommitFailed, CommitLost
from holdfast.agents.catalog import NoSuchAgent
from holdfast.core.errors import StoreError
from holdfast.core.events import AgentEnded, MemoryCommitted, MemoryFailed, MemoryStarted
from holdfast.core.excerpt import Excerpt, Message
from holdfast.core.ids import SessionId
from holdfast.core.ledger import Ledger, Segment
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.runner.agents import Agents, Hosted
from holdfast.runner.outbox import Outbox
from holdfast.store.protocol import Store

log = logging.getLogger(__name__)

COMMIT_SECONDS = 600.0
"""Seconds that a provider gets before its commit counts as failed, and is in doubt."""
LOOK = 2.0
"""Seconds between looks at the clock: a repetition is due at a time, not by a record."""
RECORDS = 500
SILENT = "It has not answered."
NO_AGENT = "No agent of this session can commit memory now."
_NOTHING = Ledger()


class Memory:
    """`run` commits what is due. `everything` asks for all that is left, as the end of an idle runner does."""

    def __init__(
        self,
        session: SessionId,
        now: Callable[[], Session],
        caught_up: Callable[[], Coroutine[Any, Any, None]],
        *,
        store: Store,
        outbox: Outbox,
        agents: Agents,
    ) -> None:
        self._id = session
        self._now = now
        self._caught_up = caught_up
        self._store = store
        self._outbox = outbox
        self._agents = agents
        self._changed = asyncio.Event()
        self._grown = asyncio.Event()
        self._seen: tuple[int, ...] = ()
        self._at_once = False
        self.everything = False

    @property
    def _ledger(self) -> Ledger:
        return self._now().ledger or _NOTHING

    @property
    def clean(self) -> bool:
        """Whether nothing is left to commit."""
        return not self._ledger.segments

    @property
    def done(self) -> bool:
        """Whether nothing is left that this runner must stay for.

        What nobody can commit now is not held by a process that waits: it is in the log, and is tried again from there.
        """
        ledger = self._ledger
        waiting = ledger.attempt is None and _clock() < ledger.again
        return self.clean or (waiting and not any(self._agents.living(owner) for owner in ledger.owners))

    def changed(self) -> None:
        """The log has grown. Words that stream wake nobody."""
        ledger = self._ledger
        seen = (ledger.generation, ledger.tries, ledger.commits, ledger.failures, ledger.wanted, ledger.again)
        if seen != self._seen:
            self._seen = seen
            self.wake()

    def wake(self) -> None:
        """Look again what is due."""
        self._changed.set()
        self._grown.set()

    async def run(self) -> None:
        """Commit what is due, one after the other, until cancelled."""
        while True:
            self._changed.clear()
            due = self._ledger.due(_clock(), everything=self.everything, at_once=self._at_once)
            if due is not None:
                await self._commit(*due)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    await self._changed.wait()

    async def finish(self, deadline: float) -> None:
        """Commit all that is left, until nothing is, an attempt fails, or the loop's clock is at `deadline`."""
        self.everything = self._at_once = True
        failures = self._ledger.failures
        self._changed.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(deadline):
                while not self.clean and self._ledger.failures <= failures:
                    self._grown.clear()
                    await self._grown.wait()
        if not self.clean:
            log.warning("memory.left", extra={"session": self._id, "turns": self._ledger.uncommitted})

    async def _commit(self, first: int, last: int) -> None:
        segment = self._ledger.segments[0]
        owner = await self._owner(segment)
        if owner is None:
            await self._conclude(MemoryFailed(token="", error=NO_AGENT))
            return
        adopts = segment.adopted or segment.owner != owner.instance
        messages = await self._messages(segment, first, last) if adopts else None
        token = f"{self._id}:{first}-{last}"
        await self._outbox.commit(MemoryStarted(token=token, owner=owner.instance, first=first, last=last))
        await self._caught_up()
        attempt = self._ledger.attempt
        if attempt is None or attempt.token != token:
            await self._agents.conclude(self._ledger)
            return
        faults.point("runner.memory_started")
        fact = await self._ask(owner, token, first, last, messages)
        faults.point("runner.memory_ending")
        await self._conclude(fact)

    async def _ask(
        self, owner: Hosted, token: str, first: int, last: int, messages: list[Message] | None
    ) -> MemoryCommitted | MemoryFailed:
        try:
            async with asyncio.timeout(COMMIT_SECONDS):
                await owner.agent.commit_memory(token, first, last, messages)
        except CommitFailed as exc:
            return MemoryFailed(token=token, error=str(exc), in_doubt=isinstance(exc, CommitLost))
        except TimeoutError:
            return MemoryFailed(token=token, error=SILENT, in_doubt=True)
        return MemoryCommitted(token=token)

    async def _conclude(self, fact: MemoryCommitted | MemoryFailed) -> None:
        if isinstance(fact, MemoryFailed):
            self._at_once = False
            log.warning("memory.failed", extra={"session": self._id, "error": fact.error})
        await self._outbox.commit(fact)
        await self._caught_up()
        await self._agents.conclude(self._ledger)

    async def _owner(self, segment: Segment) -> Hosted | None:
        """Whoever may commit the segment: its owner while that lives, else an agent that adopts it."""
        hosted = self._agents.living(segment.owner)
        if hosted is not None and not segment.dead:
            return hosted
        if segment.owner and not segment.dead:
            await self._outbox.commit(AgentEnded(instance=segment.owner))
            await self._caught_up()
        try:
            adopter = await self._agents.adopter(self._now(), segment)
        except (AgentUnusable, NoSuchAgent, OSError) as exc:
            log.warning("memory.no_agent", extra={"session": self._id, "error": str(exc)})
            return None
        return adopter

    async def _messages(self, segment: Segment, first: int, last: int) -> list[Message]:
        """What was said in these generations: whoever adopts them was not there."""
        excerpt, after = Excerpt(segment, first, last), segment.since - 1
        while not excerpt.complete and (records := await self._read(after)):
            excerpt.feed(records)
            after = records[-1].seq
        return excerpt.messages

    async def _read(self, after: int) -> list[Record]:
        """Wait for a store that can't be read now: what is not committed yet can wait too."""
        while True:
            try:
                return await self._store.read(self._id, after, RECORDS)
            except StoreError:
                await asyncio.sleep(LOOK)


def _clock() -> int:
    return time.time_ns() // 1_000_000
