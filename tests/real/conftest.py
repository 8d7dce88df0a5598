"""Real agents, a model on loopback that they use, and one house for the tests of a file."""

import os
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
    with House(folder / "home", settings_for(python, home)) as house, pytest.MonkeyPatch.context() as machine:
        machine.setenv("PATH", f"{sudo_with_a_password(folder / 'bin')}:{os.environ['PATH']}")
        house.start()
        yield Desk(house, model, folder)


def sudo_with_a_password(folder: Path) -> Path:
    """A folder with a `sudo` that wants a password, whoever runs these tests, and does nothing."""
    folder.mkdir()
    (folder / "sudo").write_text("#!/bin/sh\nexit 1\n")
    (folder / "sudo").chmod(0o755)
    return folder
