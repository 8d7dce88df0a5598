"""Real agents, a model on loopback that they use, and one house for the tests of a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.house import House
from tests.real.desk import Desk, hermes_home, settings_for
from tests.real.installed import hermes_python
from tests.real.model import Model, serving


@pytest.fixture(scope="session")
def python() -> Path:
    """The Python of real Hermes."""
    return hermes_python()


@pytest.fixture(scope="session")
def model() -> Iterator[Model]:
    with serving() as model:
        yield model


@pytest.fixture(scope="module")
def desk(python: Path, model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("hermes")
    home = hermes_home(folder / "hermes", model)
    with House(folder / "home", settings_for(python, home)) as house:
        house.start()
        yield Desk(house, model, folder)
