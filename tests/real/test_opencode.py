"""Real OpenCode through the whole stack: server, runner, client, agent, tools. Only the model is ours."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.real import opencode
from tests.real.opencode_model import Model
from tests.real.waiting import PATIENT

pytestmark = [pytest.mark.agents, pytest.mark.slow]
LIMIT = 300.0
"""Seconds; OpenCode takes a while to start on a busy machine."""

Json = dict[str, Any]


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    with Model() as model:
        yield model


@pytest.fixture(scope="module")
def house(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    place = tmp_path_factory.mktemp("opencode")
    with House(place / "home", opencode.config(place / "own", model.url)) as house:
        house.start()
        yield house


@pytest.fixture(scope="module")
def person(house: House) -> Person:
    return Person(house)


class Talk:
    """A person's session with OpenCode."""

    def __init__(self, house: House, person: Person) -> None:
        self.house = house
        self.person = person
        self.session = person.begin(agent="opencode")

    @property
    def folder(self) -> Path:
        return self.house.home / "workspaces" / self.session

    def say(self, *lines: str) -> str:
        return self.person.say(self.session, "\n".join(lines))

    def items(self, turn: str, kind: str) -> list[Json]:
        return [item for item in self.person.look(self.session).of(turn) if item["type"] == kind]

    def text(self, turn: str) -> str:
        return self.person.look(self.session).text(turn)

    def thoughts(self, turn: str) -> str:
        return "".join(item.get("text", "") for item in self.items(turn, "thought"))

    def wait_for(self, turn: str, words: str) -> None:
        wait_until(lambda: words in self.text(turn), f"{words!r} in {turn}", LIMIT)

    def wait_for_ask(self) -> Json:
        (ask,) = wait_until(lambda: self.person.asks(self.session), "an open ask", LIMIT)
        return ask

    def end(self, turn: str) -> Json:
        return self.person.wait_for_end(self.session, turn, LIMIT).end(turn)

    def cancel(self, turn: str) -> Json:
        self.person.cancel(self.session, turn).raise_for_status()
        return self.end(turn)

    def goes_on(self) -> None:
        """The next turn works, with the same conversation."""
        turn = self.say("say all is well")
        assert self.end(turn)["outcome"] == "completed"
        assert "all is well" in self.text(turn)
        assert self.person.look(self.session).idle


@pytest.fixture(scope="module")
def talk(house: House, person: Person) -> Talk:
    """One conversation that several tests go on with."""
    return Talk(house, person)


def test_it_thinks_and_speaks(talk: Talk) -> None:
    turn = talk.say("think hm well", "say hello there")
    assert talk.end(turn)["outcome"] == "completed"
    assert talk.thoughts(turn).split() == ["hm", "well"]
    assert talk.text(turn).split() == ["hello", "there"]


def test_every_turn_counts_its_tokens(talk: Talk) -> None:
    """The model names the same number each time: the second turn has used as many as the first."""
    turns = [talk.say("say once"), talk.say("say once more")]
    for turn in turns:
        talk.end(turn)
    said = [record["event"] for record in talk.person.records(talk.session)]
    used = {event["turn"]: event for event in said if event["kind"] == "usage.reported" and event.get("output")}
    assert [(used[turn]["input"], used[turn]["output"]) for turn in turns] == [(100, 20), (100, 20)]


def test_a_tool_shows_what_it_did(talk: Talk) -> None:
    turn = talk.say("say look:", "run echo from the tool; pwd")
    assert talk.end(turn)["outcome"] == "completed"
    (tool,) = talk.items(turn, "tool")
    assert tool["status"] == "completed"
    assert "echo from the tool" in tool["arguments"]
    assert f"from the tool\n{talk.folder}" in tool["output"]
    assert "Tool said: from the tool" in talk.text(turn)


def test_two_tools_at_once_are_two_calls(talk: Talk) -> None:
    turn = talk.say("run echo first", "run echo second")
    assert talk.end(turn)["outcome"] == "completed"
    tools = talk.items(turn, "tool")
    assert [tool["output"].strip() for tool in tools] == ["first", "second"]
    assert {tool["status"] for tool in tools} == {"completed"}


def test_what_is_approved_is_done(talk: Talk) -> None:
    turn = talk.say("run touch approved.txt")
    ask = talk.wait_for_ask()
    assert ask["command"] == "touch approved.txt"
    assert not (talk.folder / "approved.txt").exists()
    talk.person.answer(talk.session, ask["ask"], choice="once").raise_for_status()
    assert talk.end(turn)["outcome"] == "completed"
    assert (talk.folder / "approved.txt").exists()


