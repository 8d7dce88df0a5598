"""What the store's tests are played with: a clock, a runner that writes facts, a reader that sees what browsers see."""

from collections.abc import Callable, Sequence
from typing import Self

import msgspec

from holdfast.core import events as e
from holdfast.core import recovery, window
from holdfast.core.ids import CallId, SessionId, TurnId
from holdfast.core.records import Position, Record
from holdfast.core.session import Session
from holdfast.core.window import Settled
from holdfast.store.protocol import Appended, Query, Row, Store
from tests.core.shelf import Shown, joined

S1 = SessionId("s1")
T1 = TurnId("t1")
T2 = TurnId("t2")
C1 = CallId("c1")
EVERYTHING = 1_000_000


class Clock:
    """Milliseconds that pass only when somebody looks."""

    def __init__(self) -> None:
        self.time = 1_000_000

    def __call__(self) -> int:
        self.time += 1
        return self.time


class Run:
    """A runner of the tests: it owns a session and writes facts, one position after the other."""

    def __init__(self, store: Store, session: SessionId, epoch: int, n: int = 0) -> None:
        self.store = store
        self.session = session
        self.epoch = epoch
        self.n = n

    @classmethod
    async def claim(
        cls,
        store: Store,
        session: SessionId = S1,
        loss: Callable[[Session], Sequence[e.AnyFact]] = recovery.loss,
    ) -> Self:
        """Claim the session as a runner does: what the loss means, and then its own start."""
        written: list[int] = []

        def all_facts(state: Session) -> list[e.AnyFact]:
            facts = [*loss(state), e.RunnerStarted()]
            written.append(len(facts))
            return facts

        claimed = await store.claim(session, all_facts)
        return cls(store, session, claimed.epoch, written[-1])

    @property
    def next(self) -> Position:
        return Position(epoch=self.epoch, n=self.n + 1)

    async def write(self, *facts: e.Event, key: str | None = None) -> Appended:
        """Append facts at the next position."""
        appended = await self.store.append(self.session, facts, position=self.next, key=key)
        self.n += len(facts)
        return appended

    async def start(self, turn: TurnId = T1, text: str = "do it") -> None:
        """Submit a turn and start it."""
        await submit(self.store, turn, text, session=self.session)
        await self.write(e.TurnStarted(turn=turn))

    async def say(self, text: str, turn: TurnId = T1) -> Appended:
        return await self.write(e.TextAppended(turn=turn, text=text))

    async def end(self, turn: TurnId = T1, outcome: e.Outcome = "completed") -> Appended:
        return await self.write(e.TurnEnded(turn=turn, outcome=outcome))

    async def talk(self, turn: TurnId, text: str, answer: str) -> None:
        """One whole turn."""
        await self.start(turn, text)
        await self.say(answer, turn)
        await self.end(turn)


async def created(store: Store, session: SessionId = S1, title: str = "A title", project: str = "") -> SessionId:
    await store.create(session, e.SessionCreated(title=title, project=project))
    return session


async def submit(store: Store, turn: TurnId = T1, text: str = "do it", session: SessionId = S1) -> Appended:
    return await store.append(session, [e.TurnSubmitted(turn=turn, text=text)], key=f"turn:{turn}")


async def log(store: Store, session: SessionId = S1) -> list[Record]:
    return await store.read(session, 0, EVERYTHING)


async def events(store: Store, session: SessionId = S1) -> list[e.Event]:
    return [record.event for record in await log(store, session)]


async def settled(store: Store, session: SessionId = S1) -> list[Settled]:
    """The items of all pages, page by page."""
    last = (await store.open(session)).page.number
    return [entry for number in range(1, last + 1) for entry in (await store.page(session, number)).items]


async def shown(store: Store, session: SessionId = S1) -> list[Shown]:
    """What a reader sees who scrolled up to the first page: every item once, long texts joined."""
    entries = [*await settled(store, session), *window.transcript((await store.open(session)).session)]
    places = [(entry.number, entry.item.k, entry.part) for entry in entries]
    assert len(places) == len(set(places)), "an item is both on a page and in the state, or on two pages"
    return joined(entry for _, entry in sorted(zip(places, entries, strict=True), key=lambda pair: pair[0]))


async def row(store: Store, session: SessionId = S1) -> Row:
    """The session's line in the list."""
    (found,) = [row for row in (await store.sessions(Query(limit=100))).rows if row.id == session]
    return found


async def names(store: Store, query: Query | None = None) -> list[str]:
    return [row.id for row in (await store.sessions(query or Query())).rows]


def untimed(appended: Appended) -> Appended:
    """Where events lie, whenever they were stored."""
    return msgspec.structs.replace(appended, time=0)
