"""Executes the turns of one session, one after the other, for as long as there is something to do.

Law: what is next follows from the log. The runner folds it as it grows (`_follow`), and every wish of a person, an
answer, a cancel, a steer, a new turn, is found there and nowhere else.
"""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Sequence

from holdfast import __version__, faults
from holdfast.agents.acp.client import AgentUnusable, Result
from holdfast.agents.catalog import NoSuchAgent
from holdfast.core import window
from holdfast.core.errors import StoreError
from holdfast.core.events import AgentFailed, RunnerStarted, RunnerStopped, TurnEnded, TurnStarted
from holdfast.core.house import House
from holdfast.core.ids import HOUSE, SessionId, TurnId
from holdfast.core.records import Record
from holdfast.core.turns import Turn
from holdfast.ownership import PROTOCOL, Lock
from holdfast.runner import context
from holdfast.runner.host import Host
from holdfast.runner.memory import Memory
from holdfast.runner.outbox import Outbox
from holdfast.salvage import Owned, look_again
from holdfast.settings import Settings
from holdfast.store.protocol import Store
from holdfast.store.tail import BATCH, POLL, tail

log = logging.getLogger(__name__)

BEAT = 2.0
CANCEL_PATIENCE = 5.0
STOP_SECONDS = 30.0
"""Seconds, from the wish to stop on, in which what is left is committed to memory."""
STOP_PATIENCE = 2.0
"""Seconds that an agent which has something to commit gets to stop its turn by itself."""
LAST_WORDS = 3.0
"""Seconds that a failing runner gives what was said to reach the store."""
STOPPED = "Holdfast was asked to end this run."
SILENT = "The agent ended its turn without an answer."
ENDED = "The agent's process was ended, or ended, before it had stopped."
"""Why a stopped turn may hold words that its agent does not know of. See `context.unfinished`."""


