"""Brings to the agent what people decided, and decides by rule what a rule covers.

Law: what an answer permits is in the log, synced, before the agent is told, and it is told once. If this process dies
between the two, nobody repeats it. A rule's answer is a record like a person's, and loses to whatever lies before it.
"""

import contextlib
import logging
import time
from collections.abc import Iterable

from holdfast import faults
from holdfast.agents.acp.client import AcpAgent
from holdfast.agents.acp.connection import Gone
from holdfast.core import policy
from holdfast.core.decide import answer_key
from holdfast.core.errors import KeyTaken, StoreError
from holdfast.core.events import ApprovalAnswered, ApprovalDelivered, QuestionDelivered, Rule
from holdfast.core.house import House
from holdfast.core.ids import AskId, SessionId
from holdfast.core.items import Approval, Question
from holdfast.core.session import Session
from holdfast.door import Words
from holdfast.rules import note_use, remember
from holdfast.runner.ahead import Unheard, put_ahead
from holdfast.runner.asks import Asks
from holdfast.runner.outbox import Outbox
from holdfast.store.protocol import Store

log = logging.getLogger(__name__)


class Answers:
    """The answers to the asks of one session."""

    def __init__(self, session: SessionId, store: Store, outbox: Outbox, asks: Asks) -> None:
        self._session = session
        self._store = store
        self._outbox = outbox
        self._asks = asks
        self._ruled: set[AskId] = set()
        self._secrets: dict[tuple[AskId, str], str] = {}

    def take_secret(self, words: Words) -> bool:
        """Hold a secret answer until its record says that it counts; False if nobody waits for it."""
        if words.ask not in self._asks:
            return False
        self._secrets[words.ask, words.token] = words.text
        self._outbox.cover.learn(words.text, "secret answer")
        return True

    def clear(self) -> None:
        """The turn is over: nobody waits."""
        self._asks.clear()
        self._ruled.clear()
        self._secrets.clear()

    def given(self, session: Session) -> list[tuple[Approval | Question, list[str]]]:
        """What was answered and not delivered yet, with the agent's requests that wait for it. Each comes once."""
        asks = [session.ask(ask_id) for ask_id in session.asks if ask_id in self._asks]
        return [(ask, self._asks.settle(ask.ask)) for ask in asks if ask is not None and ask.state == "answered"]

    def covered(self, session: Session, house: House) -> list[tuple[Approval, tuple[Rule, ...]]]:
        """What waits though rules allow it. Each comes once, unless its answer could not be written."""
        rules = [*session.rules, *(remembered.rule for remembered in house.rules.values())]
        if not rules:
            return []
        asks = [session.ask(ask_id) for ask_id in session.asks if ask_id in self._asks and ask_id not in self._ruled]
        waiting = [ask for ask in asks if isinstance(ask, Approval) and ask.state == "open"]
        found = [(ask, allowing) for ask in waiting if (allowing := policy.covering(rules, ask))]
        self._ruled.update(ask.ask for ask, _ in found)
        return found

    async def allow(self, ask: Approval, rules: tuple[Rule, ...], lasting: Iterable[str]) -> None:
        """Answer by rule, where everybody sees it. Of `lasting` rules it is noted that they were used."""
        answered = ApprovalAnswered(
            ask=ask.ask,
            choice="once",
            by="rule",
            rule=rules[0].id,
            reason="; ".join(policy.sentence(rule) for rule in rules),
        )
        try:
            await self._store.append(self._session, [answered], key=answer_key(ask.ask))
        except KeyTaken:
            pass  # a person was first
        except StoreError:
            self._ruled.discard(ask.ask)
        else:
            await self._note_use(lasting)

    async def _note_use(self, rules: Iterable[str]) -> None:
        """When a rule was used last is good to know, and no reason for anything to fail."""
        for rule in rules:
            try:
                await note_use(self._store, rule, time.time_ns() // 1_000_000)
            except StoreError as exc:
                log.warning("rule.use_not_noted", extra={"session": self._session, "error": str(exc)})

    async def deliver(self, agent: AcpAgent, ask: Approval | Question, requests: list[str]) -> None:
        """Tell the agent."""
        match ask:
            case Approval():
                if ask.choice == "always":
                    await self._remember(ask)
                await self._outbox.commit(ApprovalDelivered(ask=ask.ask))
                faults.point("runner.delivered")
                for request in requests:
                    agent.answer_permission(request, allow=ask.choice != "deny", reason=ask.reason, digest=ask.digest)
                if ask.choice == "deny" and ask.reason:
                    await self._explain(agent, ask)
            case Question():
                await self._outbox.commit(QuestionDelivered(ask=ask.ask))
                faults.point("runner.delivered")
                text = self._secrets.pop((ask.ask, ask.token), None) if ask.secret else self._asks.meant(ask)
                for request in requests:
                    agent.answer_question(request, text)

    async def _remember(self, ask: Approval) -> None:
        """The server has done so, unless it died at that moment."""
        try:
            await remember(self._store, self._session, ask)
        except StoreError as exc:
            log.warning("rule.not_remembered", extra={"session": self._session, "error": str(exc)})

    async def _explain(self, agent: AcpAgent, ask: Approval) -> None:
        """Say why it was refused, to an agent that does not hear it with the refusal: now, or as the next turn."""
        if agent.takes_reasons:
            return
        words = f"I refused this step: {ask.command}\nBecause: {ask.reason}"
        with contextlib.suppress(Gone):
            if agent.can_steer and await agent.steer(words):
                return
        await put_ahead(self._store, self._session, [Unheard(words, ask.answered_from)])
