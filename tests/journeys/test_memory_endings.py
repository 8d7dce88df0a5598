"""Memory when things end: a stop waits for it and commits the rest, and what is left after any end is known."""
# ruff: noqa: N802  tests name the rule they show

import signal
from pathlib import Path

import pytest

from tests.journeys.diary import Diary
from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = [pytest.mark.slow, pytest.mark.crash]


@pytest.fixture
def diary(person: Person, tmp_path: Path) -> Diary:
    return Diary(person, tmp_path / "work")


# Shutdown.


@pytest.mark.contract("M7")
def test_M7_a_stop_waits_for_the_commit_in_flight_and_commits_the_rest(house: House, diary: Diary) -> None:
    """What was completed meanwhile is committed too; stopping the web server alone is no boundary."""
    diary.behave("slow 4000")
    house.restart()
    assert diary.state() | {"uncommitted": True, "commits": 0} == diary.state()
    with diary.committing():
        diary.turn()
        stopped = house.run("stop")
    assert stopped.returncode == 0
    assert "not committed" not in stopped.stdout
    assert diary.tokens == ["1-1", "2-2"]
    house.start()
    assert diary.state() | {"committed": 2, "commits": 2, "may_be_doubled": False} == diary.state()


@pytest.mark.contract("M7")
def test_M7_a_runner_that_is_ended_in_a_turn_commits_what_was_completed_before(
    house: House, person: Person, diary: Diary
) -> None:
    """The turn is interrupted; the same process, which is asked politely to stop, commits the turns before it."""
    diary.turn()
    interrupted = person.say(diary.session, "!stream 100000 20")
    wait_until(lambda: person.look(diary.session).text(interrupted), "some words")
    house.end_runner(diary.session, signal.SIGTERM)
    seen = person.wait_for_end(diary.session, interrupted)
    assert seen.end(interrupted)["outcome"] == "interrupted"
    assert diary.state() | {"generation": 1, "committed": 1} == diary.state()
    assert diary.tokens == ["1-1"]
    assert "messages" not in diary.calls[0], "its owner was there when it was said"


@pytest.mark.contract("M7")
def test_M7_an_agent_that_hangs_is_ended_and_another_commits_what_it_had_completed(
    house: House, person: Person, diary: Diary
) -> None:
    """It is deaf to every wish to stop. What it had completed is committed by the next, which is told what was said."""
    diary.turn("!say before")
    hanging = person.say(diary.session, "!say now\n!hang")
    wait_until(lambda: person.look(diary.session).text(hanging), "some words")
    house.end_runner(diary.session, signal.SIGTERM)
    assert diary.state() | {"generation": 1, "committed": 1} == diary.state()
    assert [message["content"] for message in diary.calls[0]["messages"]] == ["!say before", "before"]
    assert house.tree(diary.session) == set()


@pytest.mark.contract("M7")
@pytest.mark.contract("M10")
def test_M10_a_provider_that_never_returns_can_not_hang_a_stop(house: House, diary: Diary) -> None:
    """The stop ends at its deadline and says what is left; after the next start it is committed, maybe doubled."""
    diary.behave("slow 600000")
    diary.turn()
    stopped = house.run("stop")
    assert stopped.returncode == 0
    assert f"Session {diary.session}: 2 turns are not committed to memory." in stopped.stdout
    assert house.tree(diary.session) == set()
    assert diary.tokens == ["1-2"]
    house.start()
    state = diary.wait(committed=2)
    assert state | {"commits": 1, "may_be_doubled": True, "last_error": None} == state
    assert diary.tokens == ["1-2", "1-2"]
    assert len({event["owner"] for event in diary.records("memory.started")}) == 2


# Crashes.


@pytest.mark.contract("M10")
@pytest.mark.parametrize("with_server", [True, False], ids=["server lives", "server dies too"])
def test_M10_what_was_not_committed_is_known_after_kill_9(house: House, diary: Diary, *, with_server: bool) -> None:
    """It is committed once, without doubt, by another process that is handed only that segment's messages."""
    diary.turn("!say first")
    assert diary.commit()["committed"]
    diary.turn("!say second")
    diary.turn("!say third")
    runner = house.running(diary.session)
    if not with_server:
        house.kill()
    house.end_runner(diary.session)
    if not with_server:
        house.start()
    state = diary.wait(committed=3)
    assert state | {"generation": 3, "commits": 2, "may_be_doubled": False} == state
    assert diary.tokens == ["1-1", "2-3"]
    told = [message["content"] for message in diary.calls[1]["messages"]]
    assert told == ["!say second", "second", "!say third", "third"]
    assert not alive(runner)
    wait_until(lambda: not house.runner(diary.session), "the end of a runner that had nothing else to do")


@pytest.mark.contract("M10")
@pytest.mark.parametrize("point", ["runner.memory_started", "runner.memory_ending"])
def test_M10_a_commit_in_flight_at_a_crash_is_repeated_with_the_same_token(tmp_path: Path, point: str) -> None:
    """Before and after the provider's answer: nobody saw the end, so it is made again and shown as maybe doubled."""
    with House(tmp_path / "home") as house:
        house.start(faults=f"{point}=kill")
        diary = Diary(Person(house), tmp_path / "work")
        diary.turn()
        with diary.committing():
            wait_until(lambda: not house.runner(diary.session), "the death of the runner")
            house.restart()
        diary.commit()  # it died more than once: without this, the next attempt is in no hurry
        state = diary.wait(committed=1)
        assert state | {"commits": 1, "may_be_doubled": True} == state
        started = diary.records("memory.started")
        assert len(started) > 1
        assert {event["token"] for event in started} == {f"{diary.session}:1-1"}
        assert len(diary.tokens) == (1 if point == "runner.memory_started" else len(started))
        diary.turn()
        assert diary.commit()["committed"]
        assert [event["token"] for event in diary.records("memory.started")][len(started) :] == [
            f"{diary.session}:2-2"
        ], "a commit whose end we saw is never repeated"


@pytest.mark.contract("M6")
@pytest.mark.contract("M10")
def test_M10_an_agent_that_died_is_succeeded_by_the_next_of_its_session(person: Person, diary: Diary) -> None:
    """Its process is known to be dead; the agent that the session talks to now adopts its turns."""
    diary.turn("!say first")
    crashed = person.say(diary.session, "!crash")
    assert person.wait_for_end(diary.session, crashed).end(crashed)["outcome"] == "failed"
    diary.turn("!say second")
    assert diary.commit()["committed"]
    assert diary.commit()["committed"]
    assert diary.tokens == ["1-1", "2-2"]
    told = [message["content"] for message in diary.calls[0]["messages"]]
    assert told == ["!say first", "first"]
    assert "messages" not in diary.calls[1]
    assert len(diary.records("agent.ended")) == 1
