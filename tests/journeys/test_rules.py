"""What was allowed for more than once (A8), with real runs and a real house log."""
# ruff: noqa: N802  tests name the rule they show

import sys
from pathlib import Path

import httpx
import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Json, Person

pytestmark = [pytest.mark.slow, pytest.mark.contract("A8")]

DELETE = '!approve "rm -r build" "recursive delete"'
OTHER = '!approve "rm -r other" "recursive delete"'


def approvals(person: Person, session: SessionId, turn: str) -> list[tuple[str, str | None, str]]:
    """Command, choice and who chose, of every approval of a turn."""
    items = person.look(session).of(turn)
    return [(item["command"], item.get("choice"), item.get("by", "")) for item in items if item["type"] == "approval"]


def rules(person: Person) -> list[Json]:
    return person.get("/api/approval-rules").json()["rules"]


def test_A8_allowed_for_the_session_holds_for_the_session_and_no_other(person: Person, session: SessionId) -> None:
    """For each of the request's keys; the agent is only ever told *once*."""
    first = person.say(session, DELETE)
    (ask,) = person.wait_for_ask(session)
    assert person.answer(session, ask["ask"], choice="session").status_code == 200
    assert person.wait_for_end(session, first).text(first) == "approved:once"
    second = person.say(session, OTHER)
    assert person.wait_for_end(session, second).text(second) == "approved:once"
    assert approvals(person, session, second) == [("rm -r other", "once", "rule")]
    assert rules(person) == []
    other = person.begin()
    person.say(other, OTHER)
    assert person.wait_for_ask(other)[0]["command"] == "rm -r other"


def test_A8_a_rule_answers_what_waits_already_visibly(person: Person, session: SessionId) -> None:
    turn = person.say(session, "!approvemany 3")
    asks = person.wait_for_ask(session, 3)
    same = person.begin(workspace=asks[0]["workspace"])
    waiting = person.say(same, "!approve command-2")
    (alike,) = person.wait_for_ask(same)
    assert person.answer(session, asks[1]["ask"], choice="always").status_code == 200
    seen = person.wait_for_end(same, waiting)
    assert seen.text(waiting) == "approved:once"
    (approval,) = [item for item in seen.items if item["type"] == "approval"]
    assert (approval["ask"], approval["by"]) == (alike["ask"], "rule")
    assert approval["reason"] == f"Exactly “command-2”, in {asks[0]['workspace']}"
    assert [ask["ask"] for ask in person.asks(session)] == [asks[0]["ask"], asks[2]["ask"]]
    for ask in (asks[0], asks[2]):
        assert person.answer(session, ask["ask"], choice="deny").status_code == 200
    assert person.wait_for_end(session, turn).text(turn) == "denied\napproved:once\ndenied"


def test_A8_allowed_for_good_is_listed_survives_and_can_be_revoked(house: House, person: Person) -> None:
    """In this workspace only; revoked, the next request asks again."""
    folder, elsewhere = house.home.with_name("one"), house.home.with_name("two")
    folder.mkdir()
    elsewhere.mkdir()
    session = person.begin(workspace=str(folder))
    turn = person.say(session, DELETE)
    (ask,) = person.wait_for_ask(session)
    offers = person.get(f"/api/sessions/{session}/asks/{ask['ask']}/offers").json()["offers"]
    assert offers[1] == {
        "choice": "always",
        "everywhere": False,
        "words": f"Any recursive delete, in {folder}, for good",
    }
    assert person.answer(session, ask["ask"], choice="always").status_code == 200
    assert person.answer(session, ask["ask"], choice="always").status_code == 200, "the same answer again"
    person.wait_for_end(session, turn)
    (rule,) = rules(person)
    assert (rule["words"], rule["session"], rule["ask"]) == (f"Any recursive delete, in {folder}", session, ask["ask"])
    assert rule.get("used", 0) == 0
    house.kill()
    house.start()
    same, other = person.begin(workspace=str(folder)), person.begin(workspace=str(elsewhere))
    allowed = person.say(same, OTHER)
    assert person.wait_for_end(same, allowed).text(allowed) == "approved:once"
    wait_until(lambda: rules(person)[0].get("used", 0) > rule["time"], "a note that the rule was used")
    person.say(other, OTHER)
    person.wait_for_ask(other)
    assert person.delete(f"/api/approval-rules/{rule['id']}").status_code == 204
    assert person.delete(f"/api/approval-rules/{rule['id']}").status_code == 404
    assert rules(person) == []
    again = person.begin(workspace=str(folder))
    person.say(again, OTHER)
    person.wait_for_ask(again)


