"""A person at a browser: sends, answers, stops, steers, and tries again when the server does not answer.

Whatever is sent names itself (turn, steer, ask), so that trying again has no second effect.
"""

import asyncio
import contextlib
from typing import Any

from tests.crashes.home import Home
from tests.crashes.points import PATIENCE
from tests.crashes.scripts import OUTPUT, Deed, Script, paced
from tests.crashes.viewer import Frame, Stuck, Viewer
from tests.crashes.wire import Answer, ask

BUSY = (500, 502, 503, 507)


async def send(home: Home, method: str, path: str, body: object = None, patience: float = PATIENCE) -> Answer:
    """Send until somebody answers."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    while loop.time() < deadline:
        address = home.address()
        if address is not None:
            with contextlib.suppress(OSError, EOFError, TimeoutError):
                async with asyncio.timeout(patience):
                    answer = await ask(address, method, path, body)
                if answer.status not in BUSY:
                    return answer
        await asyncio.sleep(0.02)
    raise Stuck(f"nobody answered {method} {path}")


class Person:
    """`turns` are the scripts that were sent, by the turn's id; `hands` the tasks of what goes on beside the case."""

    def __init__(self, home: Home, viewer: Viewer, hands: asyncio.TaskGroup, attempt: int) -> None:
        self._home = home
        self._attempt = attempt
        self._viewer = viewer
        self._hands = hands
        self._session = viewer.session
        self.turns: dict[str, Script] = {}
        self.steers: list[str] = []
        self.answering = asyncio.Event()
        self.answering.set()
        self._deeds: list[asyncio.Task[None]] = []

    async def send(self, method: str, path: str, body: object = None) -> Answer:
        return await send(self._home, method, path, body)

    async def create(self) -> None:
        await self._post("/api/sessions", {"id": self._session})

    async def submit(self, turn: str, script: Script, **more: Any) -> None:
        self.turns[turn] = script
        await self._post(self._path("turns"), {"id": turn, "text": paced(script.text, self._attempt), **more})

    async def resume(self, turn: str, script: Script, interrupted: str) -> None:
        """Take up an interrupted turn with a new one."""
        self.turns[turn] = script
        await self._post(
            self._path(f"turns/{interrupted}/continue"), {"id": turn, "text": paced(script.text, self._attempt)}
        )

    def submit_soon(self, turn: str, script: Script) -> None:
        """Submit without waiting for the answer."""
        self._deeds.append(self._hands.create_task(self.submit(turn, script)))

    def resume_soon(self, turn: str, script: Script, interrupted: str) -> None:
        """Resume without waiting for the answer."""
        self._deeds.append(self._hands.create_task(self.resume(turn, script, interrupted)))

    def reload_soon(self) -> None:
        """Open the session anew as soon as there is a server."""
        self._hands.create_task(self.send("GET", self._path("").rstrip("/")))

    async def release(self) -> None:
        await self._post(self._path("release"))

    # What goes on beside.

    async def attend(self) -> None:
        """Answer what is asked, for ever."""
        seen = 0
        while True:
            frame = await self._viewer.next(seen)
            seen += 1
            if frame.kind in ("approval.requested", "question.asked"):
                self._hands.create_task(self._answer(frame))

    async def _answer(self, frame: Frame) -> None:
        await asyncio.sleep(0.03)
        await self.answering.wait()
        script = self.turns[frame.event["turn"]]
        body = {"choice": script.choice} if frame.kind == "approval.requested" else {"text": "red"}
        await self.send("POST", self._path(f"asks/{frame.event['ask']}"), body)  # too late is no failure

    def act(self, turn: str, script: Script) -> None:
        """Do the script's deeds when the turn has come so far."""
        if script.deeds:
            self._deeds.append(self._hands.create_task(self._act(turn, script)))

    async def done(self) -> None:
        """Wait until all deeds are done: who has asked for something waits for the answer before the next message."""
        await asyncio.gather(*self._deeds)

    async def _act(self, turn: str, script: Script) -> None:
        if not await self._viewer.sees_before("turn.ended", OUTPUT, script.when, turn=turn):
            return
        for number, deed in enumerate(script.deeds, 1):
            await self.do(deed, turn, f"{turn}-{number}")

    async def do(self, deed: Deed, turn: str, name: str) -> None:
        match deed:
            case "cancel":
                await self.send("POST", self._path(f"turns/{turn}/cancel"))
            case "queue":
                await self.submit(name, Script("queued", f"!say {name}", name))
            case "withdraw":
                await self.send("POST", self._path(f"turns/{name[:-1]}1/withdraw"))
            case "steer":
                self.steers.append(name)
                self.turns[name] = Script("steered", name, "")  # too late for its run, it becomes a turn
                await self._post(self._path("turns"), {"id": name, "text": f"!say {name}", "mode": "steer"})
            case "interrupt":
                await self.submit(name, Script("interrupts", f"!say {name}", name), mode="interrupt")

    async def _post(self, path: str, body: object = None) -> None:
        answer = await self.send("POST", path, body)
        assert answer.status in (200, 201), answer

    def _path(self, rest: str) -> str:
        return f"/api/sessions/{self._session}/{rest}"
