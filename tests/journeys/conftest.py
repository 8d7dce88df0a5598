"""Every journey has a house of its own, with a server that runs, and somebody who uses it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.person import Person


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with House(tmp_path / "home") as house:
        house.start()
        yield house


@pytest.fixture
def person(house: House) -> Person:
    return Person(house)


@pytest.fixture
def session(person: Person) -> SessionId:
    """A new session."""
    return person.begin()