def test_A8_everywhere_is_said_and_holds_in_other_workspaces(person: Person, session: SessionId) -> None:
    person.say(session, DELETE)
    (ask,) = person.wait_for_ask(session)
    assert person.answer(session, ask["ask"], choice="session", everywhere=True).status_code == 400
    assert person.answer(session, ask["ask"], choice="always", everywhere=True).status_code == 200
    other = person.begin()
    turn = person.say(other, OTHER)
    assert person.wait_for_end(other, turn).text(turn) == "approved:once"
    assert rules(person)[0]["words"] == "Any recursive delete, everywhere"


def test_A8_a_second_key_is_not_covered(person: Person, session: SessionId) -> None:
    """The person is asked, though the rule knows one of them."""
    person.say(session, DELETE)
    (ask,) = person.wait_for_ask(session)
    assert person.answer(session, ask["ask"], choice="always", everywhere=True).status_code == 200
    other = person.begin()
    person.say(other, '!approve "rm -r build" "run as root"')
    person.wait_for_ask(other)


def test_A8_a_rule_that_the_server_could_not_write_any_more_is_written_by_the_run(house: House, person: Person) -> None:
    """The answer is in the log, the server dies there and then; what was allowed for good is."""
    house.restart(faults="server.appended=kill:2")
    session = person.begin()
    turn = person.say(session, DELETE)
    (ask,) = person.wait_for_ask(session)
    with pytest.raises(httpx.TransportError):
        person.answer(session, ask["ask"], choice="always")
    house.restart()
    person.wait_for_end(session, turn)
    assert [rule["words"].startswith("Any recursive delete, in ") for rule in rules(person)] == [True]


# The reason of a refusal.


def test_a_refusals_reason_reaches_an_agent_that_can_hear_it(person: Person, session: SessionId) -> None:
    turn = person.say(session, "!approve rm")
    (ask,) = person.wait_for_ask(session)
    answer = person.answer(session, ask["ask"], choice="deny", reason="not today")
    assert answer.json()["reason_goes"] == "agent"
    assert person.wait_for_end(session, turn).text(turn) == "denied:not today"


@pytest.mark.parametrize(
    ("lacking", "goes"), [(("reasons",), "steer"), (("reasons", "steer"), "turn")], ids=["steered", "queued"]
)
def test_a_refusals_reason_reaches_an_agent_that_cant(tmp_path: Path, lacking: tuple[str, ...], goes: str) -> None:
    """As words during the run, or as the next turn; the answer says which."""
    command = [sys.executable, "-P", "-m", "holdfast.agents.scripted", *lacking]
    config = f"[runners]\nspare = false\n[agents.deaf]\ncommand = {command!r}\n"
    with House(tmp_path / "home", config) as house:
        house.start()
        person = Person(house)
        session = person.begin(agent="deaf")
        turn = person.say(session, "!approve rm\n!sleep 300")
        (ask,) = person.wait_for_ask(session)
        answer = person.answer(session, ask["ask"], choice="deny", reason="not today")
        assert answer.json()["reason_goes"] == goes
        words = "I refused this step: rm\nBecause: not today"
        if goes == "steer":
            assert f"steered:{words}" in person.wait_for_end(session, turn).text(turn)
            return

        def told() -> list[str]:
            return [item["text"] for item in person.look(session).items if item["type"] == "user"][1:]

        assert wait_until(told, "the reason as the next turn") == [words]
