"""A listener that remembers, and answers as it was told to."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.agents import catalog
from holdfast.agents.acp.asks import Elicited, Permission
from holdfast.agents.acp.client import AcpAgent
from holdfast.agents.spec import AgentSpec
from holdfast.core.events import AnyFact, TextAppended, ThoughtAppended
from holdfast.core.ids import TurnId

PATIENCE = 60.0  # a limit against hanging, not a measure of speed
TURN = TurnId("t1")


class Audience:
    def __init__(self) -> None:
        self.facts: list[AnyFact] = []
        self.permissions: list[Permission] = []
        self.decisions: list[tuple[Permission, bool]] = []
        self.questions: list[Elicited] = []
        self.ends: list[tuple[int | None, str]] = []
        self.on_permission: Callable[[Permission], None] = lambda _: None
        self.on_question: Callable[[Elicited], None] = lambda _: None
        self.open = asyncio.Event()
        self.open.set()
        self._changed = asyncio.Event()

    def emit(self, fact: AnyFact) -> None:
        self.facts.append(fact)
        self._changed.set()

    async def room(self) -> None:
        await self.open.wait()

    def decided(self, request: Permission, *, allow: bool) -> None:
        self.decisions.append((request, allow))

    def permission_requested(self, request: Permission) -> None:
        self.permissions.append(request)
        self._changed.set()
        self.on_permission(request)

    def question_asked(self, request: Elicited) -> None:
        self.questions.append(request)
        self._changed.set()
        self.on_question(request)

    def ended(self, code: int | None, stderr: str) -> None:
        self.ends.append((code, stderr))
        self._changed.set()

    @property
    def text(self) -> str:
        return "".join(fact.text for fact in self.facts if isinstance(fact, TextAppended))

    @property
    def thoughts(self) -> str:
        return "".join(fact.text for fact in self.facts if isinstance(fact, ThoughtAppended))

    async def until(self, true: Callable[[], object]) -> None:
        """Wait until something that we hear makes it true."""
        async with asyncio.timeout(PATIENCE):
            while not true():
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def opened(
    audience: Audience,
    workspace: Path,
    *,
    spec: AgentSpec | None = None,
    tag: str = "",
    reference: str = "",
) -> AsyncGenerator[AcpAgent]:
    """An agent for the length of the block. Its run's name comes from the workspace, which no other test has."""
    agent = await AcpAgent.open(
        spec or catalog.find("tour"),
        workspace=workspace,
        tag=tag or f"{workspace.name}:1",
        listener=audience,
        reference=reference,
        home=str(workspace / "home"),
    )
    try:
        yield agent
    finally:
        await agent.close()
