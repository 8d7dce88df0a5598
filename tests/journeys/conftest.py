"""Every journey has a house of its own, with a server that runs, and somebody who uses it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
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


@pytest.fixture
async def api(house: House) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who is signed in to the server that was started first."""
    async with house.server.async_client() as client:
        yield client
