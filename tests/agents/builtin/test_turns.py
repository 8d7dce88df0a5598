"""The built-in agent under our own client, with a model on loopback."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.agents import catalog
from holdfast.agents.acp.client import AcpAgent, Result
from holdfast.settings import Settings
from tests.agents.audience import TURN, Audience
from tests.agents.builtin.model import Model


@asynccontextmanager
async def opened(
    audience: Audience, workspace: Path, settings: Settings, reference: str = ""
) -> AsyncGenerator[AcpAgent]:
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


async def test_text_and_reasoning_arrive_as_they_are_said(settings: Settings, workspace: Path, model: Model) -> None:
    audience = Audience()
    async with opened(audience, workspace, settings) as agent:
        assert await agent.prompt(TURN, "!think Let me see.\n!say Hello from here.") == Result("completed")
    assert (audience.thoughts, audience.text) == ("Let me see.", "Hello from here.")
    assert model.requests[0]["model"] == "mock-1"
