"""A run that died while its words were kept aside: what is told, and how they come back."""
# ruff: noqa: N802  tests name the rule they show

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.journeys.transcript import Transcript
from tests.journeys.trouble import shut

pytestmark = [pytest.mark.slow, pytest.mark.crash]


class Wreck:
    """A session whose first turn ended well, and whose second died with words in a spool that can't be read now."""

    def __init__(self, house: House, person: Person, session: SessionId) -> None:
        self.house, self.person, self.session = house, person, session
        self.first = person.say(session, "!say before")
        person.wait_for_end(session, self.first)
        # Otherwise a runner would come for what the dead one had not committed, and write.
        assert person.post(f"/api/sessions/{session}/memory/commit").json()["committed"]
        with person.follow(session) as live:
            self.turn = person.say(session, "!stream 100000 5")
            live.until_words(30)
            with shut(house.home / "store"):
                wait_until(lambda: len(self._lines()) > 1, "words that were kept aside, in two lines")
                house.end_runner(session)
                self.spool = self._spool()
                self.hidden = self.spool.rename(house.home / "hidden")
                self.spool.mkdir()
            live.until_ended(self.turn)
            live.until_kind("recovery.pending")
        self.kept = self.hidden.read_bytes().count(b"word")

    def _spool(self) -> Path:
        (path,) = (self.house.home / "spools").glob(f"{self.session}.*.spool")
        return path

    def _lines(self) -> list[bytes]:
        return self._spool().read_bytes().rstrip(b"\0").splitlines()

    def uncover(self) -> None:
        """Let the spool be read again."""
        self.spool.rmdir()
        self.hidden.rename(self.spool)

    def look(self) -> Transcript:
        return self.person.look(self.session)

    def recovered(self) -> Transcript:
        """The session when its words are back; reading it is what brings them."""

        def found() -> Transcript | None:
            seen = self.look()
            return seen if seen.end(self.turn).get("recovery") == "recovered" else None

        seen = wait_until(found, "the recovered words")
        assert seen is not None
        return seen

    def check(self, seen: Transcript) -> None:
        """Every word that was kept stands above the marker, in order and once, and nothing else has changed."""
        words = seen.text(self.turn).split()
        assert words == [f"word{number}" for number in range(1, len(words) + 1)]
        assert len(words) >= self.kept
        items = seen.of(self.turn)
        assert [item["type"] for item in (items[0], items[-1])] == ["user", "end"]
        assert any(item.get("recovered") for item in items if item["type"] == "text")
        end = seen.end(self.turn)
        assert (end["outcome"], end["recovery"]) == ("interrupted", "recovered")
        assert not {"attempts", "pending_since"} & set(end)
        assert not seen.session.get("recovering")
        assert not self.spool.exists()


@pytest.fixture
def wreck(house: House, person: Person, session: SessionId) -> Wreck:
    return Wreck(house, person, session)


@pytest.mark.contract("R1")
@pytest.mark.contract("X8")
def test_R1_a_dead_run_without_a_spool_is_interrupted_for_good_at_once(
    house: House, person: Person, session: SessionId
) -> None:
    """All was stored, and nothing is claimed to be missing; its message stands before what was streamed."""
    with person.follow(session) as live:
        turn = person.say(session, "!stream 2000 5")
        live.until_words(50)
        house.kill()
        house.end_runner(session)
        house.start()
        live.until_ended(turn)
    seen = person.look(session)
    assert seen.idle
    assert [item["type"] for item in seen.of(turn)] == ["user", "text", "end"]
    end = seen.end(turn)
    assert (end["outcome"], end.get("recovery", "")) == ("interrupted", "")
    assert seen.text(turn).split() == live.text.split()
    assert list((house.home / "spools").iterdir()) == [], "the reserved space is given back"


@pytest.mark.contract("R1")
@pytest.mark.contract("R3")
@pytest.mark.contract("R4")
def test_R1_while_words_may_still_come_the_marker_is_pending_and_reads_change_nothing(wreck: Wreck) -> None:
    """However often and by however many it is read; the session is idle all the while."""
    before = wreck.look()
    assert before.idle
    end = before.end(wreck.turn)
    assert (end["outcome"], end["recovery"], end.get("attempts", 0)) == ("interrupted", "pending", 0)
    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(wreck.look) for _ in range(40)]:
            assert future.result().seq == before.seq
    time.sleep(1)
    after = wreck.look()
    assert (after.seq, after.items) == (before.seq, before.items)


@pytest.mark.contract("R2")
@pytest.mark.contract("R3")
def test_R3_reading_brings_words_back_that_can_be_found(wreck: Wreck) -> None:
    """Nobody reads and nothing happens; many read at once, and one attempt is made."""
    before = wreck.look()
    time.sleep(2)  # until that look has had its attempt
    wreck.uncover()
    time.sleep(2)
    assert wreck.person.records(wreck.session)[-1]["seq"] == before.seq, "to follow the log is not to load the session"
    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(wreck.look) for _ in range(16)]:
            future.result()
    seen = wreck.recovered()
    wreck.check(seen)
    assert seen.of(wreck.first) == before.of(wreck.first)
    kinds = [record["event"]["kind"] for record in wreck.person.records(wreck.session)]
    assert (kinds.count("recovery.pending"), kinds.count("recovery.finished")) == (1, 1)


@pytest.mark.contract("R2")
def test_R2_words_come_back_to_their_place_though_the_session_went_on(wreck: Wreck) -> None:
    """The next turn was run meanwhile; its runner finds them, and its own turn does not change."""
    following = wreck.person.say(wreck.session, "!say next")
    between = wreck.person.wait_for_end(wreck.session, following)
    wreck.uncover()
    seen = wreck.recovered()
    wreck.check(seen)
    assert seen.of(following) == between.of(following)
    assert seen.of(wreck.first) == between.of(wreck.first)
    last = wreck.person.say(wreck.session, "!say last")
    assert wreck.person.wait_for_end(wreck.session, last).text(last) == "last"


@pytest.mark.contract("R5")
def test_R5_recovery_that_was_killed_half_way_gives_the_same_transcript(wreck: Wreck) -> None:
    """The words are in the log, their spool still lies there, and whoever recovers it next doubles none."""
    house = wreck.house
    house.restart(faults="salvage.adopted=kill")
    wreck.uncover()
    with pytest.raises((httpx.TransportError, AssertionError)):
        wreck.recovered()
    house.server.process.wait(60)
    assert wreck.spool.exists()
    house.kill()
    house.start()
    seen = wreck.recovered()
    wreck.check(seen)
    house.restart()
    assert wreck.look().items == seen.items


@pytest.mark.contract("R6")
def test_R6_a_damaged_line_costs_its_own_words_alone(wreck: Wreck) -> None:
    """What precedes it and what follows it comes back."""
    lines = wreck.hidden.read_bytes().split(b"\n")
    lines[0] = lines[0][:-5] + b"XXXXX"
    wreck.hidden.write_bytes(b"\n".join(lines))
    wreck.uncover()
    words = [int(word.removeprefix("word")) for word in wreck.recovered().text(wreck.turn).split()]
    missing = set(range(1, words[-1] + 1)) - set(words)
    assert words == sorted(words)
    assert missing
    assert missing == set(range(min(missing), max(missing) + 1)), "one gap, where the damage is"
