"""Approvals from an agent's request to what it was told, over real connections and real processes."""
# ruff: noqa: N802  tests name the rule they show

import asyncio
import random

import httpx
import pytest

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Json, Person
from tests.journeys.transcript import Transcript
from tests.server.dialect.system import APPROVALS
from tests.server.live import live

pytestmark = pytest.mark.slow

MANY = 8


def ids(asks: list[Json]) -> list[str]:
    return [ask["ask"] for ask in asks]


def shown(seen: Transcript) -> list[Json]:
    return [item for item in seen.items if item["type"] == "approval"]


@pytest.mark.contract("A1")
def test_A1_each_of_many_is_answered_on_its_own_and_in_any_order(person: Person, session: SessionId) -> None:
    """The agent is told each answer where it asked for it; another session shows nothing of them."""
    turn, other = person.say(session, f"!approvemany {MANY}"), person.begin()
    asks = person.wait_for_ask(session, MANY)
    assert [ask["command"] for ask in asks] == [f"command-{number}" for number in range(1, MANY + 1)]
    assert person.asks(other) == []
    denied = {1, 4, 6}
    for number in random.Random(1).sample(range(MANY), MANY):
        choice = "deny" if number in denied else "once"
        body = {"session_id": session, "approval_id": asks[number]["ask"], "choice": choice}
        assert person.post("/api/approval/respond", body).json()["ok"] is True
    told = ["denied" if number in denied else "approved:once" for number in range(MANY)]
    assert person.wait_for_end(session, turn).text(turn) == "\n".join(told)