def test_what_is_denied_is_not_done_and_the_reason_is_told(talk: Talk, model: Model) -> None:
    turn = talk.say("run touch denied.txt")
    ask = talk.wait_for_ask()
    talk.person.answer(talk.session, ask["ask"], choice="deny", reason="say not in this folder").raise_for_status()
    talk.end(turn)
    wait_until(lambda: "Because: say not in this folder" in str(model.requests[-1]["messages"]), "the reason", LIMIT)
    wait_until(lambda: talk.person.look(talk.session).idle, "an idle session", LIMIT)
    assert not (talk.folder / "denied.txt").exists()
    talk.goes_on()


def test_a_cancel_within_the_answer_keeps_what_was_said(talk: Talk) -> None:
    turn = talk.say("think hm", "say so far so good", "hold")
    talk.wait_for(turn, "so far so good")
    assert talk.cancel(turn)["outcome"] == "cancelled"
    assert talk.text(turn).split() == ["so", "far", "so", "good"]
    talk.goes_on()


def test_a_cancel_within_a_tool_ends_it_and_the_next_turn_works(talk: Talk) -> None:
    turn = talk.say("run echo $$ > pid; exec sleep 1000")
    pid = int(wait_until(lambda: _read(talk.folder / "pid"), "the tool's pid", LIMIT))
    assert talk.cancel(turn)["outcome"] == "cancelled"
    wait_until(lambda: not alive(pid), "the end of the tool")
    talk.goes_on()


def test_a_provider_that_fails_for_a_while_delays_the_answer(talk: Talk) -> None:
    turn = talk.say("fail 2", "say back again")
    assert talk.end(turn)["outcome"] == "completed"
    assert "back again" in talk.text(turn)


def test_a_provider_that_fails_for_good_can_be_left(talk: Talk, model: Model) -> None:
    """OpenCode tries again for ever and says nothing meanwhile; Stop works all the same."""
    before = len(model.requests)
    turn = talk.say("fail")
    wait_until(lambda: len(model.requests) > before + 1, "a second attempt", LIMIT)
    assert talk.cancel(turn)["outcome"] == "cancelled"
    talk.goes_on()


def test_a_dropped_connection_loses_nothing_that_was_said(talk: Talk) -> None:
    turn = talk.say("say one two", "drop", "say three")
    assert talk.end(turn)["outcome"] == "completed"
    assert talk.text(turn).startswith("one two ")
    assert talk.text(turn).endswith("three ")


def test_a_killed_agent_takes_up_the_conversation(house: House, person: Person, model: Model) -> None:
    talk = Talk(house, person)
    talk.end(talk.say("say remember the blue door"))
    turn = talk.say("say half an answer", "hold")
    talk.wait_for(turn, "half an answer")
    house.end_agent(talk.session)
    end = talk.end(turn)
    assert end["outcome"] == "failed"
    assert "killed" in end["error"]
    assert talk.text(turn).split() == ["half", "an", "answer"]
    talk.goes_on()
    said = str(model.requests[-1]["messages"]) + str(model.requests[-2]["messages"])
    assert "remember the blue door" in said


@pytest.mark.contract("G3")
def test_no_tool_survives_a_killed_runner(house: House, person: Person) -> None:
    talk = Talk(house, person)
    turn = talk.say("say begun", "run echo $$ > pid; sleep 1000 & sleep 1000")
    talk.wait_for(turn, "begun")
    pid = int(wait_until(lambda: _read(talk.folder / "pid"), "the tool's pid", LIMIT))
    os.kill(house.running(talk.session), signal.SIGKILL)
    assert talk.end(turn)["outcome"] == "interrupted"
    wait_until(lambda: not house.tree(talk.session), "the end of the tree")
    assert not alive(pid)
    assert "begun" in talk.text(turn)
    talk.goes_on()


@pytest.mark.contract("G2")
def test_an_approval_outlives_the_server(house: House, person: Person) -> None:
    talk = Talk(house, person)
    turn = talk.say("run touch later.txt")
    ask = talk.wait_for_ask()
    runner, agents = house.running(talk.session), house.agents(talk.session)
    house.kill()
    assert alive(runner)
    house.start()
    time.sleep(PATIENT)
    assert talk.wait_for_ask()["ask"] == ask["ask"]
    person.answer(talk.session, ask["ask"], choice="once").raise_for_status()
    assert talk.end(turn)["outcome"] == "completed"
    assert house.running(talk.session) == runner
    assert len(agents) == 1
    assert house.agents(talk.session) == agents, "the same agent, which nobody had to start again"
    assert (talk.folder / "later.txt").exists()


def _read(path: Path) -> str:
    return path.read_text().strip() if path.exists() else ""
