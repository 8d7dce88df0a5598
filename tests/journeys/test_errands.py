"""What an agent has us do, through the whole stack: a foreign agent that asks for files and terminals."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import QUIET, House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = pytest.mark.slow  # most of these start a process of their own

WORKER = Path(__file__).parents[1] / "agents" / "programs" / "sdk_worker.py"
CONFIG = f"{QUIET}[agents.worker]\ncommand = {json.dumps([sys.executable, str(WORKER)])}\n"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with House(tmp_path / "home", CONFIG) as house:
        house.start()
        yield house


def folder(house: House, session: SessionId) -> Path:
    return house.home / "workspaces" / session


def output(person: Person, session: SessionId, turn: str) -> str:
    return "".join(item.get("output", "") for item in person.look(session).of(turn) if item["type"] == "tool")


@pytest.mark.contract("A10")
def test_in_mode_ask_a_write_waits_for_a_person_and_outlives_the_server(house: House, person: Person) -> None:
    session = person.begin(agent="worker", mode="ask")
    turn = person.say(session, "write a.txt hello\nread a.txt")
    (ask,) = person.wait_for_ask(session)
    file = folder(house, session) / "a.txt"
    assert ask["command"] == f"Write {file}"
    assert [(diff["path"], diff["new"]) for diff in ask["diffs"]] == [(str(file), "hello")]
    house.kill()
    house.start()
    assert not file.exists()
    person.answer(session, ask["ask"], choice="once").raise_for_status()
    seen = person.wait_for_end(session, turn)
    assert seen.text(turn) == "write: written\nread: 'hello'\n"
    assert file.read_text() == "hello"


@pytest.mark.contract("A8")
def test_in_mode_ask_a_rule_answers_the_same_command_and_no_other(house: House, person: Person) -> None:
    session = person.begin(agent="worker", mode="ask")
    turn = person.say(session, "run touch a\nwait\nrun touch a\nwait\nrun touch b\nwait")
    (first,) = person.wait_for_ask(session)
    person.answer(session, first["ask"], choice="session").raise_for_status()
    wait_until(lambda: any(ask["command"] == "touch b" for ask in person.asks(session)), "the other command")
    (other,) = person.asks(session)
    person.answer(session, other["ask"], choice="deny", reason="enough").raise_for_status()
    text = person.wait_for_end(session, turn).text(turn)
    assert text.count("wait: 0 None") == 3  # the last wait is for the terminal before
    assert "A person did not allow this. They say: enough" in text
    assert not (folder(house, session) / "b").exists()


def test_in_no_mode_nothing_is_asked(person: Person) -> None:
    session = person.begin(agent="worker")
    turn = person.say(session, "write a.txt hello\nrun cat a.txt\nwait")
    person.wait_for_end(session, turn)
    assert output(person, session, turn) == "hello"


def test_what_a_terminal_prints_is_shown_while_it_runs(person: Person) -> None:
    session = person.begin(agent="worker")
    turn = person.say(session, "run echo first; sleep 1000; echo second\nwait")
    wait_until(lambda: output(person, session, turn) == "first\n", "the first line")
    assert person.look(session).session["running"] == turn
    person.cancel(session, turn).raise_for_status()
    person.wait_for_end(session, turn)
    assert output(person, session, turn) == "first\n"


@pytest.mark.crash
@pytest.mark.contract("G3")
def test_no_command_survives_a_killed_runner(house: House, person: Person) -> None:
    session = person.begin(agent="worker")
    turn = person.say(session, "run echo $$ > pid; setsid sleep 1000 & echo begun; sleep 1000\nwait")
    wait_until(lambda: "begun" in output(person, session, turn), "the command to begin")
    pid = int((folder(house, session) / "pid").read_text())
    os.kill(house.running(session), signal.SIGKILL)
    seen = person.wait_for_end(session, turn)
    assert seen.end(turn)["outcome"] == "interrupted"
    wait_until(lambda: not house.tree(session), "the end of the tree")
    assert not alive(pid)
    assert output(person, session, turn) == "begun\n"
