"""The built-in agent inside of the test's own process, joined to our client as its child would be.

Its process takes seconds to start on a busy machine; what is told here needs none. `test_process` and the journeys with
real agents start it as it is.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from holdfast.agents import catalog
from holdfast.agents.acp.client import AcpAgent
from holdfast.agents.builtin.agent import Agent
from holdfast.agents.builtin.link import Link
from holdfast.agents.child import Child
from holdfast.agents.tree import HOME
from holdfast.settings import Settings
from tests.agents.audience import Audience


class Inside:
    """As much of `Child` as the client uses."""

    def __init__(self, settings: Settings) -> None:
        self._said: asyncio.Queue[bytes] = asyncio.Queue()
        self._over = asyncio.Event()
        self._turns: set[asyncio.Task[str]] = set()
        self._agent = Agent(Link(Said(self._said)), settings, {}, self._spawn)
        self.pid, self.born, self.group, self.stderr, self.tag = os.getpid(), 0, 0, "", ""
        self.told, self.heard = 0, None

    def _spawn(self, turn: Coroutine[Any, Any, str]) -> "asyncio.Task[str]":
        task = asyncio.create_task(turn)
        self._turns.add(task)
        task.add_done_callback(self._turns.discard)
        return task

    @property
    def code(self) -> int | None:
        return 0 if self._over.is_set() else None

    def write(self, data: bytes) -> None:
        self.told += len(data)
        asyncio.get_running_loop().call_soon(self._agent.feed, data)

    async def read(self) -> bytes:
        return await self._said.get()

    async def wait(self) -> int:
        await self._over.wait()
        return 0

    def hang_up(self) -> None:
        for task in self._turns:
            task.cancel()
        self._over.set()
        self._said.put_nowait(b"")

    def terminate(self) -> None:
        self.hang_up()

    async def end(self) -> set[int]:
        self.hang_up()
        if self._turns:
            await asyncio.wait(set(self._turns))
        await self._agent.close()
        return set()


class Said:
    def __init__(self, said: "asyncio.Queue[bytes]") -> None:
        self._said = said

    def write(self, data: bytes, /) -> None:
        self._said.put_nowait(data)

    async def drain(self) -> None:
        await asyncio.sleep(0)


@asynccontextmanager
async def opened(
    audience: Audience, workspace: Path, settings: Settings, reference: str = ""
) -> AsyncGenerator[AcpAgent]:
    """The agent for the length of the block, in a new conversation or in the one that `reference` names."""

    async def start(*_: Any, **__: Any) -> Inside:
        return Inside(settings)

    with patch.object(Child, "start", start), patch.dict(os.environ, {HOME: str(settings.home)}):
        agent = await AcpAgent.open(
            catalog.find("builtin"),
            workspace=workspace,
            tag=f"{workspace.parent.name}:1",
            listener=audience,
            reference=reference,
            home=str(settings.home),
        )
        try:
            yield agent
        finally:
            await agent.close()
