"""A run outlives the server, however that goes and whatever becomes of its files."""
# ruff: noqa: N802  tests name the rule they show

import time
from pathlib import Path

import pytest

from holdfast import __version__
from holdfast.core.ids import SessionId
from tests.journeys.follower import Follower
from tests.journeys.house import House, alive
from tests.journeys.installation import NEWER, Installation
from tests.journeys.person import Person
from tests.journeys.transcript import on_screen
from tests.served import HOLDFAST

pytestmark = [pytest.mark.slow, pytest.mark.crash]

WORDS = 2_000
WHOLE = " ".join(f"word{number}" for number in range(1, WORDS + 1))


def assert_all_once_and_in_order(person: Person, session: SessionId, turn: str, live: Follower) -> None:
    """What the connection got over all its reconnections, and what a reload shows."""
    assert live.text == WHOLE
    assert live.seqs == list(range(1, len(live.seqs) + 1))
    assert not live.said("reset")
    seen = person.look(session)
    assert seen.text(turn) == WHOLE
    assert seen.end(turn)["outcome"] == "completed"
    assert [item["type"] for item in seen.of(turn)] == ["user", "text", "end"]


@pytest.mark.contract("G2")
@pytest.mark.parametrize("how", ["kill -9", "the main process by SIGTERM"])
def test_G2_the_same_run_goes_on_without_its_server(house: House, person: Person, session: SessionId, how: str) -> None:
    """The same process, and a browser that comes back with its cursor has every word once and in order."""
    with person.follow(session) as live:
        turn = person.say(session, f"!stream {WORDS} 5")
        live.until_words(200)
        runner, agents = house.running(session), house.tree(session)
        (house.kill if how == "kill -9" else house.stop)()
        seen = len(live.text.split())
        assert seen < WORDS, "the run must be in the middle of it"
        time.sleep(1)
        assert alive(runner)
        house.start()
        grown = len(person.look(session).text(turn).split())
        assert grown > seen, "it went on while there was no server"
        live.until_ended(turn)
    assert live.connections > 1
    assert house.running(session) == runner
    assert house.tree(session) == agents
    assert_all_once_and_in_order(person, session, turn, live)


@pytest.mark.contract("G2")
@pytest.mark.parametrize("replaced", ["by another version's", "by broken ones"])
def test_G2_a_run_goes_on_when_the_files_under_it_are_replaced(tmp_path: Path, replaced: str) -> None:
    """Server, runner and agent run from files that are all replaced while the run streams, asks and uses a tool."""
    installed = Installation(tmp_path / "installed")
    with House(tmp_path / "home") as house:
        house.start(command=installed.command)
        person = Person(house)
        session = person.begin()
        with person.follow(session) as live:
            turn = person.say(session, f"!stream {WORDS} 5\n!tool read {{}} 1 yes\n!approve rm\n!ask Who?\n!fail done")
            live.until_words(200)
            runner = house.running(session)
            broken = replaced == "by broken ones"
            (installed.spoil if broken else installed.upgrade)()
            assert len(live.text.split()) < WORDS, "the run must be in the middle of it"
            house.kill()
            house.start(command=HOLDFAST if broken else installed.command)
            for answer in ({"choice": "once"}, {"text": "Me"}):
                (ask,) = person.wait_for_ask(session)
                assert person.answer(session, ask["ask"], **answer).status_code == 200
            live.until_ended(turn)
        holder = house.runner(session)
        assert holder is not None
        assert (holder.pid, holder.version) == (runner, __version__)
        status = person.get("/api/status").json()
        assert status["version"] == (__version__ if broken else NEWER), "the new server is of the other version"
        seen = person.look(session)
        assert seen.text(turn) == f"{WHOLE}approved:onceanswer:Me"
        assert (seen.end(turn)["outcome"], seen.end(turn)["error"]) == ("failed", "done")
        assert live.seqs == list(range(1, len(live.seqs) + 1))
        assert on_screen(live.records) == seen.shown
