"""Questions from an agent's request to the answer it gets, over real connections and real processes."""
# ruff: noqa: N802  tests name the rule they show

import random

import httpx
import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Json, Person
from tests.server.dialect.system import QUESTIONS

pytestmark = pytest.mark.slow

MANY = 50


def ids(asks: list[Json]) -> list[str]:
    return [ask["ask"] for ask in asks]


@pytest.mark.contract("C1")
@pytest.mark.contract("C2")
@pytest.mark.contract("C3")
@pytest.mark.contract("C4")
@pytest.mark.contract("C5")
async def test_C1_to_C5_fifty_at_once_are_told_one_by_one_and_answered_in_any_order(
    api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    """The counts are 1 to 50 before the same head. Each answer is told where it was asked for, and only once."""
    async with QUESTIONS.stream(api, session) as tab:
        assert await QUESTIONS.first(tab) == (None, 0)
        turn = person.say(session, f"!askmany {MANY}")
        seen = [await QUESTIONS.next(tab) for _ in range(MANY)]
        asks = ids(person.asks(session))
        assert seen == [(asks[0], count) for count in range(1, MANY + 1)]
        waiting, number = list(asks), {ask: place for place, ask in enumerate(asks, 1)}
        for ask in random.Random(1).sample(asks, MANY):
            taken = await QUESTIONS.respond(api, session, ask, f"to {number[ask]}")
            assert (taken.status_code, taken.json()["response"]) == (200, f"to {number[ask]}")
            waiting.remove(ask)
            assert await QUESTIONS.next(tab) == (waiting[0] if waiting else None, len(waiting))
            late = await QUESTIONS.respond(api, session, ask, "too late")
            assert (late.status_code, late.json()["response"]) == (409, f"to {number[ask]}")
        assert (await QUESTIONS.respond(api, session, "unknown", "x")).status_code == 404
    answers = "\n".join(f"answer:to {place}" for place in range(1, MANY + 1))
    assert person.wait_for_end(session, turn).text(turn) == answers


@pytest.mark.contract("C1")
@pytest.mark.contract("C6")
async def test_C6_whoever_comes_late_is_told_what_waits_and_then_what_changes(
    api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    """Another session's stream begins empty and stays so."""
    other = person.begin()
    person.say(session, "!askmany 3")
    asks = ids(person.wait_for_ask(session, 3))
    async with QUESTIONS.stream(api, session) as stream, QUESTIONS.stream(api, other) as elsewhere:
        assert (await stream.next()).data == await QUESTIONS.poll(api, session)
        assert await QUESTIONS.first(elsewhere) == (None, 0)
        assert (await QUESTIONS.respond(api, session, None)).json()["clarify_id"] == asks[0]
        assert await QUESTIONS.next(stream) == (asks[1], 2)
        heard = await elsewhere.any()
        assert (heard.name, heard.data) == (":", "keepalive")


@pytest.mark.crash
@pytest.mark.contract("C3")
@pytest.mark.contract("A9")
async def test_fifty_that_wait_are_there_after_the_server_was_killed_and_reach_their_agent(
    house: House, person: Person, session: SessionId
) -> None:
    """The runner is untouched; it gets all fifty answers."""
    turn = person.say(session, f"!askmany {MANY}")
    before = person.wait_for_ask(session, MANY)
    runner, agents = house.running(session), house.tree(session)
    house.kill()
    house.start()
    async with house.server.async_client() as api:
        async with QUESTIONS.stream(api, session) as tab:
            assert await QUESTIONS.first(tab) == (before[0]["ask"], MANY)
        assert person.asks(session) == before
        for place, ask in enumerate(ids(before), 1):
            assert (await QUESTIONS.respond(api, session, ask, f"to {place}")).status_code == 200
    answers = "\n".join(f"answer:to {place}" for place in range(1, MANY + 1))
    assert person.wait_for_end(session, turn).text(turn) == answers
    assert (house.running(session), house.tree(session)) == (runner, agents)


@pytest.mark.contract("C7")
async def test_C7_a_client_that_vanishes_is_noticed_and_is_no_error(
    house: House, api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    async with QUESTIONS.stream(api, session) as stays:
        await QUESTIONS.first(stays)
        for _ in range(20):
            async with QUESTIONS.stream(api, session) as leaves:
                await QUESTIONS.first(leaves)
        alive = await stays.any()
        assert (alive.name, alive.data) == (":", "keepalive")
        person.say(session, "!ask Who?")
        assert (await QUESTIONS.next(stays))[1] == 1
    wait_until(lambda: person.get("/api/status").json()["watched"] == 0, "that nobody is watched for")
    house.server.errors.seek(0)
    assert "rror" not in house.server.errors.read()


@pytest.mark.contract("C8")
async def test_C8_a_question_that_nobody_answers_in_time_is_gone_and_the_agent_goes_on(
    api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    """It says when it ends. A late answer is refused, and the session takes the next message."""
    async with QUESTIONS.stream(api, session) as tab:
        await QUESTIONS.first(tab)
        turn = person.say(session, "!ask Which? | this | that | timeout=2\n!say went on")
        head = (await tab.next("clarify")).data["pending"]
        assert (head["question"], head["choices_offered"]) == ("Which?", ["this", "that"])
        assert head["timeout_seconds"] == 2
        assert 0 < head["expires_at"] <= head["requested_at"] + 2
        assert await QUESTIONS.next(tab) == (None, 0)
    seen = person.wait_for_end(session, turn)
    assert seen.text(turn) == "unansweredwent on"
    assert (await QUESTIONS.respond(api, session, head["clarify_id"], "this")).status_code == 409
    following = person.say(session, "!ask Still there? | yes\n!say done")
    head = person.wait_for_ask(session)[0]
    polled = (await QUESTIONS.poll(api, session))["pending"]
    assert (polled["timeout_seconds"], polled["expires_at"]) == (0, 0)
    assert person.answer(session, head["ask"], text="in my own words").status_code == 200, "free text beside choices"
    assert person.wait_for_end(session, following).text(following) == "answer:in my own wordsdone"


@pytest.mark.contract("C8")
async def test_C8_a_cancel_releases_the_agent_and_takes_the_question_away(
    api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    async with QUESTIONS.stream(api, session) as tab:
        await QUESTIONS.first(tab)
        turn = person.say(session, "!ask Which?")
        head, count = await QUESTIONS.next(tab)
        assert count == 1
        assert person.cancel(session, turn).status_code == 200
        assert await QUESTIONS.next(tab) == (None, 0)
    seen = person.wait_for_end(session, turn)
    assert (seen.end(turn)["outcome"], seen.idle) == ("cancelled", True)
    assert (await QUESTIONS.respond(api, session, head, "too late")).status_code == 409
    following = person.say(session, "!say here")
    assert person.wait_for_end(session, following).text(following) == "here"


@pytest.mark.contract("C9")
async def test_C9_the_same_question_again_is_one_card_and_every_asker_gets_the_answer(
    api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    """Once it is answered, the same question is a new one."""
    async with QUESTIONS.stream(api, session) as tab:
        await QUESTIONS.first(tab)
        turn = person.say(session, "!asksame 3 Which? | this | that\n!ask Which? | this | that")
        first, count = await QUESTIONS.next(tab)
        assert count == 1
        assert (await QUESTIONS.respond(api, session, first, "this")).status_code == 200
        assert await QUESTIONS.next(tab) == (None, 0), "there was no second one"
        second, count = await QUESTIONS.next(tab)
        assert (count, second == first) == (1, False)
        assert (await QUESTIONS.respond(api, session, second, "that")).status_code == 200
    assert person.wait_for_end(session, turn).text(turn) == "answer:this\nanswer:this\nanswer:thisanswer:that"
