"""The built-in agent through the whole stack: server, runner, agent, and a model on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.endpoints import Endpoint, save_endpoint
from holdfast.settings import Settings
from tests.agents.builtin.model import Model, serving
from tests.journeys.house import House
from tests.journeys.person import Person

KEY = "sk-whole-stack-0987654321"


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as model:
        yield model


@pytest.fixture
def house(tmp_path: Path, model: Model) -> Iterator[House]:
    with House(tmp_path / "home") as house:
        endpoint = Endpoint(name="mock", base_url=model.url, key=KEY, models=("mock-1",))
        save_endpoint(Settings(home=house.home), endpoint)
        house.start()
        yield house


@pytest.fixture
def person(house: House) -> Person:
    return Person(house)


@pytest.fixture
def session(person: Person) -> SessionId:
    return person.begin(agent="builtin")


def test_text_and_reasoning_are_shown(person: Person, session: SessionId) -> None:
    turn = person.say(session, "!think Let me see.\n!say Hello from here.")
    seen = person.wait_for_end(session, turn)
    assert seen.end(turn)["outcome"] == "completed"
    assert seen.text(turn) == "Hello from here."
    assert [item["text"] for item in seen.of(turn) if item["type"] == "thought"] == ["Let me see."]
