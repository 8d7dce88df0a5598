"""Memory: what is committed, when, by whom, and that nothing is forgotten."""
# ruff: noqa: N802  tests name the rule they show

import os
import signal
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.diary import Diary
from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = [pytest.mark.slow]

SLOW = "slow 5000"
"""A commit takes long enough to do a few things meanwhile, on a busy machine too."""


@pytest.fixture
def diary(person: Person, tmp_path: Path) -> Diary:
    return Diary(person, tmp_path / "work")


def emptied(person: Person, session: SessionId) -> None:
    person.post(f"/api/sessions/{session}/truncate", {}).raise_for_status()


# Turns.


@pytest.mark.contract("M1")
def test_M1_only_turns_that_ended_well_are_committed(person: Person, diary: Diary) -> None:
    """Not one that failed, was cancelled, or whose end lies behind a cancel; and without any, nobody is asked."""
    failed = person.say(diary.session, "!fail No.")
    person.wait_for_end(diary.session, failed)
    cancelled = person.say(diary.session, "!stream 10000 20")
    wait_until(lambda: person.look(diary.session).text(cancelled), "some words")
    person.cancel(diary.session, cancelled)
    person.wait_for_end(diary.session, cancelled)
    assert diary.state()["generation"] == 0
    assert diary.commit() == {"committed": False, "reason": "nothing"}
    assert diary.calls == []
    diary.turn()
    assert diary.state() | {"generation": 1, "uncommitted": True} == diary.state()
    assert diary.commit() == {"committed": True, "reason": None}
    assert diary.tokens == ["1-1"]


@pytest.mark.contract("M2")
def test_M2_turns_of_one_owner_are_committed_with_one_call(diary: Diary) -> None:
    """Three turns are three generations and one call; with nothing new, the next commit reports false."""
    for _ in range(3):
        diary.turn()
    assert diary.calls == [], "a turn's end calls nobody"
    assert diary.state()["generation"] == 3
    assert diary.commit() == {"committed": True, "reason": None}
    assert diary.commit() == {"committed": False, "reason": "nothing"}
    assert diary.tokens == ["1-3"]
    assert diary.state() == {
        "generation": 3,
        "committed": 3,
        "uncommitted": False,
        "commits": 1,
        "in_flight": False,
        "may_be_doubled": False,
        "last_error": None,
    }


@pytest.mark.contract("M2")
@pytest.mark.contract("M6")
def test_M6_two_owners_live_until_each_has_committed_its_own(house: House, person: Person, diary: Diary) -> None:
    """Another model is another process. The old one is kept, commits first and alone, and is closed then."""
    diary.turn()
    old = house.tree(diary.session)
    person.patch(f"/api/sessions/{diary.session}", {"model": "other"}).raise_for_status()
    diary.turn()
    both = house.tree(diary.session)
    assert len(both) == 2
    assert old < both
    assert diary.commit()["committed"]
    assert diary.state() | {"committed": 1, "uncommitted": True} == diary.state()
    wait_until(lambda: not any(alive(pid) for pid in old), "the end of the old process")
    assert diary.commit()["committed"]
    assert diary.tokens == ["1-1", "2-2"]
    first, second = [event["owner"] for event in diary.records("memory.started")]
    assert first != second
    assert house.tree(diary.session) == both - old
    assert all("messages" not in call for call in diary.calls), "both were there when it was said"


# Boundaries.


@pytest.mark.contract("M3")
def test_M3_a_new_session_that_names_its_predecessor_is_answered_at_once(
    person: Person, diary: Diary, tmp_path: Path
) -> None:
    """The commit of the predecessor is in flight, or has not begun, when the new session is there."""
    diary.behave(SLOW)
    successor = Diary(person, tmp_path / "next", predecessor=diary.session)
    assert diary.state()["uncommitted"]
    assert successor.state()["generation"] == 0
    diary.wait(committed=1, uncommitted=False)
    assert diary.tokens == ["1-1"]
    assert diary.records("memory.requested")[0]["successor"] == successor.session
    diary.turn()
    person.begin(prev_session_id=diary.session)
    diary.wait(committed=2)


