"""What is shown is stored, no session is ever stuck, and nothing is done twice by us."""
# ruff: noqa: N802  tests name the rule they show

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import httpx
import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.person import Person
from tests.journeys.transcript import on_screen

pytestmark = [pytest.mark.slow, pytest.mark.crash]

AT_ONCE = 8
STUCK_AFTER = 10.0
"""Seconds after which a session counts as stuck."""
T = TypeVar("T")


def at_once(act: Callable[[], T]) -> list[T]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [future.result() for future in [pool.submit(act) for _ in range(AT_ONCE)]]


@pytest.mark.contract("G1")
@pytest.mark.parametrize("words", [3, 40, 150])
def test_G1_what_was_seen_is_there_after_every_process_died(
    house: House, person: Person, session: SessionId, words: int
) -> None:
    """Server, runner and agent are killed in the middle of a word; the log has all that a browser was sent."""
    with person.follow(session) as live:
        turn = person.say(session, "!think first\n!stream 2000 2\n!fail never reached")
        live.until_words(words)
        house.kill()
        house.end_runner(session)
        seen = list(live.records)
        house.start()
        live.until_ended(turn)
        assert person.records(session)[: len(seen)] == seen
        reloaded = person.look(session)
    assert reloaded.end(turn)["outcome"] == "interrupted"
    assert on_screen(live.records) == reloaded.shown


@pytest.mark.contract("G2")
def test_G2_asks_wait_for_the_server_to_come_back(house: House, person: Person, session: SessionId) -> None:
    """An approval and questions, still the same ones, answered one by one by somebody who comes later."""
    turn = person.say(session, "!approve append notes.txt once\n!askmany 3")
    before = person.wait_for_ask(session)
    runner = house.running(session)
    house.kill()
    house.start()
    assert person.asks(session) == before
    assert person.answer(session, before[0]["ask"], choice="once").status_code == 200
    questions = person.wait_for_ask(session, 3)
    house.stop()
    house.start()
    assert person.asks(session) == questions
    for number, ask in enumerate(questions, 1):
        assert person.answer(session, ask["ask"], text=f"answer {number}").status_code == 200
    seen = person.wait_for_end(session, turn)
    assert seen.text(turn) == "approved:once" + "\n".join(f"answer:answer {number}" for number in (1, 2, 3))
    assert (house.home / "workspaces" / session / "notes.txt").read_text() == "once\n"
    assert house.running(session) == runner


@pytest.mark.contract("G3")
@pytest.mark.parametrize("victims", ["server", "runner", "agent", "server and runner", "everything"])
def test_G3_a_session_takes_a_message_after_any_kill(
    house: House, person: Person, session: SessionId, victims: str
) -> None:
    """Its run is over soon, and then it is idle; one that goes on without its server is stopped, which works too."""
    with person.follow(session) as live:
        turn = person.say(session, "!stream 3000 20")
        live.until_words(5)
    killed = house.running(session)
    if "agent" in victims or victims == "everything":
        house.end_agent(session)
    if "server" in victims or victims == "everything":
        house.kill()
    if "runner" in victims or victims == "everything":
        house.end_runner(session)
    if "server" in victims or victims == "everything":
        house.start()
    if victims == "server":
        assert house.running(session) == killed
        assert person.cancel(session, turn).status_code == 200
    assert person.wait_for_end(session, turn, STUCK_AFTER).idle
    following = person.say(session, "!say here")
    seen = person.wait_for_end(session, following, STUCK_AFTER)
    assert seen.text(following) == "here"
    outcome = {"server": "cancelled", "agent": "failed"}.get(victims, "interrupted")
    assert seen.end(turn)["outcome"] == outcome or victims == "everything"


@pytest.mark.contract("G3")
def test_G3_a_message_sent_right_after_the_run_died_is_not_held_with_what_it_left(
    house: House, person: Person, session: SessionId
) -> None:
    """Nobody has noticed the death yet when the message comes: it still lies behind the loss, and runs."""
    with person.follow(session) as live:
        turn = person.say(session, "!stream 3000 20")
        live.until_words(5)
    house.end_runner(session)
    following = person.say(session, "!say here")
    seen = person.wait_for_end(session, following, STUCK_AFTER)
    assert seen.text(following) == "here"
    assert seen.end(turn)["outcome"] == "interrupted"


