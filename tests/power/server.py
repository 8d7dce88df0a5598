"""A server: appends what people do to the sessions of all runners, and to the house."""

import asyncio
import itertools
import random

from holdfast.core import events as e
from holdfast.core.decide import answer_key, turn_key
from holdfast.core.ids import HOUSE, AskId, SessionId, SteerId, TurnId
from holdfast.core.items import Approval
from holdfast.core.session import Session
from tests.power.witness import Witness


class Server:
    """A `calm` one submits a turn where nothing runs, and then leaves people in peace."""

    def __init__(self, witness: Witness, sessions: list[SessionId], dice: random.Random, *, calm: bool) -> None:
        self._witness = witness
        self._sessions = sessions
        self._dice = dice
        self._calm = calm
        self._names = itertools.count(1)

    async def step(self) -> None:
        for session_id in self._sessions:
            session = await self._witness.look(session_id)
            if any(session.turns[turn].held for turn in session.queue):
                await self._witness.append(session_id, [e.TurnReleased()])
            elif session.running is None and not session.queue:
                await self._submit(session_id)
            elif not self._calm:
                await self._act(session_id, session)
        await asyncio.sleep(self._dice.uniform(0.005, 0.03))

    async def _act(self, session_id: SessionId, session: Session) -> None:
        unanswered = [ask for ask in session.asks if _is_open(session, ask)]
        if unanswered and self._dice.random() < 0.7:
            await self._answer(session_id, session, unanswered[0])
            return
        match self._dice.choices(
            ("submit", "steer", "cancel", "rename", "see", "truncate", "set", "search"), (3, 3, 1, 2, 4, 1, 2, 1)
        )[0]:
            case "submit" if len(session.queue) < 3:
                await self._submit(session_id)
            case "steer" if session.running is not None:
                steer = SteerId(self._name("s"))
                event = e.TurnSteered(turn=session.running, steer=steer, text="Rather so.")
                await self._witness.append(session_id, [event], key=turn_key(steer))
            case "cancel" if session.running is not None:
                await self._witness.append(session_id, [e.TurnCancelRequested(turn=session.running)])
            case "rename":
                await self._witness.append(session_id, [e.SessionRenamed(title=self._name("Title "))])
            case "see":
                await self._witness.append(session_id, [e.SessionChanged(seen=session.seq, tags=(self._name("t"),))])
            case "truncate":
                await self._witness.append(session_id, [e.HistoryTruncated(turn=self._some_turn(session))])
            case "set":
                await self._witness.append(HOUSE, [e.Unknown("setting.changed", {"value": self._name("v")})])
            case "search":
                await self._witness.store.search("w", limit=3)
            case _:
                pass

    async def _submit(self, session_id: SessionId) -> None:
        turn = TurnId(self._name("t"))
        event = e.TurnSubmitted(turn=turn, text=f"Do {turn} " + "and more " * self._dice.randint(0, 30))
        await self._witness.append(session_id, [event], key=turn_key(turn))

    async def _answer(self, session_id: SessionId, session: Session, ask: AskId) -> None:
        """Answer, and now and then click twice."""
        is_approval = isinstance(session.ask(ask), Approval)
        event = e.ApprovalAnswered(ask=ask, choice="once") if is_approval else e.QuestionAnswered(ask=ask, text="Yes.")
        for _ in range(self._dice.choice((1, 1, 2))):
            await self._witness.append(session_id, [event], key=answer_key(ask))

    def _some_turn(self, session: Session) -> TurnId | None:
        return self._dice.choice([*session.turns, TurnId("gone")])

    def _name(self, letter: str) -> str:
        return f"{letter}{self._witness.who}-{next(self._names)}"


def _is_open(session: Session, ask: AskId) -> bool:
    item = session.ask(ask)
    return item is not None and item.state == "open"