@pytest.mark.contract("M9")
def test_M9_no_predecessor_is_no_error(person: Person, diary: Diary) -> None:
    """An empty, null or unknown one creates the session and commits nothing; an empty ledger is all zero and false."""
    diary.turn()
    for named in ({"predecessor": ""}, {"predecessor": None}, {"prev_session_id": ""}, {"prev_session_id": None}, {}):
        assert person.post("/api/sessions", dict(named)).status_code == 201
    assert person.post("/api/sessions", {"predecessor": "nobody"}).status_code == 201
    empty = person.begin()
    assert person.get(f"/api/sessions/{empty}/memory").json() == {
        "generation": 0,
        "committed": 0,
        "uncommitted": False,
        "commits": 0,
        "in_flight": False,
        "may_be_doubled": False,
        "last_error": None,
    }
    answer = person.post(f"/api/sessions/{empty}/memory/commit")
    assert answer.json() == {"committed": False, "reason": "nothing"}
    assert [record["event"]["kind"] for record in person.records(empty)] == ["session.created"]
    assert person.post("/api/sessions//memory/commit").status_code == 404
    assert diary.calls == []


@pytest.mark.contract("M8")
def test_M8_an_idle_agent_is_evicted_after_its_commit(tmp_path: Path) -> None:
    """The rest is committed, then its process ends, and nobody asks it again: there is nothing to commit."""
    with House(tmp_path / "home", "[runners]\nspare = false\nidle_minutes = 0.02\n") as house:
        house.start()
        diary = Diary(Person(house), tmp_path / "work")
        diary.behave("slow 500")
        runner = house.running(diary.session)
        wait_until(lambda: not alive(runner), "the end of the idle runner")
        assert house.tree(diary.session) == set()
        assert diary.tokens == ["1-1"]
        assert diary.state() | {"committed": 1, "uncommitted": False} == diary.state()
        assert diary.commit() == {"committed": False, "reason": "nothing"}
        assert diary.tokens == ["1-1"]
        kinds = [record["event"]["kind"] for record in Person(house).records(diary.session)]
        assert kinds[-2:] == ["memory.committed", "runner.stopped"]


@pytest.mark.contract("M3")
@pytest.mark.contract("M8")
def test_M8_an_agent_whose_commit_fails_is_kept_and_asked_again_later(tmp_path: Path) -> None:
    """It fails at eviction; half a minute later the same process commits what it failed to, and is closed then."""
    with House(tmp_path / "home", "[runners]\nspare = false\nidle_minutes = 0.02\n") as house:
        house.start()
        person = Person(house)
        diary = Diary(person, tmp_path / "work")
        diary.behave("fail 1")
        diary.wait(last_error="The agent could not commit its memory: The script says that this commit fails.")
        agents = house.tree(diary.session)
        assert len(agents) == 1
        assert diary.state() | {"committed": 0, "uncommitted": True, "in_flight": False} == diary.state()
        wait_until(lambda: not house.runner(diary.session), "a good eviction", 90)
        assert not any(alive(pid) for pid in agents)
        log = person.records(diary.session)
        times = [record["time"] for record in log if record["event"]["kind"] in ("memory.failed", "memory.started")]
        assert diary.tokens == ["1-1", "1-1"]
        assert times[2] - times[1] >= 30_000
        assert len({event["owner"] for event in diary.records("memory.started")}) == 1
        assert not diary.state()["may_be_doubled"], "we saw it fail"


@pytest.mark.contract("M8")
def test_M8_clear_is_shown_while_its_commit_is_in_flight(person: Person, diary: Diary) -> None:
    """The transcript is empty at once; the agent that knows what was said commits it behind that."""
    diary.behave(SLOW)
    emptied(person, diary.session)
    assert person.look(diary.session).items == []
    assert diary.state()["uncommitted"], "the commit has not ended, and nobody waited for it"
    diary.wait(committed=1, uncommitted=False)
    assert "messages" not in diary.calls[0]


