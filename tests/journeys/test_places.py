"""No more runners than there are places, and one kept warm for the next session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.ownership import living
from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = pytest.mark.slow

ONE_PLACE = "[runners]\nmax = 1\nspare = false\n"
WARM = "[runners]\nspare = true\n"


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[House]:
    """A house with one place."""
    with House(tmp_path / "home", ONE_PLACE) as house:
        house.start()
        yield house


def state(person: Person, session: SessionId) -> str:
    rows = person.get("/api/sessions").json()["sessions"]
    return next(row["state"] for row in rows if row["id"] == session)


def test_who_finds_no_place_waits_and_the_busy_one_is_not_disturbed(narrow: House) -> None:
    """It is seen to wait in the list, and runs when there is a place again."""
    person = Person(narrow)
    first, second = person.begin(), person.begin()
    running = person.say(first, "!stream 300 10")
    runner = narrow.running(first)
    waiting = person.say(second, "!say at last")
    seen = person.wait_for_end(first, running)
    assert seen.end(running)["outcome"] == "completed"
    assert seen.text(running).split()[-1] == "word300"
    order = person.wait_for_end(second, waiting)
    assert order.text(waiting) == "at last"
    ended = next(r["time"] for r in person.records(first) if r["event"]["kind"] == "turn.ended")
    started = next(r["time"] for r in person.records(second) if r["event"]["kind"] == "turn.started")
    assert started >= ended
    wait_until(lambda: not alive(runner), "the end of the runner that made room")


def test_a_waiting_turn_shows_in_the_list_and_can_be_cancelled(narrow: House) -> None:
    """Without ever having run."""
    person = Person(narrow)
    first, second = person.begin(), person.begin()
    person.say(first, "!sleep 600000")
    narrow.running(first)
    waiting = person.say(second, "!say never")
    assert state(person, second) == "queued"
    places = {"running": 1, "waiting": [second]}
    with person.follow(second) as live:
        live.until(lambda: live.said("places") == [places], "that it waits for a free place")
        assert person.get("/api/status").json()["places"] == places
        assert "1 for a free place (1 running)" in narrow.run("status").stdout
    assert [holder.session for holder in living(narrow.home / "run")] == [first]
    assert person.cancel(second, waiting).status_code == 200
    assert person.look(second).end(waiting)["outcome"] == "cancelled"


def test_an_idle_runner_makes_room_for_a_session_that_has_work(narrow: House) -> None:
    """Its own session is taken up again as if nothing had been."""
    person = Person(narrow)
    sessions = [person.begin() for _ in range(3)]
    for session in (*sessions, *sessions):
        turn = person.say(session, "!say here")
        assert person.wait_for_end(session, turn).end(turn)["outcome"] == "completed"
    kinds = [record["event"]["kind"] for record in person.records(sessions[0])]
    assert kinds.count("runner.stopped") >= 1
    assert "runner.lost" not in kinds


def test_the_runner_that_is_kept_warm_takes_the_next_session(tmp_path: Path) -> None:
    """The same process; another one is warmed for the session after it, and the last goes with the server."""
    with House(tmp_path / "home", WARM) as house:
        house.start()
        person = Person(house)
        spare = wait_until(lambda: spares(house), "a spare")
        session = person.begin()
        turn = person.say(session, "!say here")
        person.wait_for_end(session, turn)
        assert {house.running(session)} == spare
        another = wait_until(lambda: spares(house) - spare, "another spare")
        house.kill()
        wait_until(lambda: not [pid for pid in another if alive(pid)], "the end of the spare")
        assert alive(house.running(session)), "a runner with a session is no spare"
        house.start()


def spares(house: House) -> set[int]:
    """The living processes of this home that wait for the name of a session."""
    found: set[int] = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue  # it has ended meanwhile
        if b"--spare" in words and str(house.home).encode() in words and alive(int(path.parent.name)):
            found.add(int(path.parent.name))
    return found - {holder.pid for holder in living(house.home / "run")}
