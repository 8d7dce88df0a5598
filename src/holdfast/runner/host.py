"""Hosts one agent: opens it, hears what it says and asks, and tells it what people decided.

What the agent asks goes into the log; what people decided comes from there, by way of `Answers`.
"""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

from holdfast import faults
from holdfast.agents.acp.asks import Elicited, Permission
from holdfast.agents.acp.client import AcpAgent, Result
from holdfast.agents.acp.connection import Gone
from holdfast.agents.spec import AgentSpec
from holdfast.core.events import (
    AnyFact,
    ApprovalAnswered,
    ApprovalDelivered,
    QuestionExpired,
    SteerDelivered,
    TextAppended,
    ThoughtAppended,
    ToolChanged,
)
from holdfast.core.house import House
from holdfast.core.ids import AskId, SessionId, TurnId, mint
from holdfast.core.items import Steer
from holdfast.core.session import Session
from holdfast.core.turns import Turn
from holdfast.known import learn_all
from holdfast.runner import context
from holdfast.runner.agents import Agents
from holdfast.runner.ahead import Unheard, put_ahead
from holdfast.runner.answers import Answers
from holdfast.runner.asks import Asks
from holdfast.runner.early import Early
from holdfast.runner.outbox import Outbox
from holdfast.settings import Settings
from holdfast.store.protocol import Store

TELLING = 1.0
"""Seconds that a cancel waits for answers that are on their way to the agent, and the end of a turn for the agent to
say whether it took words that steer."""
ASKS = 1_000
"""What may wait for a person at once; what is asked beyond that is refused at once."""
TOO_MANY = f"{ASKS} requests wait for an answer already."
log = logging.getLogger(__name__)


