"""Cancel always works, and what comes after the cut never shows."""
# ruff: noqa: N802  tests name the rule they show

import re
import time

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.follower import Follower
from tests.journeys.house import House, alive
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.journeys.transcript import on_screen

pytestmark = [pytest.mark.slow, pytest.mark.crash]


def kinds_after_the_end(live: Follower, turn: str) -> list[str]:
    """What the log has of the turn after its end."""
    ended = next(r["seq"] for r in live.records if r["event"]["kind"] == "turn.ended" and r["event"]["turn"] == turn)
    return [r["event"]["kind"] for r in live.records if r["seq"] > ended and r["event"].get("turn") == turn]


@pytest.mark.contract("X9")
@pytest.mark.parametrize("meanwhile", [1.0, 0.0], ids=["when it has finished", "while it still talks"])
def test_X9_what_comes_after_the_cut_reaches_neither_the_log_nor_a_later_turn(
    person: Person, session: SessionId, meanwhile: float
) -> None:
    """The agent says fifty words more after it has ended the turn. What lies before the end is kept, to the last."""
    with person.follow(session) as live:
        turn = person.say(session, "!late 50\n!stream 100000 2")
        live.until_words(50)
        assert person.cancel(session, turn).status_code == 200
        live.until_ended(turn)
        words = live.text.split()
        assert words == [f"word{number}" for number in range(1, len(words) + 1)]
        time.sleep(meanwhile)
        following = person.say(session, "!stream 60 10 next")
        live.until_ended(following)
        seen = person.look(session)
    assert seen.text(turn).split() == words
    assert seen.text(following).split() == [f"next{number}" for number in range(1, 61)]
    assert kinds_after_the_end(live, turn) == []
    assert on_screen(live.records) == seen.shown


@pytest.mark.contract("X9")
def test_X9_a_turn_that_ended_well_may_still_be_added_to_until_the_next_starts(
    person: Person, session: SessionId
) -> None:
    """Only a cut is a cut: late words of a good turn belong to it."""
    with person.follow(session) as live:
        turn = person.say(session, "!say done \n!late 5")
        live.until(lambda: "late5" in live.text, "the late words")
        following = person.say(session, "!say next")
        live.until_ended(following)
    seen = person.look(session)
    assert seen.text(turn).split() == ["donelate1", "late2", "late3", "late4", "late5"]
    assert seen.text(following) == "next"


@pytest.mark.contract("X10")
def test_X10_an_agent_that_does_not_stop_is_ended_with_all_that_it_started(
    house: House, person: Person, session: SessionId
) -> None:
    """It ignores cancel and SIGTERM, and its tool has a session of its own. Everything is kept; the next turn works."""
    with person.follow(session) as live:
        turn = person.say(session, '!spawn\n!think hm\n!stream 20 1\n!tool read {"a": 1} 1 yes\n!hang')
        live.until(lambda: live.of_kind("tool.changed")[1:], "the tool's end")
        runner, agents = house.running(session), house.tree(session)
        found = re.search(r"spawned:(\d+)", live.text)
        assert found is not None
        assert alive(int(found[1]))
        assert person.cancel(session, turn).status_code == 200
        live.until_ended(turn)
        wait_until(lambda: not house.tree(session), "the end of every process of the agent")
        assert not [pid for pid in agents if alive(pid)]
        seen = person.look(session)
        assert [item["type"] for item in seen.of(turn)] == ["user", "text", "thought", "text", "tool", "end"]
        assert seen.end(turn)["outcome"] == "cancelled"
        assert on_screen(live.records) == seen.shown
        following = person.wait_for_end(session, person.say(session, "!say next"))
    assert following.shown[-2].text == "next"
    assert following.shown[: len(seen.shown)] == seen.shown
    assert house.running(session) == runner


@pytest.mark.contract("X10")
def test_X10_cancel_twice_or_after_the_end_is_harmless(person: Person, session: SessionId) -> None:
    """One marker, one end, and the turn that runs by then is not touched."""
    with person.follow(session) as live:
        turn = person.say(session, "!say here\n!sleep 600000")
        live.until_kind("text.appended")
        answers = [person.cancel(session, turn).status_code for _ in range(5)]
        live.until_ended(turn)
        following = person.say(session, "!say next\n!sleep 300\n!say done")
        live.until(lambda: "next" in live.text, "the next turn")
        late = person.cancel(session, turn)
        live.until_ended(following)
    assert answers[0] == 200
    assert {*answers, late.status_code} <= {200, 404}
    seen = person.look(session)
    assert [(shown.turn, shown.state) for shown in seen.shown if shown.type == "end"] == [
        (turn, "cancelled"),
        (following, "completed"),
    ]
    assert seen.text(following) == "nextdone"
    assert len(live.of_kind("turn.ended")) == 2


@pytest.mark.contract("X10")
def test_X10_a_turn_that_waits_is_cancelled_without_running(person: Person, session: SessionId) -> None:
    """It enters the transcript with its message and its marker."""
    first = person.say(session, "!sleep 600000")
    waiting = person.say(session, "!say never")
    assert person.cancel(session, waiting).status_code == 200
    seen = person.look(session)
    assert [(shown.type, shown.state) for shown in seen.shown if shown.turn == waiting] == [
        ("user", ""),
        ("end", "cancelled"),
    ]
    assert person.cancel(session, first).status_code == 200
    person.wait_for_end(session, first)


@pytest.mark.contract("X10")
def test_X10_a_cancel_releases_an_agent_that_waits_for_answers(person: Person, session: SessionId) -> None:
    """Its open asks end as expired, and an answer that comes later is refused."""
    turn = person.say(session, "!approvemany 3")
    asks = person.wait_for_ask(session, 3)
    assert person.cancel(session, turn).status_code == 200
    seen = person.wait_for_end(session, turn)
    assert {item["state"] for item in seen.items if item["type"] == "approval"} == {"expired"}
    assert person.asks(session) == []
    assert person.answer(session, asks[0]["ask"], choice="once").status_code == 409