@pytest.mark.contract("A9")
def test_A9_an_answer_given_right_after_the_run_died_is_refused(
    house: House, person: Person, session: SessionId
) -> None:
    turn = person.say(session, "!approve append notes.txt done")
    (ask,) = person.wait_for_ask(session)
    house.end_runner(session)
    assert person.answer(session, ask["ask"], choice="once").status_code == 409
    seen = person.wait_for_end(session, turn, STUCK_AFTER)
    (approval,) = [item for item in seen.items if item["type"] == "approval"]
    assert (approval["state"], approval.get("choice")) == ("expired", None)


@pytest.mark.contract("G4")
def test_G4_a_message_sent_many_times_is_recorded_and_run_once(person: Person, session: SessionId) -> None:
    """Many times at once, and again after its end; another message under its id is refused."""
    answers = at_once(lambda: person.submit(session, "!say one", "the-same"))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["seq"] for answer in answers}) == 1
    person.wait_for_end(session, "the-same")
    assert person.submit(session, "!say one", "the-same").status_code == 200
    other = person.submit(session, "!say two", "the-same")
    assert (other.status_code, other.json()["code"]) == (409, "KeyTaken")
    seen = person.wait_for_end(session, person.say(session, "!say three"))
    assert [shown.text for shown in seen.shown if shown.type == "text"] == ["one", "three"]


@pytest.mark.contract("G4")
def test_G4_an_answer_given_many_times_counts_once(house: House, person: Person, session: SessionId) -> None:
    """What it permits is done once; another answer is refused with the one that counted."""
    turn = person.say(session, "!approve append notes.txt once\n!sleep 300\n!approve rm")
    (ask,) = person.wait_for_ask(session)
    answers = at_once(lambda: person.answer(session, ask["ask"], choice="once"))
    assert {answer.status_code for answer in answers} == {200}
    refused = person.answer(session, ask["ask"], choice="deny")
    assert refused.status_code == 409
    assert refused.json()["record"]["event"]["choice"] == "once"
    (other,) = [ask for ask in person.wait_for_ask(session) if ask["command"] == "rm"]
    assert person.answer(session, other["ask"], choice="deny").status_code == 200
    seen = person.wait_for_end(session, turn)
    assert seen.text(turn) == "approved:oncedenied"
    assert (house.home / "workspaces" / session / "notes.txt").read_text() == "once\n"
    kinds = [record["event"]["kind"] for record in person.records(session)]
    assert (kinds.count("approval.answered"), kinds.count("approval.delivered")) == (2, 2)


@pytest.mark.contract("G4")
def test_G4_a_runner_that_dies_before_it_told_the_agent_repeats_nothing(house: House, person: Person) -> None:
    """The permission is in the log as delivered and its run as interrupted: it may or may not have been used."""
    house.restart(faults="runner.delivered=kill")
    session = person.begin()
    turn = person.say(session, "!approve append notes.txt done")
    (ask,) = person.wait_for_ask(session)
    assert person.answer(session, ask["ask"], choice="once").status_code == 200
    seen = person.wait_for_end(session, turn)
    house.restart()
    assert seen.end(turn)["outcome"] == "interrupted"
    (approval,) = [item for item in seen.items if item["type"] == "approval"]
    assert (approval["state"], approval["choice"]) == ("delivered", "once")
    assert "may or may not have run" in seen.end(turn)["error"]
    assert seen.text(turn) == ""
    notes = house.home / "workspaces" / session / "notes.txt"
    following = person.wait_for_end(session, person.say(session, "!say next"))
    assert following.of(turn) == seen.of(turn)
    assert not notes.exists(), "the agent was never told, and nobody repeated it"
    late = person.answer(session, ask["ask"], choice="deny")
    assert late.status_code == 409


@pytest.mark.contract("G4")
def test_G4_an_intent_that_was_stored_before_the_server_died_is_not_stored_again(house: House, person: Person) -> None:
    """The server dies after the append and before its answer; the browser sends the same again."""
    session = person.begin()
    house.restart(faults="store.committed=kill")
    with pytest.raises(httpx.TransportError):
        person.submit(session, "!say one", "the-same")
    house.kill()
    house.start()
    assert person.submit(session, "!say one", "the-same").status_code == 200
    seen = person.wait_for_end(session, "the-same")
    assert [shown.text for shown in seen.shown if shown.type == "text"] == ["one"]
    assert [record["event"]["kind"] for record in person.records(session)].count("turn.submitted") == 1
