"""Real Hermes when something ends that should not: its process, the runner, the server; and what memory keeps."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.real.desk import Desk, hermes_home, settings_for, tool
from tests.real.model import Model
from tests.real.waiting import PATIENT

pytestmark = [pytest.mark.agents, pytest.mark.slow]
PROVIDER = '''
import json, os, time
from agent.memory_provider import MemoryProvider

class Diary(MemoryProvider):
    """Writes down what it is given at the end of a session."""
    name = "diary"
    def is_available(self): return True
    def initialize(self, session_id, **_): pass
    def get_tool_schemas(self): return []
    def sync_turn(self, *_, **__): pass
    def on_session_end(self, messages):
        with open(os.environ["HERMES_HOME"] + "/diary.jsonl", "a") as diary:
            diary.write(json.dumps([[m["role"], str(m["content"])] for m in messages]) + "\\n")

def register(context):
    context.register_memory_provider(Diary())
'''


@pytest.fixture(scope="module")
def desk(python: Path, model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A house whose Hermes has a memory that can be looked at."""
    folder = tmp_path_factory.mktemp("endings")
    home = hermes_home(folder / "hermes", model, "memory: {provider: diary}\n")
    plugin = home / "plugins" / "diary"
    plugin.mkdir(parents=True)
    (plugin / "__init__.py").write_text(PROVIDER)
    (plugin / "plugin.yaml").write_text("name: diary\nkind: exclusive\n")
    with House(folder / "home", settings_for(python, home)) as house:
        house.start()
        yield Desk(house, model, folder)


@pytest.fixture(scope="module")
def waiting(desk: Desk) -> tuple[SessionId, Path, str, float]:
    """An approval that waits while the other tests run."""
    session, workspace = desk.begin()
    (workspace / "x").mkdir()
    turn = desk.person.say(session, tool("terminal", command=f"rm -rf {workspace}/x"))
    desk.ask(session)
    return session, workspace, turn, time.monotonic()


@pytest.mark.usefixtures("waiting")
def test_after_kill_9_of_hermes_the_model_knows_what_it_had_said(desk: Desk) -> None:
    session, _ = desk.begin()
    desk.say(session, "@say First things first.")
    turn = desk.person.say(session, "@say Half of it 4711.\n@stream 2000 20")
    desk.seen(session, turn, "w7 ")
    desk.house.end_agent(session)
    seen = desk.ended(session, turn)
    assert seen.end(turn)["outcome"] == "failed"
    assert seen.text(turn).startswith("Half of it 4711.w1 w2 w3 w4 w5 w6 w7 ")

    again, after = desk.say(session, "@say And on. 0815")
    assert after.text(again) == "And on. 0815"
    told = [m for m in desk.model.received("And on. 0815")[0]["messages"] if m["role"] != "system"]
    assert [m["role"] for m in told] == ["user", "assistant", "user", "assistant", "user"]
    assert told[1]["content"] == "First things first."
    assert told[3]["content"].strip() == seen.text(turn).strip(), "all that people saw, and nothing else"


def test_after_kill_9_of_hermes_in_a_tool_it_is_told_that_it_may_have_run(desk: Desk) -> None:
    session, workspace = desk.begin()
    script = f"@say I begin 1234.\n{tool('terminal', command=f'touch {workspace}/begun; sleep 600')}"
    turn = desk.person.say(session, script)
    wait_until((workspace / "begun").exists, "the tool", 120)
    tools = desk.house.tree(session) - desk.house.agents(session)
    assert tools
    desk.house.end_agent(session)
    desk.ended(session, turn)
    wait_until(lambda: not any(alive(pid) for pid in tools), "the end of the tool", 60)
    again, after = desk.say(session, "@say I see. 5678")
    assert after.text(again) == "I see. 5678"
    told = desk.model.received("I see. 5678")[0]["messages"]
    assert sum("I begin 1234." in str(m["content"]) for m in told if m["role"] == "assistant") == 1
    (result,) = [m["content"] for m in told if m["role"] == "tool"]
    assert "may or may not" in result


