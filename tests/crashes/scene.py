"""One session of one home in which something dies: the acts that a case is made of."""

import asyncio
import contextlib
import os
import select
import signal
import time
from collections.abc import AsyncGenerator
from typing import Literal, NamedTuple

from tests.crashes.home import Home
from tests.crashes.person import Person
from tests.crashes.points import PATIENCE, state
from tests.crashes.scripts import OUTPUT, Script
from tests.crashes.viewer import Stuck, Viewer

Victim = Literal["server", "runner", "agent"]

AFTER = Script("after", "!say after", "after")


class Missed(Exception):
    """Nothing ran and nothing was asked when the blow fell: the case does not count."""


class Kill(NamedTuple):
    """Who was killed, when (ms since 1970), and which turn ran then. `frozen`: its runner stood still: it is sure."""

    victims: tuple[Victim, ...]
    time: int
    turn: str
    frozen: bool


class Scene:
    """Use `scene`."""

    def __init__(self, home: Home, session: str, viewer: Viewer, person: Person) -> None:
        self.home = home
        self.session = session
        self.viewer = viewer
        self.person = person
        self.kills: list[Kill] = []
        self.struck: set[Victim] = set()
        self.spooled: set[tuple[int, int]] = set()
        self.struck_at = 0.0
        self.seconds = 0.0

    # The course of a case.

    async def begin(self, script: Script, turn: str = "t1") -> None:
        self.person.act(turn, script)
        await self.person.submit(turn, script)

    async def output(self, count: int, turn: str = "t1") -> None:
        """Wait until the turn has put out so much. A busy machine makes fewer and longer pieces of it."""
        if not await self.viewer.sees_before("turn.ended", OUTPUT, count, turn=turn):
            raise Missed("the turn was over too soon")

    async def strike(self, *victims: Victim, counts: bool = True, how: signal.Signals = signal.SIGKILL) -> None:
        """Kill them all at once, while a turn runs or an ask is open."""
        living: dict[Victim, int] = {victim: pid for victim in victims if (pid := self.pid(victim))}
        if len(living) < len(victims) and counts:
            raise Missed(f"not all of {', '.join(victims)} live")
        session = self.home.state(self.session)
        turn = session.running or ""
        if counts and not turn and not session.asks:
            raise Missed("nothing runs")
        now, frozen = _now(), state(self.pid("runner")) == "T"
        await kill(list(living.values()), how)
        self.struck |= set(living)
        self.struck_at = time.monotonic()
        if counts:
            self.kills.append(Kill(victims, now, turn, frozen))

    def pid(self, victim: Victim) -> int:
        match victim:
            case "server":
                return self.home.server
            case "runner":
                return self.home.runner(self.session)
            case "agent":
                return self.home.agent(self.session)

    async def finish(self) -> None:
        """The person writes again: it must be answered, and then everything else that waits."""
        await self.home.up()
        since = max(self.home.up_at, self.struck_at)
        await self.person.done()
        await self.person.submit("after", AFTER)
        await self._drain()
        self.seconds = time.monotonic() - since
        ended = await self.viewer.see("turn.ended", turn="after")
        if ended.event["outcome"] != "completed":
            raise Stuck(f"the next turn ended as {ended.event['outcome']}: {ended.event.get('error')}")
        await self._recovered()

    async def _recovered(self) -> None:
        """What a marker says may still arrive is waited for: the next owner looks for it when its turn is over."""
        deadline = time.monotonic() + PATIENCE
        while self.home.state(self.session).recovering:
            if time.monotonic() > deadline:
                raise Stuck("recovery is pending for ever")
            await asyncio.sleep(0.02)

    async def _drain(self) -> None:
        """Let what is held run, until nothing waits. What was sent before the loss was noticed is held, too."""
        deadline = time.monotonic() + PATIENCE
        while (session := self.home.state(self.session)).queue or session.running:
            if any(session.turns[turn].held for turn in session.queue) and not session.running:
                await self.person.release()
            if time.monotonic() > deadline:
                raise Stuck(f"these wait for ever: {session.queue or session.running}")
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def scene(home: Home, session: str, attempt: int = 1) -> AsyncGenerator[Scene]:
    """A new session, watched and attended to."""
    async with asyncio.TaskGroup() as hands:
        viewer = Viewer(home, session)
        person = Person(home, viewer, hands, attempt)
        await person.create()
        tasks = [hands.create_task(viewer.watch()), hands.create_task(person.attend())]
        yield Scene(home, session, viewer, person)
        for task in tasks:
            task.cancel()


def _now() -> int:
    return time.time_ns() // 1_000_000


async def kill(pids: list[int], how: signal.Signals) -> None:
    """Return when they are gone with all their threads: the first thread of a process may be dead before the others."""
    held = [os.pidfd_open(pid) for pid in pids]
    try:
        for process in held:
            signal.pidfd_send_signal(process, how)
        deadline = time.monotonic() + PATIENCE
        while len(select.select(held, [], [], 0)[0]) < len(held):
            if time.monotonic() > deadline:
                raise Stuck(f"killed, and still there: {pids}")
            await asyncio.sleep(0.002)
    finally:
        for process in held:
            os.close(process)