class Runner:
    """The owner of one session."""

    def __init__(
        self,
        *,
        store: Store,
        lock: Lock,
        owned: Owned,
        outbox: Outbox,
        host: Host,
        settings: Settings,
        ready: bool = False,
    ) -> None:
        self._store = store
        self._lock = lock
        self._id: SessionId = lock.session
        self._owned = owned
        self._session = owned.session
        self._outbox = outbox
        self._host = host
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._turn: TurnId | None = None
        self._prompting: asyncio.Task[Result] | None = None
        self._cancelled: TurnId | None = None
        self._ignored = False
        self._house = House()
        self._changed = asyncio.Event()
        self._stopping = False
        self._stop_by = 0.0
        self._retiring = False
        self._ready = ready
        self._opening: asyncio.Task[bool] | None = None
        self._memory = Memory(
            self._id, lambda: self._session, self._caught_up, store=store, outbox=outbox, agents=host.agents
        )
        outbox.fold = self._fold

    # Life.

    async def run(self) -> None:
        """Work until there is nothing left to do, or until told to stop. Raise `Fenced` if the session is lost."""
        async with asyncio.TaskGroup() as group:
            steady = [
                group.create_task(work()) for work in (self._outbox.run, self._beat, self._follow, self._follow_house)
            ]
            await self._outbox.commit(RunnerStarted(pid=os.getpid(), protocol=PROTOCOL, version=__version__))
            await self._caught_up()
            remembering = group.create_task(self._memory.run())
            try:
                await self._work()
            except Exception:
                await self._keep_what_was_said()
                raise
            if self._stopping:
                await self._memory.finish(self._stop_by)
            remembering.cancel()
            await self._host.close()
            await self._outbox.commit(RunnerStopped(reason="stopped" if self._stopping else "idle"))
            for task in steady:
                task.cancel()

    async def _keep_what_was_said(self) -> None:
        """A mistake of ours ends the run, but not what the agent had said by then."""
        self._outbox.release()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS):
                await self._outbox.flush()

    def stop(self) -> None:
        """End the run, if there is one, commit what it completed before to memory, and end this runner. Once."""
        if self._stopping:
            return
        self._stopping, self._stop_by = True, self._loop.time() + STOP_SECONDS
        if self._opening is not None:
            self._opening.cancel()
        if self._prompting is not None and self._turn is not None and self._host.prompting and not self._memory.clean:
            self._host.cancel()  # politely: it is needed for what it has not committed
            self._loop.call_later(STOP_PATIENCE, self._insist, self._turn, self._prompting)
        elif self._prompting is not None:
            self._prompting.cancel()
        self._changed.set()

    def retire(self) -> None:
        """End this runner as soon as there is nothing to do, without waiting for more: its place is wanted."""
        self._retiring = True
        self._changed.set()

    def cancel(self) -> None:
        """End the running turn though its cancellation could not be stored."""
        if self._turn is not None:
            self._cancel(self._turn)

    async def _beat(self) -> None:
        while True:
            self._lock.beat()
            await asyncio.sleep(BEAT)

    async def _follow(self) -> None:
        """Fold the log as it grows, and do what new records ask for. What we wrote ourselves need not be read."""
        while True:
            head = await self._store.wait(self._id, self._session.seq, POLL)
            await self._outbox.landed()
            if head <= self._session.seq:
                continue
            for record in await self._store.read(self._id, self._session.seq, BATCH):
                if record.seq <= self._session.seq:
                    continue
                if window.needs(self._session, record) is not None:
                    self._session = (await self._store.open(self._id)).session
                else:
                    self._session.apply(record)
            window.settle(self._session)
            self._react()

    def _fold(self, after: int, records: Sequence[Record]) -> None:
        """Take up our own facts, if nothing lies between them and what we know. Otherwise they will be read."""
        if after != self._session.seq:
            return
        for record in records:
            if window.needs(self._session, record) is not None:
                return
            self._session.apply(record)
        window.settle(self._session)
        self._react()

    async def _follow_house(self) -> None:
        """Know what is allowed for good, and act on it when it changes."""
        async for records in tail(self._store, HOUSE, 0):
            for record in records:
                self._house.apply(record)
            self._react()

    def _react(self) -> None:
        turn = None if self._turn is None else self._session.turns.get(self._turn)
        if turn is not None and turn.cancel_requested:
            self._cancel(turn.id)
        self._host.react(self._session, self._house)
        self._memory.changed()
        self._changed.set()

    async def _work(self) -> None:
        idle_minutes = self._settings.file.runners.idle_minutes
        # Who was started only to commit what is left does not wait for more to do.
        leave_at = self._loop.time() + (idle_minutes * 60 if self._memory.clean else 0)
        while not self._stopping:
            self._changed.clear()
            turn = self._next()
            if turn is None and self._ready:
                await self._get_ready()
                continue
            if turn is not None:
                self._memory.everything = False
                await self._execute(turn)
                leave_at = self._loop.time() + idle_minutes * 60
                continue
            left = leave_at - self._loop.time()
            leaving = left <= 0 or self._retiring or self._session.deleted > 0
            if leaving and self._memory.done:
                return
            if leaving and not self._memory.everything:
                self._memory.everything = True
                self._memory.wake()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BEAT if leaving else min(left, BEAT)):
                    await self._changed.wait()
            await self._look_for_spools()

    async def _get_ready(self) -> None:
        """Open the agent before there is a turn. If that fails, the turn will say so, having tried again.

        An agent that would come new to a conversation waits for the turn that tells it what was said before.
        """
        self._ready = False
        if self._session.numbered and self._session.conversation is None:
            return
        self._opening = asyncio.create_task(self._host.open(self._session))
        await asyncio.wait([self._opening])
        if not self._opening.cancelled() and (failure := self._opening.exception()) is not None:
            log.info("agent.not_ready", extra={"session": self._id, "error": str(failure)})
        await self._outbox.flush()
        await self._caught_up()

    def _next(self) -> Turn | None:
        """The first turn in the queue that is not held."""
        if self._session.running is not None or self._session.deleted:
            return None
        turns = (self._session.turns[turn_id] for turn_id in self._session.queue)
        return next((turn for turn in turns if not turn.held), None)

    async def _look_for_spools(self) -> None:
        """What an earlier owner left may have become readable."""
        if not self._session.recovering:
            return
        self._owned.session, now = self._session, time.time_ns() // 1_000_000
        with contextlib.suppress(StoreError):  # there is a next look
            # By way of the outbox: an agent may still speak, and its facts are counted there.
            await look_again(self._store, self._owned, self._id, self._settings.spools, now, self._outbox.commit)
        await self._caught_up()

    async def _caught_up(self) -> None:
        """Return when all that we have written is folded."""
        while self._session.seq < self._outbox.head:
            self._changed.clear()
            await self._changed.wait()

    # A turn.

    async def _execute(self, turn: Turn) -> None:
        await self._outbox.commit(TurnStarted(turn=turn.id))
        faults.point("runner.turn_started")
        await self._caught_up()
        if self._session.running != turn.id:
            return  # it was withdrawn or cancelled before it started
        self._turn, self._ignored = turn.id, False
        self._prompting = asyncio.create_task(self._prompt(turn))
        self._react()
        result = await self._result(turn.id, self._prompting)
        self._prompting = None
        await self._host.finish()
        if (self._stopping and self._memory.clean) or (result.outcome == "cancelled" and self._ignored):
            await self._host.end()
        faults.point("runner.turn_ending")
        await self._outbox.commit(self._ending(turn.id, result))
        self._turn = None
        await self._caught_up()

    async def _result(self, turn: TurnId, prompting: "asyncio.Task[Result]") -> Result:
        try:
            return await prompting
        except asyncio.CancelledError:
            if self._stopping or self._cancelled == turn:
                return Result("cancelled")
            raise

    def _ending(self, turn: TurnId, result: Result) -> TurnEnded:
        if self._cancelled == turn:
            cut_off = self._host.spoke and not self._host.alive
            return TurnEnded(turn=turn, outcome="cancelled", error=ENDED if cut_off else "")
        if self._stopping:
            return TurnEnded(turn=turn, outcome="interrupted", error=STOPPED)
        if result.outcome == "completed" and not self._host.spoke:
            return TurnEnded(turn=turn, outcome="failed", error=SILENT, stderr=result.stderr)
        return TurnEnded(turn=turn, outcome=result.outcome, error=result.error, stderr=result.stderr)

    async def _prompt(self, turn: Turn) -> Result:
        """Hand the message to the agent; if that died and it is certain that nobody read it, to another one, once."""
        result, known = await self._hand_over(turn, known=True)
        if not result.unheard or self._host.spoke:
            return result
        await self._caught_up()
        told = self._session.turns[turn.id].steers  # they may count as told by now
        if told or self._cancelled == turn.id or self._stopping:
            return result
        log.info("agent.died_unheard", extra={"session": self._id, "turn": turn.id})
        return (await self._hand_over(turn, known=known))[0]

    async def _hand_over(self, turn: Turn, *, known: bool) -> tuple[Result, bool]:
        """Hand the message to the agent, and return also whether it had to be told no more than that.

        Who is given what another one has not read must be told what that one would have been.
        """
        try:
            known = await self._host.open(self._session) and known
        except (AgentUnusable, NoSuchAgent) as exc:
            stderr = exc.stderr if isinstance(exc, AgentUnusable) else ""
            log.warning("agent.unusable", extra={"session": self._id, "error": str(exc)})
            self._outbox.emit(AgentFailed(error=str(exc), stderr=stderr))
            return Result("failed", str(exc), stderr), known
        words = await self._words(turn, known=known)
        self._loop.call_soon(self._react)  # what people wished for while the agent was being opened
        return await self._host.prompt(turn, words), known

    async def _words(self, turn: Turn, *, known: bool) -> str:
        """What the agent is told: the message, with what it can't know."""
        text = turn.message.text
        if turn.message.continues is not None:
            return context.continued(text, turn.message.continues, await context.transcript(self._store, self._id))
        if known:
            return text
        return context.introduced(
            text, [item for item in await context.transcript(self._store, self._id) if item.turn != turn.id]
        )

    def _cancel(self, turn: TurnId) -> None:
        """Stop the agent politely; after five seconds, end its processes."""
        if self._cancelled == turn or self._prompting is None:
            return
        self._cancelled = turn
        if not self._host.prompting:
            self._prompting.cancel()  # the agent is not open yet, and nobody needs it now
            return
        self._host.cancel()
        self._loop.call_later(CANCEL_PATIENCE, self._insist, turn, self._prompting)

    def _insist(self, turn: TurnId, prompting: "asyncio.Task[Result]") -> None:
        if self._turn == turn and not prompting.done():
            log.warning("agent.ignored_cancel", extra={"session": self._id})
            self._ignored = True
            prompting.cancel()
