"""The examples of the official SDK, as its authors released them, through the whole stack."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.journeys.house import QUIET, House
from tests.journeys.person import Person
from tests.real.packages import source_of

pytestmark = pytest.mark.agents


@pytest.fixture(scope="module")
def examples() -> Path:
    return source_of("agent-client-protocol", version("agent-client-protocol")) / "examples"


@pytest.mark.parametrize(
    ("example", "said"), [("agent.py", "Client sent:how are you?"), ("echo_agent.py", "how are you?")]
)
def test_an_example_agent_answers_and_goes_on_after_its_death(
    examples: Path, tmp_path: Path, example: str, said: str
) -> None:
    command = json.dumps([sys.executable, str(examples / example)])
    with House(tmp_path / "home", f"{QUIET}[agents.example]\ncommand = {command}\n") as house:
        house.start()
        person = Person(house)
        session = person.begin(agent="example")
        for _ in range(2):
            turn = person.say(session, "how are you?")
            seen = person.wait_for_end(session, turn, 120)
            assert seen.end(turn)["outcome"] == "completed"
            assert seen.text(turn).endswith(said.rpartition(":")[2])
            assert seen.text(turn).startswith(said.rpartition(":")[0])
            house.end_agent(session)
