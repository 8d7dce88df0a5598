"""A runner at work in this process, with a real store and a real agent, and no server."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from holdfast.agents.catalog import TOUR
from holdfast.agents.spec import AgentSpec
from holdfast.core.events import Event, SessionCreated, TurnReleased, TurnSteered, TurnSubmitted, TurnWithdrawn
from holdfast.core.ids import SessionId, SteerId, TurnId
from holdfast.core.items import Item, Text
from holdfast.core.records import Position, Record
from holdfast.core.session import Session
from holdfast.core.window import transcript
from holdfast.ownership import Lock
from holdfast.runner.host import Host
from holdfast.runner.outbox import Outbox
from holdfast.runner.runner import Runner
from holdfast.salvage import take_over
from holdfast.settings import Settings
from holdfast.store.spool import Spool, spool_path
from holdfast.store.sqlite.store import SqliteStore

S = SessionId("s")
PATIENCE = 30.0
PROGRAMS = Path(__file__).with_name("programs")
PARROT, STUBBORN = PROGRAMS / "parrot.py", PROGRAMS / "stubborn.py"
STUBBORN_WAYS = ("refusing", "dying", "quitting", "mute", "late", "deaf")
T = TypeVar("T")


def agent(name: str) -> AgentSpec:
    """The tour; a stubborn one; or, by any other name, a parrot of that name."""
    if name in ("", TOUR.name):
        return TOUR
    program = STUBBORN if name in STUBBORN_WAYS else PARROT
    return AgentSpec(name=name, title=name, command=(sys.executable, str(program), name))


class Stage:
    """A session and its runner. What a person does is appended; what is true is read."""

    def __init__(self, home: Path, store: SqliteStore) -> None:
        self.settings = Settings(home=home)
        self.store = store
        self.runner: Runner | None = None

    # What a person does.

    async def append(self, *events: Event, key: str | None = None) -> None:
        await self.store.append(S, list(events), key=key)

    async def say(self, turn: str, text: str) -> None:
        await self.append(TurnSubmitted(turn=TurnId(turn), text=text), key=f"turn:{turn}")

    async def steer(self, turn: str, steer: str, text: str) -> None:
        await self.append(TurnSteered(turn=TurnId(turn), steer=SteerId(steer), text=text), key=f"turn:{steer}")

    async def release(self, turn: str | None = None) -> None:
        await self.append(TurnReleased(turn=None if turn is None else TurnId(turn)))

    async def withdraw(self, turn: str) -> None:
        await self.append(TurnWithdrawn(turn=TurnId(turn)))

    # What is true.

    async def session(self) -> Session:
        return (await self.store.open(S)).session

    async def records(self) -> list[Record]:
        return await self.store.read(S, 0, 100_000)

    async def kinds(self) -> list[str]:
        return [record.event.__class__.__name__ for record in await self.records()]

    async def items(self, turn: str) -> list[Item]:
        opened = await self.store.open(S)
        entries = [*opened.page.items, *transcript(opened.session)]
        entries.sort(key=lambda entry: (entry.number, entry.item.k))
        return [entry.item for entry in entries if entry.item.turn == turn]

    async def text(self, turn: str) -> str:
        return "".join(item.text for item in await self.items(turn) if isinstance(item, Text))

    async def order(self) -> list[str]:
        """The turns in the order in which they were started."""
        started = [record.event for record in await self.records() if record.event.__class__.__name__ == "TurnStarted"]
        return [str(getattr(event, "turn")) for event in started]  # noqa: B009  known by its class alone

    async def until(self, holds: Callable[[Session], object], what: str) -> Session:
        """Return the session when something is true of it."""
        deadline = time.monotonic() + PATIENCE
        while not holds(session := await self.session()):
            assert time.monotonic() < deadline, f"after {PATIENCE:.0f} s there is still not: {what}"
            await asyncio.sleep(0.005)
        return session

    async def until_ended(self, turn: str, outcome: str = "completed") -> None:
        deadline = time.monotonic() + PATIENCE
        while not [item for item in await self.items(turn) if item.k >= 1_000_000_000]:
            assert time.monotonic() < deadline, f"{turn} has no end after {PATIENCE:.0f} s"
            await asyncio.sleep(0.005)
        end = (await self.items(turn))[-1]
        assert getattr(end, "outcome", None) == outcome, end

    async def until_said(self, turn: str, words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in await self.text(turn):
            assert time.monotonic() < deadline, f"{turn} has not said {words!r} after {PATIENCE:.0f} s"
            await asyncio.sleep(0.005)

    # Its runner.

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Runner]:
        """Run the session for the length of the block, as its owner."""
        lock = Lock.take(self.settings.locks, S)
        assert lock is not None
        owned = await take_over(self.store, lock, self.settings, time.time_ns() // 1_000_000)
        spool = Spool.reserve(spool_path(self.settings.spools, S, owned.epoch), 1 << 20)
        outbox = Outbox(self.store, S, Position(epoch=owned.epoch, n=owned.n), spool, tell=lock.tell)
        host = Host(S, owned.epoch, self.store, outbox, self.settings, agent)
        self.runner = Runner(store=self.store, lock=lock, owned=owned, outbox=outbox, host=host, settings=self.settings)
        work = asyncio.create_task(self.runner.run())
        try:
            yield self.runner
        finally:
            self.runner.stop()
            await asyncio.wait_for(work, PATIENCE)
            spool.remove()
            lock.release()


@asynccontextmanager
async def staged(folder: Path, agent_name: str = "") -> AsyncGenerator[Stage]:
    """A home with one session."""
    store = await SqliteStore.open_folder(folder / "store")
    try:
        await store.create(S, SessionCreated(title="Stage", agent=agent_name))
        yield Stage(folder, store)
    finally:
        await store.close()
