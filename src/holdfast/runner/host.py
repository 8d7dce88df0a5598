"""Hosts one agent: opens it, hears what it says and asks, and tells it what people decided.

Law: what an answer permits is in the log, synced, before the agent is told, and it is told once. If the host dies
between the two, nobody repeats it.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine

from holdfast import faults
from holdfast.agents.acp.client import AcpAgent, Elicited, Permission, Result
from holdfast.agents.catalog import AgentSpec
from holdfast.core.events import (
    AnyFact,
    ApprovalDelivered,
    QuestionDelivered,
    QuestionExpired,
    SteerDelivered,
    TextAppended,
    ThoughtAppended,
    ToolChanged,
)
from holdfast.core.ids import AskId, SessionId, TurnId, mint
from holdfast.core.items import Approval, Question, Steer
from holdfast.core.session import Session
from holdfast.core.turns import Turn
from holdfast.runner.agents import Agents
from holdfast.runner.asks import Asks
from holdfast.runner.outbox import Outbox
from holdfast.settings import Settings

log = logging.getLogger(__name__)


class Host:
    """The agent of one session, and the listener to what it does."""

    def __init__(
        self,
        session: SessionId,
        epoch: int,
        outbox: Outbox,
        settings: Settings,
        find_agent: Callable[[str], AgentSpec],
    ) -> None:
        self._session = session
        self._outbox = outbox
        self.agents = Agents(session, epoch, outbox, settings, find_agent)
        self._agent: AcpAgent | None = None
        self._asks = Asks(lambda: mint(secrets.token_bytes(10)))
        self._turn: TurnId | None = None
        self._steered: set[str] = set()
        self._deeds: set[asyncio.Task[None]] = set()
        self.spoke = False

    # Opening and closing.

    async def open(self, session: Session) -> bool:
        """Have the agent that the session wants; return whether it knows the conversation.

        A changed choice, or a conversation from which something was removed, gets a new process; the one before is kept
        while it has turns that are not committed to memory. Raise `AgentUnusable` or `NoSuchAgent`.
        """
        self._agent = None
        self._agent, known = await self.agents.open(session, self)
        return known

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

    def cancel(self) -> None:
        """Ask the agent to stop."""
        if self._agent is not None:
            self._agent.cancel()

    def finish(self) -> None:
        """The turn is over: nobody waits for an answer any more."""
        self._turn = None
        self._asks.clear()
        for deed in list(self._deeds):
            deed.cancel()

    # What people decided.

    def react(self, session: Session) -> None:
        """Tell the agent what is new in the log."""
        if self._agent is None:
            return
        for ask_id in session.asks:
            ask = session.ask(ask_id)
            if ask is not None and ask.state == "answered" and ask_id in self._asks:
                self._do(self._deliver(self._agent, ask, self._asks.settle(ask_id)))
        turn = None if session.running is None else session.turns.get(session.running)
        if turn is None or turn.id != self._turn or not self._agent.can_steer:
            return
        for words in [words for words in turn.steers.values() if words.steer not in self._steered]:
            self._steered.add(words.steer)
            self._do(self._steer(self._agent, words))

    def _do(self, deed: Coroutine[None, None, None]) -> None:
        """Do something beside the turn; it ends with the turn at the latest."""
        task = asyncio.create_task(deed)
        self._deeds.add(task)
        task.add_done_callback(self._deeds.discard)

    async def _deliver(self, agent: AcpAgent, ask: Approval | Question, requests: list[str]) -> None:
        delivered = ApprovalDelivered(ask=ask.ask) if isinstance(ask, Approval) else QuestionDelivered(ask=ask.ask)
        await self._outbox.commit(delivered)
        faults.point("runner.delivered")
        for request in requests:
            if isinstance(ask, Approval):
                agent.answer_permission(request, allow=ask.choice != "deny", reason=ask.reason)
            else:
                agent.answer_question(request, ask.answer)

    async def _steer(self, agent: AcpAgent, words: Steer) -> None:
        await self._outbox.commit(SteerDelivered(turn=words.turn, steer=words.steer))
        faults.point("runner.steered")
        await agent.steer(words.text)

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
        if self._turn is not None:
            self.spoke = True
            self._outbox.emit(self._asks.request(self._turn, request))

    def question_asked(self, request: Elicited) -> None:
        if self._turn is None or self._agent is None:
            return
        self.spoke = True
        fact = self._asks.question(self._turn, request, time.time_ns() // 1_000_000)
        if fact is not None:
            self._outbox.emit(fact)
            if fact.timeout_seconds:
                self._do(self._expire(self._agent, fact.ask, fact.timeout_seconds))

    def ended(self, code: int | None, stderr: str) -> None:
        log.info("agent.ended", extra={"session": self._session, "code": code, "stderr": stderr[-200:]})
