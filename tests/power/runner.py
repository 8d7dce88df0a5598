"""A runner: claims its session and streams what an agent would do in it."""

import asyncio
import itertools
import random

from holdfast.core import events as e
from holdfast.core import recovery
from holdfast.core.decide import end_key
from holdfast.core.ids import AskId, CallId, SessionId, TurnId
from holdfast.core.items import Approval
from holdfast.core.records import Position
from holdfast.core.session import Session
from tests.power.witness import Witness

TITLED = e.SessionCreated(title="A session")
SPOOLED = 1_000_000
"""The position of the first spooled fact: beyond all that any owner comes to."""


class Runner:
    """Steps are small and random; with a `calm` one, nothing but text streams."""

    def __init__(self, witness: Witness, session: SessionId, dice: random.Random, *, calm: bool) -> None:
        self._witness = witness
        self._session = session
        self._dice = dice
        self._calm = calm
        self._epoch = 0
        self._n = 0
        self._names = itertools.count(1)
        self._calls: list[CallId] = []
        self._interrupted: TurnId | None = None

    async def begin(self) -> None:
        """Take the session, say what was lost, and bring in what the last owner had spooled."""
        claimed = await self._witness.claim(self._session, self._first_facts)
        self._epoch, self._n, self._calls = claimed.epoch, claimed.n, []
        await self._fact(e.AgentOpened(agent="scripted", pid=2))
        if self._interrupted is not None:
            spool = [(Position(epoch=self._epoch - 1, n=SPOOLED + i), self._text(self._interrupted)) for i in range(3)]
            await self._witness.adopt(self._session, spool, turn=self._interrupted, epoch=self._epoch)

    async def step(self) -> None:
        session = await self._witness.look(self._session)
        if session.running is None:
            await self._start(session)
        elif self._calm:
            await self._stream(session.running)
        else:
            await self._work(session, session.running)
        await asyncio.sleep(self._dice.uniform(0.02, 0.05) if self._calm else self._dice.uniform(0, 0.006))

    async def repeat(self) -> None:
        """Ask once more for what is there already."""
        await self._witness.create(self._session, TITLED)

    def _first_facts(self, session: Session) -> list[e.AnyFact]:
        """What the claim itself writes: what the loss of the last owner means, and that a new one is there."""
        self._interrupted = session.running
        return [*recovery.loss(session), e.RunnerStarted(pid=1)]

    async def _start(self, session: Session) -> None:
        waiting = [turn for turn in session.queue if not session.turns[turn].held]
        if waiting:
            self._calls = []
            await self._fact(e.TurnStarted(turn=waiting[0]))

    async def _work(self, session: Session, turn: TurnId) -> None:
        answered = [ask for ask in session.asks if _is_answered(session, ask)]
        if session.turns[turn].cancel_requested:
            await self._fact(e.TurnEnded(turn=turn, outcome="cancelled"), key=end_key(turn))
        elif answered:
            await self._deliver(session, answered[0])
        elif session.turns[turn].steers:
            await self._fact(e.SteerDelivered(turn=turn, steer=next(iter(session.turns[turn].steers))))
        else:
            await self._act(session, turn)

    async def _act(self, session: Session, turn: TurnId) -> None:
        match self._dice.choices(
            ("stream", "think", "tool", "ask", "report", "end", "reclaim"), (40, 10, 30, 6, 6, 4, 1)
        )[0]:
            case "stream":
                await self._stream(turn)
            case "think":
                await self._fact(e.ThoughtAppended(turn=turn, text=self._words()))
            case "tool":
                await self._use_tool(turn)
            case "ask" if len(session.asks) < 3:
                await self._ask(turn)
            case "report":
                await self._report(turn)
            case "end" if not session.asks:
                await self._fact(e.TurnEnded(turn=turn, outcome="completed"), key=end_key(turn))
            case "reclaim":
                await self.begin()
            case _:
                pass

    async def _stream(self, turn: TurnId) -> None:
        """Several appends in flight, as an outbox has them."""
        batches = [[self._text(turn) for _ in range(self._dice.randint(1, 3))] for _ in range(self._dice.randint(1, 4))]
        async with asyncio.TaskGroup() as group:
            for batch in batches:
                group.create_task(self._witness.append(self._session, batch, position=self._next(len(batch))))

    async def _use_tool(self, turn: TurnId) -> None:
        if self._calls and self._dice.random() < 0.7:
            call, last = self._dice.choice(self._calls), self._dice.random() < 0.4
            if last:
                self._calls.remove(call)
            await self._fact(
                e.ToolChanged(turn=turn, call=call, appended=self._words(), status="completed" if last else "running")
            )
        else:
            self._calls.append(CallId(self._name("c")))
            await self._fact(e.ToolChanged(turn=turn, call=self._calls[-1], first=True, name="run", title="Run it"))

    async def _ask(self, turn: TurnId) -> None:
        ask = AskId(self._name("a"))
        if self._dice.random() < 0.5:
            await self._fact(e.ApprovalRequested(ask=ask, turn=turn, command=self._words()))
        else:
            await self._fact(e.QuestionAsked(ask=ask, turn=turn, text=self._words()))

    async def _deliver(self, session: Session, ask: AskId) -> None:
        kind = e.ApprovalDelivered if isinstance(session.ask(ask), Approval) else e.QuestionDelivered
        await self._fact(kind(ask=ask))

    async def _report(self, turn: TurnId) -> None:
        entries = tuple(e.PlanEntry(text=self._words()) for _ in range(3))
        await self._fact(
            self._dice.choice(
                (
                    e.UsageReported(turn=turn, input=10, output=20, cost=5),
                    e.PlanReplaced(turn=turn, entries=entries),
                    e.NoticeRaised(turn=turn, text=self._words()),
                    e.TitleSuggested(title=self._words()[:40]),
                )
            )
        )

    async def _fact(self, event: e.AnyFact, *, key: str | None = None) -> None:
        await self._witness.append(self._session, [event], position=self._next(1), key=key)

    def _next(self, count: int) -> Position:
        position = Position(epoch=self._epoch, n=self._n + 1)
        self._n += count
        return position

    def _text(self, turn: TurnId) -> e.TextAppended:
        return e.TextAppended(turn=turn, text=self._words())

    def _words(self) -> str:
        """Words that nobody else says, now and then a page of them."""
        length = self._dice.choices((2, 10, 40, 400), (60, 30, 9, 1))[0]
        return " ".join(self._name("w") for _ in range(length)) + " "

    def _name(self, letter: str) -> str:
        return f"{letter}{self._witness.who}-{next(self._names)}"


def _is_answered(session: Session, ask: AskId) -> bool:
    item = session.ask(ask)
    return item is not None and item.state == "answered"
