"""Kills whom the dice choose: servers, runners, agents; with SIGKILL, or politely as `holdfast stop` does.

In the storm, which comes first, servers die too. After it one server lives on and only half of the sessions are struck,
so that there are processes old enough to be judged.
"""

import asyncio
import contextlib
import os
import signal
from collections import Counter
from random import Random
from typing import Literal

from tests.crashes.home import Home
from tests.crashes.scene import kill
from tests.soak.plan import Plan

Blow = Literal[
    "server killed", "server restarted", "server and runner killed", "runner killed", "runner stopped", "agent killed"
]
STORM: dict[Blow, int] = {"server killed": 25, "server restarted": 20, "server and runner killed": 15}
CALM: dict[Blow, int] = {"runner killed": 35, "runner stopped": 10, "agent killed": 30}
AWAY = 1.5
"""Seconds that there is no server, at most, beside what it takes to start."""


class Blows:
    """Use `strike` as a task. `struck` counts the blows that met somebody; `deaths` is how servers must have ended."""

    def __init__(self, home: Home, plan: Plan) -> None:
        self._home = home
        self._plan = plan
        self._dice: Random = plan.dice("blows")
        self.struck: Counter[Blow] = Counter()
        self.deaths: list[int] = []

    async def strike(self, until: float) -> None:
        """Strike again and again until the loop's clock says `until`; there is a server then."""
        clock = asyncio.get_running_loop().time
        calm = until - self._plan.seconds + self._plan.storm
        while (pause := self._dice.expovariate(1 / self._plan.gap)) < until - clock():
            await asyncio.sleep(pause)
            await self._strike(storm=clock() < calm)
        await self._home.up()

    async def _strike(self, *, storm: bool) -> None:
        chances = STORM | CALM if storm else CALM
        blow = self._dice.choices(list(chances), list(chances.values()))[0]
        names = self._plan.names
        session = self._dice.choice(names if storm else names[: len(names) // 2])
        away = self._dice.uniform(0, AWAY)
        victims = self._victims(blow, session)
        if not all(victims):
            return
        self.struck[blow] += 1
        match blow:
            case "runner stopped":
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victims[0], signal.SIGTERM)  # it has half a minute to commit memory: nobody waits for it
            case "server restarted":
                await self._kill(victims, signal.SIGTERM)
                self.deaths.append(0)
            case "server killed" | "server and runner killed":
                await self._kill(victims, signal.SIGKILL)
                self.deaths.append(-signal.SIGKILL)
            case "runner killed" | "agent killed":
                await self._kill(victims, signal.SIGKILL)
        if not self._home.server:
            await asyncio.sleep(away)
            await self._home.up()

    def _victims(self, blow: Blow, session: str) -> list[int]:
        """Whom the blow is for; 0 for one who does not live."""
        match blow:
            case "server killed" | "server restarted":
                return [self._home.server]
            case "server and runner killed":
                return [self._home.server, self._home.runner(session)]
            case "runner killed" | "runner stopped":
                return [self._home.runner(session)]
            case "agent killed":
                return [self._home.agent(session)]

    async def _kill(self, victims: list[int], how: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
            await kill(victims, how)