def test_after_kill_9_of_hermes_in_a_tool_without_a_word_it_is_told_as_well(desk: Desk) -> None:
    session, workspace = desk.begin()
    turn = desk.person.say(session, tool("terminal", command=f"touch {workspace}/begun; sleep 600"))
    wait_until((workspace / "begun").exists, "the tool", 120)
    desk.house.end_agent(session)
    assert desk.ended(session, turn).end(turn)["outcome"] == "failed"
    desk.say(session, "@say I see. 8765")
    told = desk.model.received("I see. 8765")[0]["messages"]
    (result,) = [m["content"] for m in told if m["role"] == "tool"]
    assert "may or may not" in result


def test_after_kill_9_of_the_runner_no_tool_survives(desk: Desk) -> None:
    session, workspace = desk.begin()
    (workspace / "tool.sh").write_text("setsid sh -c 'echo $$ > pid; exec sleep 600' & sleep 600\n")
    turn = desk.person.say(session, tool("terminal", command="sh ./tool.sh"))
    wait_until(lambda: (workspace / "pid").exists() and (workspace / "pid").read_text().strip(), "the tool", 120)
    stray, agents = int((workspace / "pid").read_text()), desk.house.tree(session)
    assert stray in agents, "the tool carries the mark of its run"
    os.kill(desk.house.running(session), signal.SIGKILL)
    seen = desk.ended(session, turn)
    assert seen.end(turn)["outcome"] == "interrupted"
    wait_until(lambda: not any(alive(pid) for pid in agents), "the end of all that it had started", 60)
    again, after = desk.say(session, "@say Here again.")
    assert after.text(again) == "Here again."


def test_memory_is_committed_at_a_boundary_once_and_with_what_was_said(desk: Desk) -> None:
    session, _ = desk.begin()
    desk.say(session, "@say My name is Ada. 3141")
    cut = desk.person.say(session, "@stream 2000 20")
    desk.seen(session, cut, "w3 ")
    desk.person.cancel(session, cut).raise_for_status()
    desk.ended(session, cut)
    desk.say(session, "@say It was a pleasure. 2718")
    assert not _diary(desk), "not after each turn"
    path = f"/api/sessions/{session}/memory"
    desk.person.post(f"{path}/commit").raise_for_status()
    wait_until(lambda: _diary(desk), "what memory was given", 60)
    (entry,) = _diary(desk)
    said = [words for role, words in entry if role == "assistant"]
    assert said == ["My name is Ada. 3141", "It was a pleasure. 2718"]
    assert not any("@stream" in words for _, words in entry), "what was cancelled is not remembered"
    wait_until(lambda: _committed(desk, session), "the end of the commit", 60)
    desk.person.post(f"{path}/commit")
    desk.say(session, "@say One more.")
    assert len(_diary(desk)) == 1


def _diary(desk: Desk) -> list[list[list[str]]]:
    diary = desk.hermes / "diary.jsonl"
    return [json.loads(line) for line in diary.read_text().splitlines()] if diary.exists() else []


def _committed(desk: Desk, session: SessionId) -> bool:
    return any(record["event"]["kind"] == "memory.committed" for record in desk.person.records(session))


def test_an_approval_waits_through_a_restart_of_the_server(
    desk: Desk, waiting: tuple[SessionId, Path, str, float]
) -> None:
    session, workspace, turn, since = waiting
    runner, agents = desk.house.running(session), desk.house.tree(session)
    desk.house.restart()
    time.sleep(max(0.0, PATIENT - (time.monotonic() - since)))
    ask = desk.ask(session)
    assert (workspace / "x").exists()
    desk.answer(session, ask, choice="once")
    seen = desk.ended(session, turn)
    assert seen.end(turn)["outcome"] == "completed"
    assert not (workspace / "x").exists()
    assert (desk.house.running(session), desk.house.tree(session) >= agents) == (runner, True), "the same processes"
