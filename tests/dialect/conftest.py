"""A house of its own for every test, and a script that uses it by the wire of hermes-webui."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dialect.script import Script
from tests.journeys.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with House(tmp_path / "home") as house:
        house.start()
        yield house


@pytest.fixture
def script(house: House) -> Iterator[Script]:
    with house.server.client() as http:
        yield Script(http)
