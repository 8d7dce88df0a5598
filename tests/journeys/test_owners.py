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
from tests.served import HOLDFAST

pytestmark = [pytest.mark.slow, pytest.mark.crash]

IMPATIENT = (sys.executable, "-W", "error", str(Path(__file__).with_name("impatient.py")))
"""A server that takes four seconds without a sign of life for death, and eight without a session."""


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


SLOW = """
import sys, time
if "holdfast.runner" in sys.orig_argv:
    time.sleep(1)
"""
"""What Python reads first: a runner that takes its time before it has its session."""


def test_whoever_has_seen_the_server_end_can_see_every_runner(tmp_path: Path) -> None:
    """One that was just started has its session by then, so that `holdfast stop` does not pass it by."""
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "sitecustomize.py").write_text(SLOW)
    with House(tmp_path / "home") as house:
        house.start(command=("env", f"PYTHONPATH={tmp_path / 'slow'}", *HOLDFAST))
        person = Person(house)
        session = person.begin()
        person.say(session, "!stream 100000 5 w")
        log = house.home / "logs" / "holdfast.log"
        wait_until(lambda: f"runner.spawned session={session}" in log.read_text(), "the runner's start")
        house.stop()
        assert house.runner(session) is not None
        assert house.run("stop").stdout.splitlines()[-1] == "Ended 1 runner."
        assert house.runner(session) is None
        assert not house.tree(session)


STUCK = """
import os, signal, sys
if "holdfast.runner" in sys.orig_argv and not os.path.exists({mark!r}):
    open({mark!r}, "w").close()
    os.kill(os.getpid(), signal.SIGSTOP)
"""
"""A runner, the first one, that stands still before it has its session."""


@pytest.mark.contract("G3")
def test_G3_a_runner_that_never_comes_to_its_session_is_ended_and_another_takes_its_place(tmp_path: Path) -> None:
    """Nobody can hear from it yet; the message runs all the same."""
    (tmp_path / "stuck").mkdir()
    (tmp_path / "stuck" / "sitecustomize.py").write_text(STUCK.format(mark=str(tmp_path / "mark")))
    with House(tmp_path / "home") as house:
        house.start(command=("env", f"PYTHONPATH={tmp_path / 'stuck'}", *IMPATIENT))
        person = Person(house)
        session = person.begin()
        turn = person.say(session, "!say at last")
        assert person.wait_for_end(session, turn).text(turn) == "at last"


@pytest.mark.contract("G3")
def test_G3_what_goes_wrong_with_one_session_costs_the_others_nothing(house: House, person: Person) -> None:
    """A lock that can't be looked at, or a place where its runner can't write: the others have their runners."""
    unlockable, mute, fine = sorted(person.begin() for _ in range(3))
    (house.home / "run" / f"{unlockable}.lock").mkdir(parents=True)  # as one that belongs to somebody else
    (house.home / "logs" / "runners" / f"{mute}.err").mkdir(parents=True)
    turns = {session: person.say(session, "!say hello") for session in (unlockable, mute, fine)}
    assert person.wait_for_end(fine, turns[fine]).text(turns[fine]) == "hello"
    end = person.wait_for_end(mute, turns[mute]).end(turns[mute])
    assert (end["outcome"], "could not be started" in end["error"]) == ("failed", True)
    (house.home / "run" / f"{unlockable}.lock").rmdir()
    assert person.wait_for_end(unlockable, turns[unlockable]).text(turns[unlockable]) == "hello"


@pytest.mark.contract("G3")
def test_G3_a_message_is_not_refused_for_starts_that_failed_before_it_came(
    house: House, person: Person, session: SessionId
) -> None:
    """Somebody was about to write while no runner could be started, as on a full disk; that has passed."""
    errors = house.home / "logs" / "runners" / f"{session}.err"
    errors.mkdir(parents=True)
    log = house.home / "logs" / "holdfast.log"
    for failed in (1, 2, 3):
        assert person.post(f"/api/sessions/{session}/wake").status_code == 202
        wait_until(lambda failed=failed: log.read_text().count("supervisor.failed") >= failed, "the failed start")
    errors.rmdir()
    turn = person.say(session, "!say hello")
    assert person.wait_for_end(session, turn).text(turn) == "hello"
