"""An owner that falls silent is ended with all that it started, and nothing of an old run lives beside a new one."""
# ruff: noqa: N802  tests name the rule they show

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.journeys.transcript import on_screen

pytestmark = [pytest.mark.slow, pytest.mark.crash]

IMPATIENT = (sys.executable, "-W", "error", str(Path(__file__).with_name("impatient.py")))
"""A server that takes four seconds without a sign of life for death."""


def spawned(text: str) -> int:
    """The process of the tool that `!spawn` started."""
    found = re.search(r"spawned:(\d+)", text)
    assert found is not None
    return int(found[1])


@pytest.mark.contract("G3")
def test_G3_a_runner_that_is_stopped_is_ended_and_its_session_goes_on(tmp_path: Path) -> None:
    """Runner, agent and a tool in its own session are gone, the log has one clean end, and the next turn works."""
    with House(tmp_path / "home") as house:
        house.start(command=IMPATIENT)
        person = Person(house)
        session = person.begin()
        with person.follow(session) as live:
            turn = person.say(session, "!spawn\n!stream 100000 5 w")
            live.until_words(50)
            runner, tool, agents = house.running(session), spawned(live.text), house.tree(session)
            os.kill(runner, signal.SIGSTOP)
            waiting = person.say(session, "!say waited")
            live.until_ended(turn)
            assert not [pid for pid in (runner, tool, *agents) if alive(pid)]
            seen = person.look(session)
            assert seen.end(turn)["outcome"] == "interrupted"
            following = person.say(session, "!say next")
            seen = person.wait_for_end(session, following)
            live.until_ended(following)
        assert seen.text(following) == "next"
        assert seen.session["turns"][waiting]["held"], "what waited is held until a person lets it go on"
        assert on_screen(live.records) == seen.shown
        log = person.records(session)
        assert [record["seq"] for record in log] == list(range(1, len(log) + 1))
        assert [record["event"]["kind"] for record in log].count("turn.ended") == 2
        ended = next(record for record in log if record["event"]["kind"] == "turn.ended")
        assert not [r for r in log if r["seq"] > ended["seq"] and 0 < r.get("epoch", 0) < ended["epoch"]]


@pytest.mark.contract("G3")
def test_G3_a_short_stop_is_forgiven(house: House, person: Person, session: SessionId) -> None:
    """A machine that slept a moment loses no run."""
    with person.follow(session) as live:
        turn = person.say(session, "!stream 300 5")
        live.until_words(20)
        runner = house.running(session)
        os.kill(runner, signal.SIGSTOP)
        time.sleep(3)
        os.kill(runner, signal.SIGCONT)
        live.until_ended(turn)
    assert live.text.split()[-1] == "word300"
    assert house.running(session) == runner


@pytest.mark.contract("G4")
@pytest.mark.parametrize("with_server", [True, False], ids=["server lives", "server dies too"])
def test_G4_no_tool_of_a_dead_run_lives_beside_the_next_agent(
    house: House, person: Person, session: SessionId, *, with_server: bool
) -> None:
    """The tool has a session of its own and outlives its agent; it is gone before the next agent starts."""
    with person.follow(session) as live:
        turn = person.say(session, "!spawn\n!sleep 600000")
        live.until_kind("text.appended")
        tool = spawned(live.text)
        assert alive(tool)
        if not with_server:
            house.kill()
        house.end_runner(session)
        if not with_server:
            house.start()
        live.until_ended(turn)
        following = person.say(session, "!say next")
        wait_until(lambda: person.look(session).text(following), "the next agent")
        assert not alive(tool)
        live.until_ended(following)
    assert person.look(session).end(turn)["outcome"] == "interrupted"
