"""Every test has a home whose only endpoint is a mock model, and may open the built-in agent there."""

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from holdfast.agents.acp.client import AcpAgent
from holdfast.endpoints import Endpoint, save_endpoint
from holdfast.settings import Settings
from tests.agents.audience import Audience
from tests.agents.builtin.inside import opened
from tests.agents.builtin.model import Model, serving

KEY = "sk-very-secret-1234567890"


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as model:
        yield model


@pytest.fixture
def settings(tmp_path: Path, model: Model) -> Settings:
    settings = Settings(home=tmp_path / "home")
    save_endpoint(settings, Endpoint(name="mock", base_url=model.url, key=KEY, models=("mock-1", "org/mock-2")))
    return settings


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def audience() -> Audience:
    return Audience()


@pytest.fixture
async def agent(audience: Audience, workspace: Path, settings: Settings) -> AsyncGenerator[AcpAgent]:
    """The built-in agent, in a run of its own."""
    async with opened(audience, workspace, settings) as agent:
        yield agent