@pytest.mark.contract("A2")
@pytest.mark.contract("A3")
@pytest.mark.contract("A4")
@pytest.mark.contract("A5")
async def test_A2_to_A5_what_an_agent_asks_at_once_is_told_one_by_one_to_every_tab(
    api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    """Two tabs see the counts 1 to 8 before the same head, then every answer; the last one empties the queue."""
    async with APPROVALS.stream(api, session) as one, APPROVALS.stream(api, session) as other:
        tabs = (one, other)
        assert [await APPROVALS.first(tab) for tab in tabs] == [(None, 0)] * 2
        turn = person.say(session, f"!approvemany {MANY}")
        asks = ids(person.wait_for_ask(session, MANY))
        for tab in tabs:
            assert [await APPROVALS.next(tab) for _ in asks] == [(asks[0], count) for count in range(1, MANY + 1)]
        waiting = list(asks)
        for ask in random.Random(2).sample(asks, MANY):
            assert (await APPROVALS.respond(api, session, ask, "once")).status_code == 200
            waiting.remove(ask)
            for tab in tabs:
                assert await APPROVALS.next(tab) == (waiting[0] if waiting else None, len(waiting))
            late = await APPROVALS.respond(api, session, ask, "deny")
            assert (late.status_code, late.json()["choice"]) == (409, "once")
        assert (await APPROVALS.respond(api, session, "unknown")).status_code == 404
    seen = person.wait_for_end(session, turn)
    assert seen.text(turn) == "\n".join(["approved:once"] * MANY)
    assert [item["state"] for item in shown(seen)] == ["delivered"] * MANY


@pytest.mark.contract("A6")
async def test_A6_whoever_comes_late_is_told_what_waits_and_then_what_changes(
    api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    """An ask that was raised while nobody was connected is there for the first who comes, also in the list."""
    person.say(session, f"!approvemany {MANY}")
    asks = person.wait_for_ask(session, MANY)
    (row,) = (await api.get("/api/sessions", params={"limit": 1})).json()["sessions"]
    async with live(api, list=0) as watching:
        assert (await watching.next("session")).data == row
    assert (row["state"], row["waiting"], row["ask_kind"]) == ("waiting", MANY, "approval")
    assert (row["ask"], row["ask_id"]) == (asks[0]["command"], asks[0]["ask"])
    async with APPROVALS.stream(api, session) as stream:
        assert (await stream.next()).data == await APPROVALS.poll(api, session)
        assert (await APPROVALS.respond(api, session, None, "deny")).json()["approval_id"] == asks[0]["ask"]
        assert await APPROVALS.next(stream) == (asks[1]["ask"], MANY - 1)


@pytest.mark.contract("A7")
async def test_A7_a_client_that_vanishes_is_noticed_and_is_no_error(
    house: House, api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    """A tab that stays hears signs of life and the next ask; nobody is watched for who has left."""
    async with APPROVALS.stream(api, session) as stays:
        await APPROVALS.first(stays)
        for _ in range(20):
            async with APPROVALS.stream(api, session) as leaves:
                await APPROVALS.first(leaves)
        alive = await stays.any()
        assert (alive.name, alive.data) == (":", "keepalive")
        turn = person.say(session, "!approve rm")
        assert (await APPROVALS.next(stays))[1] == 1
        assert (await APPROVALS.respond(api, session, None, "once")).status_code == 200
        person.wait_for_end(session, turn)
    wait_until(lambda: person.get("/api/status").json()["watched"] == 0, "that nobody is watched for")
    house.server.errors.seek(0)
    assert "rror" not in house.server.errors.read()


@pytest.mark.crash
@pytest.mark.contract("A9")
@pytest.mark.parametrize("how", ["kill -9", "restart"])
async def test_A9_what_waits_survives_the_server_and_the_first_answer_wins(
    house: House, person: Person, session: SessionId, how: str
) -> None:
    """The same asks in the same order, and the run that asked is the one that is told."""
    turn = person.say(session, f"!approvemany {MANY}")
    before = person.wait_for_ask(session, MANY)
    runner = house.running(session)
    (house.kill if how == "kill -9" else house.stop)()
    house.start()
    assert person.asks(session) == before
    async with house.server.async_client() as api, APPROVALS.stream(api, session) as tab:
        assert await APPROVALS.first(tab) == (before[0]["ask"], MANY)
        for number, ask in enumerate(ids(before), 1):
            pair = [APPROVALS.respond(api, session, ask, choice, client=choice) for choice in ("once", "deny")]
            both = await asyncio.gather(*pair)
            assert sorted(answer.status_code for answer in both) == [200, 409]
            assert len({answer.json()["choice"] for answer in both}) == 1, "both are told who won"
            assert (await APPROVALS.next(tab))[1] == MANY - number
    seen = person.wait_for_end(session, turn)
    told = ["denied" if item["choice"] == "deny" else "approved:once" for item in shown(seen)]
    assert seen.text(turn) == "\n".join(told)
    assert house.running(session) == runner


@pytest.mark.contract("A9")
async def test_A9_an_answer_that_races_a_cancel_is_shown_as_given_only_if_the_agent_acted(
    house: House, api: httpx.AsyncClient, person: Person, session: SessionId
) -> None:
    """Sixty times: given and done; or given, but the agent was stopped first, and shown so; or refused."""
    notes, chance = house.home / "workspaces" / session / "notes.txt", random.Random(4)
    for number in range(60):
        turn = person.say(session, f"!approve append notes.txt line-{number}")
        (ask,) = ids(person.wait_for_ask(session))

        async def cancel(turn: str = turn) -> httpx.Response:
            await asyncio.sleep(chance.random() * 0.02)
            return await api.post(f"/api/sessions/{session}/turns/{turn}/cancel")

        async def respond(ask: str = ask) -> httpx.Response:
            await asyncio.sleep(chance.random() * 0.02)
            return await APPROVALS.respond(api, session, ask, "once")

        answer, _ = await asyncio.gather(respond(), cancel())
        (item,) = [item for item in shown(person.wait_for_end(session, turn)) if item["ask"] == ask]
        acted = notes.exists() and f"line-{number}\n" in notes.read_text()
        assert item["state"] in (("delivered", "undelivered") if answer.status_code == 200 else ("expired",))
        assert acted == (item["state"] == "delivered")


@pytest.mark.contract("A11")
def test_A11_request_answer_and_delivery_stay_in_the_log(person: Person, session: SessionId) -> None:
    """What was asked, what was answered, when, by whom and from which device, and that the agent was told."""
    turn = person.say(session, "!approve 'rm -r build' delete")
    (ask,) = person.wait_for_ask(session)
    body = {"session_id": session, "approval_id": ask["ask"], "choice": "deny"}
    assert person.post("/api/approval/respond", body, client="desk").status_code == 200
    person.wait_for_end(session, turn)
    records = [record for record in person.records(session) if record["event"].get("ask") == ask["ask"]]
    requested, answered, delivered = (record["event"] for record in records)
    kinds = [event["kind"] for event in (requested, answered, delivered)]
    assert kinds == ["approval.requested", "approval.answered", "approval.delivered"]
    assert (requested["command"], requested["pattern_keys"]) == ("rm -r build", ["delete"])
    assert (answered["choice"], answered["client"]) == ("deny", "desk")
    times = [record["time"] for record in records]
    assert times == sorted(times)
    assert times[0] > 0
