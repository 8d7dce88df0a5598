"""The built-in agent through the whole stack: server, runner, agent, and a model on loopback."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.endpoints import Endpoint, save_endpoint
from holdfast.settings import Settings
from tests.agents.builtin.model import Model, serving
from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.real.waiting import PATIENT

pytestmark = [pytest.mark.agents, pytest.mark.slow]

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


def call(name: str, **arguments: object) -> str:
    return f"!tool {name} {json.dumps(arguments)}"


def outcome(person: Person, session: SessionId, turn: str) -> tuple[str, str]:
    """How the turn ended, and what was said in it."""
    seen = person.wait_for_end(session, turn)
    return seen.end(turn)["outcome"], seen.text(turn)


def workspace(house: House, session: SessionId) -> Path:
    return house.home / "workspaces" / session


def test_tools_run_side_by_side_and_an_approval_lets_a_command_run(
    house: House, person: Person, session: SessionId
) -> None:
    """Each of the two waits for the other; then a dangerous one waits for the person."""
    first = call("shell", command="touch x; while [ ! -f y ]; do sleep 0.05; done; echo first")
    second = call("shell", command="touch y; while [ ! -f x ]; do sleep 0.05; done; echo second")
    turn = person.say(
        session, "\n".join([first, second, "!then", call("shell", command="rm -r x y"), "!then", "!quote"])
    )
    (asked,) = person.wait_for_ask(session)
    assert asked["command"] == "rm -r x y"
    assert asked["pattern_keys"] == ["recursive delete"]
    assert asked["description"] == "It deletes a folder with all that is in it."
    assert (workspace(house, session) / "x").exists()
    assert person.answer(session, asked["ask"], choice="once").status_code == 200
    assert outcome(person, session, turn) == ("completed", "Tool said: (no output)")
    assert not (workspace(house, session) / "x").exists()
    tools = [item for item in person.look(session).of(turn) if item["type"] == "tool"]
    assert [item["status"] for item in tools] == ["completed"] * 3
    assert [item["output"] for item in tools[:2]] == ["first\n", "second\n"]


def test_a_denial_with_its_reason_reaches_the_model(person: Person, session: SessionId, model: Model) -> None:
    turn = person.say(session, f"{call('shell', command='sudo ls')}\n!then\n!say Fine.")
    (asked,) = person.wait_for_ask(session)
    person.answer(session, asked["ask"], choice="deny", reason="not as root").raise_for_status()
    assert outcome(person, session, turn) == ("completed", "Fine.")
    assert "not as root" in model.heard("tool")[0]


def test_a_cancel_in_the_stream_and_one_in_a_tool_leave_a_session_that_works(
    house: House, person: Person, session: SessionId
) -> None:
    with person.follow(session) as live:
        turn = person.say(session, "!stream 100000 5")
        live.until_words(5)
        assert person.cancel(session, turn).status_code == 200
        live.until_ended(turn)
        stopped = person.look(session)
        assert stopped.end(turn)["outcome"] == "cancelled"
        assert stopped.text(turn).startswith("word1 word2 word3 word4 word5 ")
        assert stopped.text(turn) == live.text, "all that somebody saw, and nothing after it"
        turn = person.say(session, call("shell", command="echo begun; sleep 600"))
        live.until(lambda: "begun" in str(live.records[-3:]) or len(house.tree(session)) > 1, "the tool")
        assert person.cancel(session, turn).status_code == 200
        live.until_ended(turn)
    assert person.look(session).end(turn)["outcome"] == "cancelled"
    wait_until(lambda: len(house.tree(session)) == 1, "the end of the tool")
    turn = person.say(session, "!say Still here.")
    assert outcome(person, session, turn) == ("completed", "Still here.")


def test_words_that_steer_are_heard(house: House, person: Person, session: SessionId, model: Model) -> None:
    command = "while [ ! -f go ]; do sleep 0.05; done"
    turn = person.say(session, f"{call('shell', command=command)}\n!then\n!say Done.")
    wait_until(lambda: len(house.tree(session)) > 1, "the tool")
    person.say(session, "Use blue.", mode="steer")
    wait_until(lambda: any(r["event"]["kind"] == "steer.delivered" for r in person.records(session)), "the steer")
    (workspace(house, session) / "go").touch()
    assert outcome(person, session, turn)[0] == "completed"
    assert model.heard("user")[-1] == "Use blue."


def test_a_failing_server_and_a_dropped_connection_are_told(person: Person, session: SessionId) -> None:
    turn = person.say(session, "!error 500")
    seen = person.wait_for_end(session, turn)
    assert seen.end(turn)["outcome"] == "failed"
    assert "mock failed. Try again in a moment" in seen.end(turn)["error"]
    assert len([item for item in seen.of(turn) if item["type"] == "notice"]) == 3
    turn = person.say(session, "!say One two\n!drop")
    seen = person.wait_for_end(session, turn)
    assert (seen.end(turn)["outcome"], seen.text(turn)) == ("failed", "One two")
    assert "broke off" in seen.end(turn)["error"]


def test_an_agent_that_is_killed_is_taken_up_again(
    house: House, person: Person, session: SessionId, model: Model
) -> None:
    """In the middle of an answer. What was said before it is still known, and nothing of it is left running."""
    first = person.say(session, "!say My name is Ada.")
    assert outcome(person, session, first)[0] == "completed"
    with person.follow(session) as live:
        turn = person.say(session, "!stream 100000 5")
        live.until_words(9)
        house.end_agent(session)
        live.until_ended(turn)
        seen = person.look(session)
        assert seen.end(turn)["outcome"] == "failed"
        assert "killed" in seen.end(turn)["error"]
        assert live.text.endswith(seen.text(turn))
    assert seen.text(turn).startswith("word1 word2 word3 word4 word5 ")
    assert seen.text(first) == "My name is Ada."
    following = person.say(session, "!say Back again.")
    person.turn(session, following, "release")
    assert outcome(person, session, following) == ("completed", "Back again.")
    assert model.heard("assistant")[0] == "My name is Ada."
    assert "word1 word2" in json.dumps(model.last), "it knows what it had said before it was cut off"


def test_no_tool_survives_its_agent(house: House, person: Person, session: SessionId) -> None:
    """Also one with a session of its own. The turn has failed, and the next one works."""
    turn, stray = working(house, person, session)
    before = house.tree(session)
    house.end_agent(session)
    wait_until(lambda: not any(alive(pid) for pid in (*before, stray)), "the end of the tools")
    assert outcome(person, session, turn) == ("failed", "I begin.")
    assert outcome(person, session, person.say(session, "!say Here again.")) == ("completed", "Here again.")


def test_no_tool_survives_its_runner(house: House, person: Person, session: SessionId, model: Model) -> None:
    """Also one with a session of its own. The turn was interrupted, the next one works and knows what was under way."""
    turn, stray = working(house, person, session)
    before = house.tree(session)
    house.end_runner(session)
    wait_until(lambda: not any(alive(pid) for pid in (*before, stray)), "the end of the tools")
    assert outcome(person, session, turn) == ("interrupted", "I begin.")
    assert outcome(person, session, person.say(session, "!say Here again.")) == ("completed", "Here again.")
    assert "may or may not have happened" in model.heard("tool")[0]


def working(house: House, person: Person, session: SessionId) -> tuple[str, int]:
    """Have a command at work that has left its group and its session; return the turn, and the process."""
    script = workspace(house, session) / "work.py"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(
        "import pathlib, subprocess, time\n"
        "stray = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "pathlib.Path('pid').write_text(str(stray.pid))\n"
        "time.sleep(600)\n"
    )
    turn = person.say(session, f"!say I begin.\n{call('shell', command='python3 work.py')}")
    pid = script.with_name("pid")
    wait_until(lambda: pid.exists() and pid.read_text().strip(), "the tool")
    return turn, int(pid.read_text())


def test_an_approval_outlives_the_server(house: House, person: Person, session: SessionId) -> None:
    turn = person.say(session, f"{call('shell', command='touch x; rm -r x; echo gone')}\n!then\n!quote")
    person.wait_for_ask(session)
    house.restart()
    time.sleep(PATIENT)
    (asked,) = person.wait_for_ask(session)
    assert person.answer(session, asked["ask"], choice="once").status_code == 200
    assert outcome(person, session, turn) == ("completed", "Tool said: gone\n")


def test_a_key_is_in_no_record_no_answer_and_no_argument(house: House, person: Person, session: SessionId) -> None:
    turn = person.say(session, f"{call('shell', command='env; ps -ef')}\n!then\n!error 401 Wrong: {{key}}")
    seen = person.wait_for_end(session, turn)
    assert "It said: Wrong: Bearer [key] (401)" in seen.end(turn)["error"]
    assert KEY not in json.dumps(person.records(session))
    assert KEY not in json.dumps(person.look(session).snapshot)
    for pid in house.tree(session):
        assert KEY.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
    logs = [path for path in house.home.rglob("*") if path.is_file() and path.name != "endpoints.json"]
    assert not [path for path in logs if KEY.encode() in path.read_bytes()]