@pytest.mark.contract("M8")
def test_M8_delete_is_durable_before_its_commit(house: House, person: Person, diary: Diary) -> None:
    """The session is gone at once. Both owners' turns are committed behind that, and other requests are served."""
    diary.behave(SLOW)
    person.patch(f"/api/sessions/{diary.session}", {"model": "other"}).raise_for_status()
    diary.turn()
    with house.server.client() as client:
        client.delete(f"/api/sessions/{diary.session}").raise_for_status()
    assert person.get(f"/api/sessions/{diary.session}").status_code == 404
    assert len(diary.records("memory.committed")) < 2
    wait_until(lambda: len(diary.records("memory.committed")) == 2, "both commits")
    assert diary.tokens == ["1-1", "2-2"]


# Slow and failing providers.


@pytest.mark.contract("M4")
@pytest.mark.contract("M7")
def test_M4_a_turn_that_ends_during_a_commit_belongs_to_the_next(diary: Diary) -> None:
    """Turns start and end while the commit runs; a second commit is refused meanwhile, and covers them afterwards."""
    diary.behave(SLOW)
    with diary.committing() as answers:
        diary.turn()
        assert diary.state() | {"generation": 2, "in_flight": True} == diary.state()
        assert diary.commit() == {"committed": False, "reason": "in_flight"}
    assert answers == [{"committed": True, "reason": None}]
    assert diary.state() | {"committed": 1, "uncommitted": True} == diary.state()
    assert diary.commit()["committed"]
    assert diary.tokens == ["1-1", "2-2"]


@pytest.mark.contract("M5")
def test_M5_a_failed_commit_loses_nothing(diary: Diary) -> None:
    """It is told as an answer, not as an error; the next one, which names no agent, is made by the same process."""
    diary.behave("fail 1")
    answer = diary.ask()
    assert (answer.status_code, answer.json()) == (200, {"committed": False, "reason": "failed"})
    state = diary.state()
    assert state | {"committed": 0, "uncommitted": True, "commits": 0, "in_flight": False} == state
    assert "says that this commit fails" in state["last_error"]
    diary.turn()
    assert diary.commit()["committed"]
    assert diary.tokens == ["1-1", "1-2"]
    assert len({event["owner"] for event in diary.records("memory.started")}) == 1
    assert diary.state() | {"committed": 2, "last_error": None} == diary.state()


@pytest.mark.contract("M8")
def test_M8_a_commit_without_an_agent_reports_false(house: House, diary: Diary, tmp_path: Path) -> None:
    """The agent's folder is gone, so that none can be opened: nothing is lost, and nothing is an error of ours."""
    diary.turn()
    (tmp_path / "work").rename(tmp_path / "away")
    house.end_runner(diary.session)
    diary.wait(last_error="No agent of this session can commit memory now.")
    assert diary.commit() == {"committed": False, "reason": "no_agent"}
    assert diary.state()["uncommitted"]
    wait_until(lambda: not house.runner(diary.session), "the end of a runner that can do nothing")
    (tmp_path / "away").rename(tmp_path / "work")
    assert diary.commit()["committed"]
    assert [message["content"] for message in diary.calls[0]["messages"]] == ["!say done", "done"]


@pytest.mark.contract("M8")
def test_M8_twenty_slow_evictions_hold_up_no_request(tmp_path: Path) -> None:
    """All twenty commit at the same time, and the list is answered meanwhile, again and again."""
    with House(tmp_path / "home", "[runners]\nspare = false\nmax = 24\n") as house:
        house.start()
        person = Person(house)
        diaries = [Diary(person, tmp_path / f"work-{number}") for number in range(20)]
        for diary in diaries:
            person.say(diary.session, "!memory slow 20000\n!say done")
        for diary in diaries:
            diary.wait(generation=1)
        for diary in diaries:
            os.kill(house.running(diary.session), signal.SIGUSR2)
        answered = 0
        while not all(diary.calls for diary in diaries):
            assert len(person.get("/api/sessions").raise_for_status().json()["sessions"]) == 20
            answered += 1
        assert answered > 0
        assert all(diary.state()["in_flight"] for diary in diaries), "nobody waits for anybody"
        wait_until(lambda: not any(house.runner(diary.session) for diary in diaries), "the end of every runner")
        assert [diary.state()["committed"] for diary in diaries] == [1] * 20
