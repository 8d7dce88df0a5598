"""Who was asked what, who answered what, when, from where, and whether the agent was told (A11)."""
# ruff: noqa: N802  tests name the rule they show

import json

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.person import Json, Person

pytestmark = [pytest.mark.slow, pytest.mark.contract("A11")]


def lines(person: Person, path: str) -> list[Json]:
    answer = person.get(path)
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_A11_every_ask_and_answer_is_in_the_audit(house: House, person: Person, session: SessionId) -> None:
    """With the client that answered; also what still waits; also when the transcript has been cleared."""
    turn = person.say(session, "!approve append notes.txt one\n!ask Which? | red | blue\n!approve rm danger")
    (first,) = person.wait_for_ask(session)
    with house.server.client() as phone:
        address = f"/api/sessions/{session}/asks/{first['ask']}"
        assert phone.post(address, json={"choice": "once"}, headers={"holdfast-client": "phone"}).status_code == 200
    (second,) = person.wait_for_ask(session)
    assert person.answer(session, second["ask"], text="red").status_code == 200
    (third,) = person.wait_for_ask(session)
    waiting = lines(person, f"/api/sessions/{session}/audit")[-1]
    assert (waiting["ask"], waiting["state"], waiting["answered_at"]) == (third["ask"], "open", 0)
    assert person.answer(session, third["ask"], choice="deny", reason="no").status_code == 200
    person.wait_for_end(session, turn)
    assert person.post(f"/api/sessions/{session}/truncate", {}).status_code == 200
    assert person.look(session).items == []
    one, two, three = lines(person, f"/api/sessions/{session}/audit")
    assert (one["kind"], one["command"], one["choice"], one["by"], one["answered_from"], one["state"]) == (
        "approval",
        "append notes.txt one",
        "once",
        "person",
        "phone",
        "delivered",
    )
    assert one["asked_at"] <= one["answered_at"] <= one["settled_at"]
    assert (one["digest"], one["directory"], one["agent"]) == (first["digest"], first["directory"], "tour")
    assert (two["question"], two["choices"], two["answer"]) == ("Which?", ["red", "blue"], "red")
    assert (three["pattern_keys"], three["choice"], three["reason"]) == (["danger"], "deny", "no")
    records = {record["seq"]: record["event"] for record in person.records(session)}
    assert [records[entry["answer_seq"]]["kind"] for entry in (one, two, three)] == [
        "approval.answered",
        "question.answered",
        "approval.answered",
    ]


def test_A11_the_audit_of_all_sessions_has_each_of_them(person: Person) -> None:
    """Archived and deleted ones too, until they are purged."""
    sessions = [person.begin() for _ in range(3)]
    for session in sessions:
        turn = person.say(session, "!approve ls")
        (ask,) = person.wait_for_ask(session)
        person.answer(session, ask["ask"], choice="deny")
        person.wait_for_end(session, turn)
    person.patch(f"/api/sessions/{sessions[1]}", {"archived": True})
    assert person.delete(f"/api/sessions/{sessions[2]}").status_code in (200, 204)
    assert {entry["session"] for entry in lines(person, "/api/audit")} == set(sessions)
    assert person.get("/api/sessions/nobody/audit").status_code == 404
