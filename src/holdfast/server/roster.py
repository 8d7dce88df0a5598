"""Which agents there are, as the server knows it. Looking takes a while, so nobody waits for it.

Law: whoever asks gets what the last look found, at once, and is told whether another one goes on. Only a session that
names no agent waits for the very first look, and not for long: that is over when files were looked at, before anybody
was asked anything. What was found out by starting an agent counts until a later look is over.
"""

import asyncio
import contextlib
import logging
import os
import shutil
from collections.abc import Callable, Iterable

import msgspec

from holdfast.agents.acp.client import AcpAgent, AgentUnusable
from holdfast.agents.acp.listener import Deaf
from holdfast.agents.catalog import TOUR
from holdfast.agents.hermes import find as hermes
from holdfast.agents.hermes.trial import try_out
from holdfast.agents.spec import AgentSpec
from holdfast.agents.survey import Survey, Surveyed, corrected
from holdfast.core.events import AgentDescribed
from holdfast.owned import make_folder
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
    """`look` surveys the machine, in a thread: each survey that it yields knows more; that may take seconds."""

    def __init__(
        self, settings: Settings, look: Callable[[], Iterable[Survey]], find_agent: Callable[[str], AgentSpec]
    ) -> None:
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
        self._said: dict[str, Checked] = {}
        self._works: AgentSpec | None = None

    # What is known.

    @property
    def looking(self) -> bool:
        return self._survey is None or self._busy or self._wanted.is_set()

    @property
    def survey(self) -> Survey:
        """What the last look found, with what agents said of themselves since."""
        if self._survey is None or asyncio.get_running_loop().time() - self._at > STALE:
            self._wanted.set()
        return self._now

    @property
    def _now(self) -> Survey:
        found = self._survey or Survey()
        return corrected(found, map(self._informed, found.agents))

    def early(self, chosen: str) -> str:
        """The agent that most sessions will want, if a person has chosen that one for them; empty if nobody knows."""
        return self._settings.agent or chosen or (self._now.default if self._survey else "")

    async def default(self) -> str:
        """The agent of a session that names none."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_LOOK):
                await self._first.wait()
        return self.early("") or TOUR.name

    # What is done.

    def look_again(self) -> None:
        """Something may have changed: look, beside."""
        self._works = None
        self._wanted.set()

    async def run(self) -> None:
        """Look whenever it is wanted, until cancelled."""
        while True:
            self._wanted.clear()
            self._busy = True
            before = dict(self._checked)
            try:
                await self._survey_all()
                await self._try_hermes()
                self._forget(before)
            except Exception:  # a surprise on this machine must not leave people without any agent
                log.exception("agents.look_failed")
                self._survey = self._survey or Survey()
            self._at, self._busy = asyncio.get_running_loop().time(), False
            self._first.set()
            await self._wanted.wait()

    async def _survey_all(self) -> None:
        surveys = iter(self._look())
        while (found := await asyncio.to_thread(next, surveys, None)) is not None:
            self._survey = found
            self._first.set()

    def _forget(self, older: dict[str, Checked]) -> None:
        """What was found out before a look began counts no more when it is over."""
        self._checked = {name: found for name, found in self._checked.items() if older.get(name) is not found}

    async def _try_hermes(self) -> None:
        """Start Hermes for a moment: that it is there does not say that it can be imported. Once, if it works."""
        there = (
            [agent for agent in self._survey.agents if agent.family == "hermes" and agent.ready] if self._survey else []
        )
        if not there:
            return
        spec = self._find_agent(hermes.NAME)
        problem = "" if spec == self._works else await try_out(spec)
        self._works = None if problem else spec
        if problem:  # its profiles are the same program
            self._checked |= {agent.name: Checked(ready=False, reason=problem) for agent in there}

    async def check(self, name: str) -> Checked:
        """Start the agent and ask what it can do. Raise `NoSuchAgent`. Whoever asks meanwhile gets the same answer."""
        spec = self._find_agent(name)
        task = self._checking.get(name)
        if task is None:
            task = self._checking[name] = asyncio.create_task(self._check(spec))
            task.add_done_callback(lambda _: self._checking.pop(name, None))
        self._checked[name] = self._said[name] = checked = await asyncio.shield(task)
        return checked

    async def _check(self, spec: AgentSpec) -> Checked:
        folder = self._settings.workspaces / f"check-{spec.name}"
        make_folder(folder)
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
        if not agent.installed:
            return agent
        checked, said = self._checked.get(agent.name), self._said.get(agent.name, Checked(ready=True))
        told = said.described or AgentDescribed(agent=agent.name)
        return msgspec.structs.replace(
            agent,
            ready=agent.ready if checked is None else checked.ready,
            reason=agent.reason if checked is None else checked.reason,
            version=agent.version or said.version,
            model=agent.model or told.model,
            models=agent.models or told.models,
            modes=agent.modes or told.modes,
        )