class Host:
    """The agent of one session, and the listener to what it does."""

    def __init__(
        self,
        session: SessionId,
        epoch: int,
        store: Store,
        outbox: Outbox,
        settings: Settings,
        find_agent: Callable[[str], AgentSpec],
        early: Early | None = None,
    ) -> None:
        self._session = session
        self._store = store
        self._outbox = outbox
        self._settings = settings
        self.agents = Agents(session, epoch, outbox, settings, find_agent, early)
        self._agent: AcpAgent | None = None
        self._agent_name = ""
        self._workspace = Path()
        self._asks = Asks(lambda: mint(secrets.token_bytes(10)))
        self._answers = Answers(session, store, outbox, self._asks)
        self.take_secret = self._answers.take_secret
        self._turn: TurnId | None = None
        self._steered: set[str] = set()
        self._deeds: set[asyncio.Task[None]] = set()
        self._telling: set[asyncio.Task[None]] = set()
        self._steering: set[asyncio.Task[None]] = set()
        self._unheard: list[Unheard] = []
        self.spoke = False

    # Opening and closing.

    async def open(self, session: Session) -> bool:
        """Have the agent that the session wants; return whether it knows the conversation.

        A changed choice, or a conversation from which something was removed, gets a new process; the one before is kept
        while it has turns that are not committed to memory. Raise `AgentUnusable` or `NoSuchAgent`.
        """
        self._agent, self._turn, self.spoke = None, None, False
        learn_all(self._outbox.cover, self._settings)
        hosted, known = await self.agents.open(session, self, self._unfinished)
        self._agent, self._agent_name, self._workspace = hosted.agent, hosted.name, hosted.workspace
        return known

    async def _unfinished(self) -> str:
        """What people saw of an answer that was cut off."""
        return context.unfinished(await context.transcript(self._store, self._session))

    async def close(self) -> None:
        """Let the agents end by themselves, shortly, and end what is left of them."""
        self._agent = None
        await self.agents.close()

    async def end(self) -> None:
        """End the agent and all that it started, now."""
        self._agent = None
        await self.agents.end()

    # A turn.

    async def prompt(self, turn: Turn, text: str) -> Result:
        """Hand the message to the agent that `open` has opened, and wait for the end of the turn."""
        if self._agent is None:
            return Result("failed", "The agent's process ended.")
        self._turn, self.spoke = turn.id, False
        return await self._agent.prompt(turn.id, text, turn.message.attachments)

    @property
    def prompting(self) -> bool:
        return self._turn is not None

    @property
    def alive(self) -> bool:
        """Whether the agent that `open` has opened still lives."""
        return self._agent is not None and self._agent.alive

    def cancel(self) -> None:
        """Ask the agent to stop. What is being recorded as told to it, it is told first."""
        if self._agent is not None:
            self._do(self._stop(self._agent, set(self._telling)))

    async def _stop(self, agent: AcpAgent, telling: set[asyncio.Task[None]]) -> None:
        if telling:
            await asyncio.wait(telling, timeout=TELLING)
        agent.cancel()

    async def finish(self) -> None:
        """The turn is over: nobody waits for an answer any more. Words that the agent refused are the next turn."""
        self._turn = None
        self._answers.clear()
        if self._steering:
            await asyncio.wait(self._steering, timeout=TELLING)
        unheard, self._unheard = self._unheard, []
        await put_ahead(self._store, self._session, unheard)
        for deed in list(self._deeds):
            deed.cancel()

    # What people decided.

    def react(self, session: Session, house: House) -> None:
        """Tell the agent what is new in the log. One that is asked to stop is told nothing more."""
        turn = None if session.running is None else session.turns.get(session.running)
        if self._agent is None or (turn is not None and turn.cancel_requested):
            return
        for ask, requests in self._answers.given(session):
            deed = self._do(self._answers.deliver(self._agent, ask, requests))
            self._telling.add(deed)
            deed.add_done_callback(self._telling.discard)
        for approval, rules in self._answers.covered(session, house):
            lasting = [rule.id for rule in rules if rule.id in house.rules]
            self._do(self._answers.allow(approval, rules, lasting))
        if turn is None or turn.id != self._turn or not self._agent.can_steer:
            return
        for words in [words for words in turn.steers.values() if words.steer not in self._steered]:
            self._steered.add(words.steer)
            deed = self._do(self._steer(self._agent, words))
            self._steering.add(deed)
            deed.add_done_callback(self._steering.discard)

    def _do(self, deed: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Do something beside the turn; it ends with the turn at the latest."""
        task = asyncio.create_task(deed)
        self._deeds.add(task)
        task.add_done_callback(self._deeds.discard)
        return task

    async def _steer(self, agent: AcpAgent, words: Steer) -> None:
        """Hand over words, once. If the agent dies before it says what became of them, they count as told."""
        await self._outbox.commit(SteerDelivered(turn=words.turn, steer=words.steer))
        faults.point("runner.steered")
        with contextlib.suppress(Gone):
            if not await agent.steer(words.text):
                self._unheard.append(Unheard(words.text, words.client))

    async def _expire(self, agent: AcpAgent, ask: AskId, seconds: int) -> None:
        """Release the agent when a question's time is over. The loop's clock stands still while the machine sleeps."""
        await asyncio.sleep(seconds)
        if ask not in self._asks:
            return
        requests = self._asks.settle(ask)
        await self._outbox.commit(QuestionExpired(ask=ask, reason="nobody answered in time"))
        for request in requests:
            agent.answer_question(request, None)

    # The agent's listener.

    def emit(self, fact: AnyFact) -> None:
        self.spoke = self.spoke or isinstance(fact, TextAppended | ThoughtAppended | ToolChanged)
        self._outbox.emit(fact)

    async def room(self) -> None:
        await self._outbox.room()

    def permission_requested(self, request: Permission) -> None:
        if len(self._asks) >= ASKS and self._agent is not None:
            self._agent.answer_permission(request.id, allow=False, reason=TOO_MANY)
        elif self._turn is not None:
            self.spoke = True
            where = str(self._workspace)
            self._outbox.emit(self._asks.request(self._turn, request, agent=self._agent_name, workspace=where))

    def decided(self, request: Permission, *, allow: bool) -> None:
        """Record that it asked and that it answered itself. What it permitted is done already; nobody is told."""
        if self._turn is None:
            return
        asked = self._asks.request(self._turn, request, agent=self._agent_name, workspace=str(self._workspace))
        self._asks.settle(asked.ask)
        self._outbox.emit(asked)
        self._outbox.emit(ApprovalAnswered(ask=asked.ask, choice="once" if allow else "deny", by="agent"))
        self._outbox.emit(ApprovalDelivered(ask=asked.ask))

    def question_asked(self, request: Elicited) -> None:
        if self._turn is None or self._agent is None:
            return
        if len(self._asks) >= ASKS:
            self._agent.answer_question(request.id, None)
            return
        self.spoke = True
        fact = self._asks.question(self._turn, request, time.time_ns() // 1_000_000)
        if fact is not None:
            self._outbox.emit(fact)
            if fact.timeout_seconds:
                self._do(self._expire(self._agent, fact.ask, fact.timeout_seconds))

    def ended(self, code: int | None, stderr: str) -> None:
        log.info("agent.ended", extra={"session": self._session, "code": code, "stderr": stderr[-200:]})
