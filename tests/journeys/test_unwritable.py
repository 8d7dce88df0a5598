"""A store that can't be written ends no run: what happens is kept aside and reaches the log in order and once."""
# ruff: noqa: N802  tests name the rule they show

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.follower import Follower
from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.journeys.transcript import on_screen
from tests.journeys.trouble import fill, free, shut, small_disk

pytestmark = [pytest.mark.slow, pytest.mark.crash]

TROUBLES = ["full", "locked"]


class Scene:
    """A house whose store can be made unwritable."""

    def __init__(self, house: House, kind: str) -> None:
        self.house, self.kind, self.store = house, kind, house.home / "store"
        self.person = Person(house)

    @contextmanager
    def trouble(self) -> Generator[None]:
        if self.kind == "locked":
            with shut(self.store):
                yield
            return
        fill(self.store)
        try:
            yield
        finally:
            free(self.store)

    def spooling(self, session: SessionId) -> bool:
        holder = self.house.runner(session)
        return holder is not None and holder.spooling

    def spooled(self, session: SessionId) -> int:
        """How many words wait in the runner's reserved space."""
        (path,) = (self.house.home / "spools").glob(f"{session}.*.spool")
        return path.read_bytes().count(b"word")


@pytest.fixture(params=TROUBLES)
def scene(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    home = tmp_path / "home"
    if request.param == "full":
        with small_disk(home / "store"), House(home) as house:
            house.start()
            yield Scene(house, "full")
    else:
        with House(home) as house:
            house.start()
            yield Scene(house, "locked")


def told(live: Follower, *, writable: bool) -> Callable[[], bool]:
    return lambda: bool(live.said("store")) and live.said("store")[-1]["writable"] is writable


@pytest.mark.contract("R7")
def test_R7_a_run_goes_on_while_the_store_cant_be_written(scene: Scene) -> None:
    """Browsers are told, new turns are refused with the reason, and in the end every word is there once, in order."""
    person, house = scene.person, scene.house
    session, other = person.begin(), person.begin()
    with person.follow(session) as live:
        turn = person.say(session, "!stream 3000 5")
        live.until_words(50)
        runner = house.running(session)
        with scene.trouble():
            wait_until(lambda: scene.spooling(session), "a runner that says so")
            live.until(told(live, writable=False), "the word that the store can't be written")
            assert live.said("store")[-1]["error"]
            before = scene.spooled(session)
            refused = person.submit(other, "!say no", "refused")
            assert refused.status_code == 507
            assert refused.json()["error"]
            wait_until(lambda: scene.spooled(session) > before, "more words, kept aside")
            assert len(live.text.split()) < 3000
            assert person.look(session).session["running"] == turn, "what is stored can be read"
        live.until_ended(turn)
        live.until(told(live, writable=True), "the word that the store is back")
        assert house.running(session) == runner
        wait_until(lambda: not scene.spooling(session), "an empty spool")
    assert live.text.split() == [f"word{number}" for number in range(1, 3001)]
    assert live.seqs == list(range(1, len(live.seqs) + 1))
    seen = person.look(session)
    assert seen.end(turn)["outcome"] == "completed"
    assert on_screen(live.records) == seen.shown
    assert person.submit(other, "!say yes", "refused").status_code == 200, "the same message may be sent again"
    assert person.wait_for_end(other, "refused").text("refused") == "yes"


@pytest.mark.contract("X10")
@pytest.mark.contract("R7")
@pytest.mark.parametrize("script", ["!stream 100000 5", "!stream 300 5\n!hang"], ids=["polite", "deaf"])
def test_X10_cancel_works_though_it_cant_be_stored(scene: Scene, script: str) -> None:
    """It goes to the runner as a signal, and is recorded when it can be; a deaf agent is ended meanwhile."""
    person, house = scene.person, scene.house
    session = person.begin()
    with person.follow(session) as live:
        turn = person.say(session, script)
        live.until_words(50)
        agents = house.tree(session)
        with scene.trouble():
            wait_until(lambda: scene.spooling(session), "a runner that says so")
            assert person.cancel(session, turn).status_code == 200
            if "!hang" in script:
                wait_until(lambda: not [pid for pid in agents if alive(pid)], "the end of the agent")
            assert person.look(session).session["running"] == turn, "nothing could be stored yet"
        live.until_ended(turn)
        following = person.say(session, "!say next")
        live.until_ended(following)
    words = person.look(session).text(turn).split()
    assert words == [f"word{number}" for number in range(1, len(words) + 1)]
    assert [event["outcome"] for event in live.of_kind("turn.ended")] == ["cancelled", "completed"]
    assert on_screen(live.records) == person.look(session).shown


@pytest.mark.contract("R7")
def test_R7_when_the_reserve_is_used_up_the_agent_waits_and_nothing_is_dropped(tmp_path: Path) -> None:
    """Three times as much as there is room for."""
    with House(tmp_path / "home") as house:
        house.start()
        scene, person = Scene(house, "locked"), Person(house)
        session = person.begin()
        with person.follow(session) as live:
            turn = person.say(session, "!stream 100 10\n" + "!bytes 1000000\n" * 24 + "!say over")
            live.until_words(20)
            with scene.trouble():
                wait_until(lambda: scene.spooling(session), "a runner that says so")
                live.until(told(live, writable=False), "the word that the store can't be written")
            live.until_ended(turn)
        seen = person.look(session)
        assert seen.end(turn)["outcome"] == "completed"
        *words, over = [item["text"] for item in seen.of(turn) if item["type"] == "text"]
        assert over == "over"
        assert words[0].split() == [f"word{number}" for number in range(1, 101)]
        assert [len(text) for text in words[1:]] == [1_000_000] * 24
        assert set(words[1:]) == {("0123456789abcde\n" * 62_501)[:1_000_000]}


@pytest.mark.contract("R7")
@pytest.mark.contract("R2")
def test_R7_a_runner_that_dies_while_it_spools_loses_nothing_that_it_had_kept(scene: Scene) -> None:
    """Its output is found and stands above the marker, marked as recovered."""
    person, house = scene.person, scene.house
    session = person.begin()
    with person.follow(session) as live:
        turn = person.say(session, "!stream 5000 5")
        live.until_words(50)
        with scene.trouble():
            wait_until(lambda: scene.spooling(session) and scene.spooled(session) > 100, "words kept aside")
            house.end_runner(session)
            kept = scene.spooled(session)
        live.until_ended(turn)
        live.until_kind("recovery.finished")
        seen = person.wait_for_end(session, person.say(session, "!say next"))
    words = seen.text(turn).split()
    assert words == [f"word{number}" for number in range(1, len(words) + 1)]
    assert len(words) > kept
    assert (seen.end(turn)["outcome"], seen.end(turn)["recovery"]) == ("interrupted", "recovered")
    assert [item["type"] for item in seen.of(turn)][-1] == "end"
    assert not list((house.home / "spools").glob(f"{session}.1.spool"))
