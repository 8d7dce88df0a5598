"""Who works in one session: sends, queues, steers, stops, answers, takes up what was interrupted.

What is true is what browsers were sent (`Heard`). Whatever is sent names itself, so that trying again while servers die
has no second effect.
"""

import asyncio
from collections import Counter
from random import Random
from typing import Any, Literal

from holdfast.core.events import ApprovalRequested
from holdfast.core.ids import TurnId
from tests.crashes.home import Home
from tests.crashes.person import send
from tests.crashes.scripts import Script
from tests.crashes.verdict import Flaw
from tests.crashes.viewer import Stuck
from tests.soak.errands import errand
from tests.soak.heard import PATIENCE, Asked, Heard

Deed = Literal["nothing", "cancel", "queue", "withdraw", "steer", "interrupt"]
DEEDS: dict[Deed, int] = {"nothing": 50, "cancel": 10, "queue": 12, "withdraw": 5, "steer": 15, "interrupt": 8}
"""What is done while a turn runs, and how often of a hundred times."""
TAKEN, TOO_LATE = (200, 201), (404, 409)
REST = 1.5
"""Seconds that a person rests between two turns, at most."""


class Person:
    """`scripts` are what was sent, by the turn's id; `did` counts what was done."""

    def __init__(self, home: Home, heard: Heard, dice: Random, hands: asyncio.TaskGroup) -> None:
        self._home = home
        self._heard = heard
        self._dice = dice
        self._answers = Random(dice.random())
        self._hands = hands
        self._number = 0
        self.scripts: dict[str, Script] = {}
        self.did: Counter[str] = Counter()
        self.flaws: list[Flaw] = []

    async def create(self) -> None:
        """Begin the session, which nobody watches yet."""
        answer = await send(self._home, "POST", "/api/sessions", {"id": self._heard.name, "agent": "tour"}, PATIENCE)
        assert answer.status in TAKEN, answer

    async def work(self, deadline: float) -> None:
        """Work until the deadline (of the loop's clock), and end with nothing running or waiting."""
        while asyncio.get_running_loop().time() < deadline:
            await self._turn()
            await asyncio.sleep(self._dice.uniform(0, REST))

    async def finish(self) -> None:
        """Say something last: it must be answered."""
        await self._settled()
        turn = self._name()
        await self._submit(turn, Script("after", "!say after", "after"))
        await self._settled()
        outcome = self._heard.session.turns[TurnId(turn)].outcome
        if outcome != "completed":
            raise Stuck(f"{self._heard.name}: the last turn, which nobody disturbed, ended as {outcome}")

    async def attend(self) -> None:
        """Answer what is asked, for ever."""
        while True:
            asked = await self._heard.asked.get()
            self._hands.create_task(self._answer(asked, self._answers.randbytes(8)))

    # Turns.

    async def _turn(self) -> None:
        turn = self._name()
        await self._submit(turn, errand(self._dice, turn))
        deed = self._dice.choices(list(DEEDS), list(DEEDS.values()))[0]
        when = self._dice.randint(1, 20)
        if deed != "nothing":
            await self._heard.until(lambda: self._has_come(turn, when), f"{when} pieces of {turn}, or its end")
            await self._act(deed, turn)
        await self._settled()
        if self._heard.session.turns[TurnId(turn)].outcome == "interrupted" and self._dice.random() < 0.5:
            await self._take_up(turn)

    def _has_come(self, turn: str, pieces: int) -> bool:
        session = self._heard.session
        return self._heard.pieces.get(turn, 0) >= pieces or self._over(turn) or bool(session.asks)

    def _over(self, turn: str) -> bool:
        found = self._heard.session.turns.get(TurnId(turn))
        return found is None or found.outcome is not None or found.held

    async def _act(self, deed: Deed, turn: str) -> None:
        match deed:
            case "nothing":
                pass
            case "cancel":
                await self._do("cancels", self._path(f"turns/{turn}/cancel"))
            case "queue":
                for _ in range(self._dice.randint(1, 3)):
                    name = self._name()
                    await self._submit(name, errand(self._dice, name))
                    self.did["queued"] += 1
            case "withdraw":
                name = self._name()
                await self._submit(name, Script("queued", f"!say {name}", name))
                await self._do("withdrawals", self._path(f"turns/{name}/withdraw"))
            case "steer":
                name = self._name()
                self.scripts[name] = Script("steered", name)  # too late for its run, it becomes a turn
                await self._do("steers", self._path("turns"), {"id": name, "text": f"!say {name}", "mode": "steer"})
            case "interrupt":
                await self._submit(self._name(), Script("stream", "!say instead", "instead"), mode="interrupt")
                self.did["interrupts"] += 1

    async def _take_up(self, turn: str) -> None:
        name, script = self._name(), Script("stream", "!say taken up", "taken up")
        self.scripts[name] = script
        await self._do("continued", self._path(f"turns/{turn}/continue"), {"id": name, "text": script.text})
        await self._settled()

    async def _settled(self) -> None:
        """Wait until nothing runs or waits. What is held is let go on."""
        session = self._heard.session
        while True:
            await self._heard.until(self._still, "the end of all turns that run or wait")
            if not session.queue:
                return
            await self._do("releases", self._path("release"))

    def _still(self) -> bool:
        session = self._heard.session
        return not session.running and all(session.turns[turn].held for turn in session.queue)

    # Asks.

    async def _answer(self, asked: Asked, seed: bytes) -> None:
        """One or two people answer, not always alike; now and then somebody stops the turn instead."""
        dice = Random(seed)
        await asyncio.sleep(dice.uniform(0, 0.8))
        if dice.random() < 0.08:
            await self._do("cancels", self._path(f"turns/{asked.turn}/cancel"))
            return
        bodies = [_choose(asked, dice) for _ in range(dice.choice((1, 1, 2)))]
        path = self._path(f"asks/{asked.ask}")
        await asyncio.gather(*(self._do("answers", path, body) for body in bodies))

    # Requests.

    async def _submit(self, turn: str, script: Script, **more: Any) -> None:
        self.scripts[turn] = script
        await self._do("turns", self._path("turns"), {"id": turn, "text": script.text, **more})

    async def _do(self, what: str, path: str, body: object = None) -> None:
        """Ask for it until somebody answers, and return when browsers know of it. Too late is no failure."""
        answer = await send(self._home, "POST", path, body, PATIENCE)
        if answer.status in TAKEN:
            self.did[what] += 1
            await self._heard.reach(answer.body["seq"])
        elif answer.status in TOO_LATE and what != "turns":
            self.did[f"{what}, too late"] += 1
        else:
            self.flaws.append(Flaw("refused", f"POST {path} was answered {answer.status}: {answer.body}"))

    def _name(self) -> str:
        self._number += 1
        return f"{self._heard.name}-t{self._number}"

    def _path(self, rest: str) -> str:
        return f"/api/sessions/{self._heard.name}/{rest}"


def _choose(asked: Asked, dice: Random) -> dict[str, str]:
    if isinstance(asked, ApprovalRequested):
        return {"choice": dice.choice(("once", "once", "deny"))}
    return {"text": dice.choice(("red", "blue"))}
