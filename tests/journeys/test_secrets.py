"""A secret answer reaches the agent and lies nowhere else (C10); and what runs is what was approved (A10)."""
# ruff: noqa: N802  tests name the rule they show

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.core.policy import digest
from holdfast.settings import read_settings
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = pytest.mark.slow

SECRET = "correct horse: battery ünd staple"
HIDDEN = f"secret:{sha256(SECRET.encode()).hexdigest()[:8]}"
ASK = "!ask Password? | secret=yes"


def files(*folders: Path) -> bytes:
    """All that lies in these folders, the database included."""
    return b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


@pytest.mark.contract("C10")
def test_C10_a_secret_reaches_the_agent_and_is_written_nowhere(
    house: House, person: Person, session: SessionId
) -> None:
    """Not into the log, no file of the home and no answer to anybody; it says only that it was given."""
    turn = person.say(session, ASK)
    (ask,) = person.wait_for_ask(session)
    assert ask["secret"]
    assert person.answer(session, ask["ask"], text=SECRET).status_code == 200
    seen = person.wait_for_end(session, turn)
    assert seen.text(turn) == HIDDEN
    (question,) = [item for item in seen.items if item["type"] == "question"]
    assert (question["state"], question.get("answer", "")) == ("delivered", "")
    (answered,) = [r["event"] for r in person.records(session) if r["event"]["kind"] == "question.answered"]
    assert answered["secret"]
    assert "text" not in answered
    assert person.answer(session, ask["ask"], text=SECRET).status_code == 200, "the same client, who heard no reply"
    house.stop()
    assert SECRET.encode() not in files(house.home)
    house.start()
    assert SECRET not in person.get("/api/audit").text


@pytest.mark.contract("C10")
def test_C10_a_secret_that_the_run_does_not_take_is_asked_again(
    house: House, person: Person, session: SessionId
) -> None:
    """Nothing is recorded, the question still waits, and the next try succeeds."""
    turn = person.say(session, ASK)
    (ask,) = person.wait_for_ask(session)
    door = read_settings({}, home=house.home).doors / session
    away = door.with_name("away")
    door.rename(away)
    refused = person.answer(session, ask["ask"], text=SECRET)
    assert refused.status_code == 503
    assert "still waits" in refused.json()["error"]
    assert [waiting["ask"] for waiting in person.asks(session)] == [ask["ask"]]
    away.rename(door)
    assert door.stat().st_mode & 0o777 == 0o600
    assert person.answer(session, ask["ask"], text=SECRET).status_code == 200
    assert person.wait_for_end(session, turn).text(turn) == HIDDEN


@pytest.mark.contract("C10")
def test_C10_of_two_secrets_the_one_that_lies_first_is_told(house: House, person: Person, session: SessionId) -> None:
    """The run has both, and the log says which one counts."""
    turn = person.say(session, ASK)
    (ask,) = person.wait_for_ask(session)
    secrets = [SECRET, "another"]

    def give(text: str) -> int:
        with house.server.client() as client:
            address = f"/api/sessions/{session}/asks/{ask['ask']}"
            return client.post(address, json={"text": text}, headers={"holdfast-client": text[:3]}).status_code

    with ThreadPoolExecutor(2) as both:
        codes = list(both.map(give, secrets))
    assert sorted(codes) == [200, 409]
    told = person.wait_for_end(session, turn).text(turn)
    winner = secrets[codes.index(200)]
    assert told == f"secret:{sha256(winner.encode()).hexdigest()[:8]}"


@pytest.mark.contract("C10")
def test_C10_an_answer_whose_run_died_first_is_not_delivered(house: House, person: Person) -> None:
    """It is recorded; the run dies before the agent is told; the transcript says so."""
    session = person.begin()
    turn = person.say(session, "!ask Which?")
    (ask,) = person.wait_for_ask(session)
    os.kill(house.running(session), signal.SIGSTOP)
    assert person.answer(session, ask["ask"], text="this").status_code == 200
    house.end_runner(session)
    seen = person.wait_for_end(session, turn)
    (question,) = [item for item in seen.items if item["type"] == "question"]
    assert (question["state"], question["answer"]) == ("undelivered", "this")


@pytest.mark.contract("A10")
def test_A10_the_card_shows_exactly_what_was_asked_and_only_that_is_approved(
    house: House, person: Person, session: SessionId
) -> None:
    """Unabridged, byte for byte; an answer to something else than what was shown answers nothing."""
    hard = "append notes.txt " + "x\u202ey\u200bz " * 2000 + "; rm -r ~"
    turn = person.say(session, f"!approve {hard}")
    (ask,) = person.wait_for_ask(session)
    assert ask["command"] == hard
    assert ask["directory"] == ask["workspace"] == str(house.home / "workspaces" / session)
    assert ask["digest"] == digest(ask["command"], ask["arguments"], ask["directory"])
    other = digest("append notes.txt x", ask["arguments"], ask["directory"])
    assert person.answer(session, ask["ask"], choice="once", digest=other).status_code == 409
    assert len(person.asks(session)) == 1
    assert person.answer(session, ask["ask"], choice="once", digest=ask["digest"]).status_code == 200
    assert person.wait_for_end(session, turn).text(turn) == "approved:once"
    written = (house.home / "workspaces" / session / "notes.txt").read_text("utf-8")
    assert written == hard.removeprefix("append notes.txt ") + "\n"


@pytest.mark.contract("A10")
def test_A10_open_approvals_end_with_their_run(person: Person, session: SessionId) -> None:
    turn = person.say(session, "!approvemany 2")
    asks = person.wait_for_ask(session, 2)
    assert person.cancel(session, turn).status_code == 200
    seen = person.wait_for_end(session, turn)
    assert [item["state"] for item in seen.items if item["type"] == "approval"] == ["expired", "expired"]
    late = person.answer(session, asks[0]["ask"], choice="once")
    assert late.status_code == 409


def test_the_secrets_that_holdfast_holds_are_neither_seen_nor_stored(
    house: House, person: Person, session: SessionId
) -> None:
    """In words, thoughts and tools, also in pieces; what a person wrote and what is approved stays as it is."""
    token = house.server.token
    asked = [
        f"!say It is {token}.",
        f"!think {token}",
        f'!tool show {{"key": "{token}"}} 1 {token}',
        f"!plan use {token}",
        f"!approve send {token} far-away",
        f"!title {token}",
        "!ask Password? | secret=yes",
        f"!say again {SECRET}",
    ]
    turn = person.say(session, "\n".join(asked))
    (approval,) = person.wait_for_ask(session)
    assert approval["command"] == f"send {token} far-away"
    person.answer(session, approval["ask"], choice="deny")
    (question,) = person.wait_for_ask(session)
    assert person.answer(session, question["ask"], text=SECRET).status_code == 200
    seen = person.wait_for_end(session, turn)
    label = f"[Holdfast's token, {len(token)} characters]"
    assert f"It is {label}." in seen.text(turn)
    assert f"again [secret answer, {len(SECRET)} characters]" in seen.text(turn)
    records = [record["event"] for record in person.records(session)]
    told = {event["kind"] for event in records if token in str(event)}
    assert told == {"turn.submitted", "approval.requested"}
    covered = {event["kind"] for event in records if label in str(event)}
    assert {"text.appended", "thought.appended", "tool.changed", "plan.replaced", "title.suggested"} <= covered
