"""An agent that is started before anybody knows for which session: most of the time until its first word is spent.

Law: it is used once or not at all, and nothing of it is left in either case.
"""

import asyncio
import logging
import os
from collections.abc import Callable

from holdfast.agents.acp.client import AcpAgent, AgentUnusable
from holdfast.agents.catalog import NoSuchAgent
from holdfast.agents.spec import AgentSpec
from holdfast.settings import Settings

log = logging.getLogger(__name__)


class Early:
    """The process, or its beginning."""

    def __init__(self, spec: AgentSpec, settings: Settings) -> None:
        self._spec = spec
        self._taken = False
        self._starting = asyncio.create_task(self._start(settings), name="early agent")

    @classmethod
    def of(cls, name: str, settings: Settings, find_agent: Callable[[str], AgentSpec]) -> "Early | None":
        """None if there is no such agent, or if it must know its session when it starts."""
        try:
            spec = find_agent(name)
        except NoSuchAgent:
            return None
        return cls(spec, settings) if spec.warm else None

    async def take(self, spec: AgentSpec) -> AcpAgent | None:
        """The agent, if it is the one that is wanted and could be started. What is not taken ends."""
        agent = await self._starting if spec == self._spec else None
        if agent is not None and agent.answers and agent.warm:
            self._taken = True
            return agent
        await self.dismiss()
        return None

    async def dismiss(self) -> None:
        """End it, unless it was taken."""
        if self._taken:
            return
        self._taken = True
        self._starting.cancel()
        await asyncio.wait([self._starting])
        agent = None if self._starting.cancelled() else self._starting.result()
        if agent is not None:
            await agent.end()

    async def _start(self, settings: Settings) -> AcpAgent | None:
        home = str(settings.home)
        try:
            return await AcpAgent.start(self._spec, workspace=settings.home, tag=f"spare:{os.getpid()}", home=home)
        except AgentUnusable as exc:
            log.info("agent.not_early", extra={"agent": self._spec.name, "error": str(exc)})
            return None
