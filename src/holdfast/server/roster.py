"""Which agents there are, as the server knows it. Looking takes a while, so nobody waits for it.

Law: whoever asks gets what the last look found, at once, and is told whether another one goes on. Only a session that
names no agent waits for the very first look, and not for long.
"""

import asyncio
import contextlib
import logging
import os
import shutil
from collections.abc import Callable

import msgspec

from holdfast.agents.acp.client import AcpAgent, AgentUnusable
from holdfast.agents.acp.listener import Deaf
from holdfast.agents.catalog import TOUR
from holdfast.agents.spec import AgentSpec
from holdfast.agents.survey import Survey, Surveyed
from holdfast.core.events import AgentDescribed
from holdfast.settings import Settings

log = logging.getLogger(__name__)

FIRST_LOOK = 3.0
"""Seconds that a session without an agent waits for the first look."""
STALE = 60.0
"""Seconds after which a question begins a new look, beside."""
CHECK = 45.0
"""Seconds that an agent gets to show that it works."""


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an agent could be started just now, and what it said of itself."""

    ready: bool
    reason: str = ""
    version: str = ""
    described: AgentDescribed | None = None


class Roster:
    """`look` surveys the machine, in a thread; it may take seconds."""

    def __init__(self, settings: Settings, look: Callable[[], Survey], find_agent: Callable[[str], AgentSpec]) -> None:
        self._settings = settings
        self._look = look
        self._find_agent = find_agent
        self._survey: Survey | None = None
        self._at = 0.0
        self._busy = False
        self._first = asyncio.Event()
        self._wanted = asyncio.Event()
        self._checking: dict[str, asyncio.Task[Checked]] = {}
        self._checked: dict[str, Checked] = {}

    # What is known.

    @property
    def looking(self) -> bool:
        return self._survey is None or self._busy or self._wanted.is_set()

    @property
    def survey(self) -> Survey:
        """What the last look found, with what agents said of themselves since."""
        if self._survey is None or asyncio.get_running_loop().time() - self._at > STALE:
            self._wanted.set()
        found = self._survey or Survey()
        agents = [self._informed(agent) for agent in found.agents]
        return msgspec.structs.replace(found, agents=tuple(agents))

    def early(self, chosen: str) -> str:
        """The agent that most sessions will want, if a person has chosen that one for them; empty if nobody knows."""
        return self._settings.agent or chosen or (self._survey.default if self._survey else "")

    async def default(self) -> str:
        """The agent of a session that names none."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_LOOK):
                await self._first.wait()
        return self.early("") or TOUR.name

    # What is done.

    def look_again(self) -> None:
        """Something may have changed: look, beside."""
        self._wanted.set()

    async def run(self) -> None:
        """Look whenever it is wanted, until cancelled."""
        while True:
            self._wanted.clear()
            self._busy = True
            try:
                self._survey = await asyncio.to_thread(self._look)
            except Exception:  # a surprise on this machine must not leave people without any agent
                log.exception("agents.look_failed")
                self._survey = self._survey or Survey()
            self._at, self._busy = asyncio.get_running_loop().time(), False
            self._first.set()
            await self._wanted.wait()

    async def check(self, name: str) -> Checked:
        """Start the agent and ask what it can do. Raise `NoSuchAgent`. Whoever asks meanwhile gets the same answer."""
        spec = self._find_agent(name)
        task = self._checking.get(name)
        if task is None:
            task = self._checking[name] = asyncio.create_task(self._check(spec))
            task.add_done_callback(lambda _: self._checking.pop(name, None))
        self._checked[name] = checked = await asyncio.shield(task)
        return checked

    async def _check(self, spec: AgentSpec) -> Checked:
        folder = self._settings.workspaces / f"check-{spec.name}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tag, home = f"check:{os.getpid()}.{spec.name}", str(self._settings.home)
        try:
            agent = await AcpAgent.open(spec, workspace=folder, tag=tag, listener=Deaf(), home=home, patience=CHECK)
        except AgentUnusable as exc:
            return Checked(ready=False, reason=str(exc))
        else:
            found = Checked(ready=True, version=agent.version, described=agent.described)
            await agent.close()
            return found
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _informed(self, agent: Surveyed) -> Surveyed:
        checked = self._checked.get(agent.name)
        if checked is None or not agent.installed:
            return agent
        said = checked.described or AgentDescribed(agent=agent.name)
        return msgspec.structs.replace(
            agent,
            ready=checked.ready,
            reason=checked.reason,
            version=agent.version or checked.version,
            model=agent.model or said.model,
            models=agent.models or said.models,
            modes=agent.modes or said.modes,
        )
