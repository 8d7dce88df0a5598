"""Every test has a home whose only endpoint is a mock model, and may open the built-in agent there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.endpoints import Endpoint, save_endpoint
from holdfast.settings import Settings
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
