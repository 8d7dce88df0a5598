"""An imported session goes on: whoever answers next knows what was said before, and never what only a marker said."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.endpoints import Endpoint, save_endpoint
from holdfast.settings import Settings
from holdfast.transfer.identity import HERMES, imported_id
from tests.agents.builtin.model import Model, serving
from tests.journeys.house import House
from tests.journeys.person import Person
from tests.transfer.test_generated import run
from tests.transfer.webui import Webui, assistant, called, result, user

pytestmark = pytest.mark.slow  # a real server, a real runner, a real agent


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as model:
        yield model


@pytest.fixture
def house(tmp_path: Path, model: Model) -> Iterator[House]:
    with House(tmp_path / "home") as house:
        save_endpoint(Settings(home=house.home), Endpoint(name="mock", base_url=model.url, models=("mock-1",)))
        house.start()
        yield house


def test_the_model_hears_what_was_said_before_the_import(tmp_path: Path, house: House, model: Model) -> None:
    webui = Webui(tmp_path / "webui")
    webui.session(
        "one",
        [
            user("My hedgehog is called Igor."),
            called("c", "note", text="Igor"),
            result("c", "noted down"),
            assistant("Igor is a good name."),
            user("What does he eat?", 5),
            assistant("He eats bee", 6, _partial=True, reasoning="secret thoughts"),
            assistant("**Task cancelled:** Task cancelled.", 7, _error=True),
        ],
    )
    code, said = run(webui.folder, house.home)  # beside the running server
    assert code == 0, said
    session = SessionId(imported_id(HERMES, "one"))
    person = Person(house)
    turn = person.say(session, "!say Beetles.")
    seen = person.wait_for_end(session, turn)
    assert seen.end(turn)["outcome"] == "completed"
    heard = str(model.requests)
    for words in ("My hedgehog is called Igor.", "noted down", "Igor is a good name.", "He eats bee"):
        assert words in heard
    assert "Task cancelled" not in heard
