"""Many at once: asks, subscribers, answers, and the end of the run. The log's order decides, and everybody is told."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.store.sqlite.store import SqliteStore
from tests.served import Served
from tests.server.dialect.system import APPROVALS, Json, System, begun, both
from tests.server.memory import resident
from tests.store.stage import T1, Run

pytestmark = pytest.mark.slow


@pytest.fixture
def chance() -> random.Random:
    """The same on every machine."""
    return random.Random(3)


def played(events: Sequence[e.Event]) -> Iterator[tuple[str | None, int]]:
    """What a subscriber must see, told by the simplest queue there is."""
    queue: list[str] = []
    for event in events:
        if isinstance(event, e.ApprovalRequested):
            queue.append(event.ask)
        elif isinstance(event, e.ApprovalAnswered):
            queue.remove(event.ask)
        else:
            continue
        yield queue[0] if queue else None, len(queue)


async def ask_at_once(run: Run, turn: TurnId, names: Sequence[str], chance: random.Random) -> None:
    """In one append, or in two that follow each other at once."""
    cut = chance.randrange(1, len(names) + 1)
    for part in (names[:cut], names[cut:]):
        if part:
            await run.write(*(APPROVALS.ask(name, turn) for name in part))


async def answer_all(
    api: httpx.AsyncClient, session: SessionId, names: Sequence[str], choice: str, chance: random.Random
) -> dict[str, httpx.Response]:
    """One client answers every one of them, in an order of its own."""
    order = chance.sample(names, len(names))
    return {name: await APPROVALS.respond(api, session, name, choice, client=choice) for name in order}


@pytest.mark.contract("A1")
@pytest.mark.contract("A3")
@pytest.mark.contract("A4")
async def test_eight_at_once_are_seen_as_one_to_eight_and_answered_in_any_order(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, chance: random.Random
) -> None:
    """200 times, by 5 subscribers. Then 3 clients answer all of them at once, each in its own order."""
    run = await Run.claim(store, session)
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(APPROVALS.stream(api, session)) for _ in range(5)]
        for stream in streams:
            assert await APPROVALS.first(stream) == (None, 0)
        for repetition in range(200):
            names = [f"r{repetition}-{number}" for number in range(8)]
            turn = TurnId(f"turn-{repetition}")
            await run.start(turn)
            before = await store.wait(session, 0, 0)
            await ask_at_once(run, turn, names, chance)
            choices = ("once", "deny", "session")
            answers = await asyncio.gather(*(answer_all(api, session, names, choice, chance) for choice in choices))
            records = [record.event for record in await store.read(session, before, 100)]
            winners = {event.ask: event.choice for event in records if isinstance(event, e.ApprovalAnswered)}
            asked_and_answered = Counter(event.ask for event in records if isinstance(event, e.ApprovalAnswered))
            assert asked_and_answered == dict.fromkeys(names, 1), "each is recorded once"
            for choice, client in zip(choices, answers, strict=True):
                for name, answer in client.items():
                    assert answer.status_code == (200 if winners[AskId(name)] == choice else 409)
                    assert answer.json()["choice"] == winners[AskId(name)]
            expected = list(played(records))
            assert expected[:8] == [(names[0], count) for count in range(1, 9)]
            for stream in streams:
                assert [await APPROVALS.next(stream) for _ in expected] == expected
            await run.write(*(e.ApprovalDelivered(ask=AskId(name)) for name in names))
            await run.end(turn)


@pytest.mark.contract("A5")
@pytest.mark.contract("A9")
async def test_of_two_answers_at_once_one_counts_and_both_are_told_which(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """500 times: one client speaks the dialect, the other the native tongue."""
    run = await begun(store, session)

    async def native(name: str, choice: str) -> httpx.Response:
        address = f"/api/sessions/{session}/asks/{name}"
        return await api.post(address, json={"choice": choice}, headers={"holdfast-client": "phone"})

    won = Counter[str]()
    for repetition in range(500):
        name = f"a{repetition}"
        await run.write(APPROVALS.ask(name))
        asked = [APPROVALS.respond(api, session, name, "once", client="desk"), native(name, "deny")]
        desk, phone = await asyncio.gather(*asked) if repetition % 2 else reversed(await asyncio.gather(*asked[::-1]))
        assert sorted((desk.status_code, phone.status_code)) == [200, 409]
        winner = "once" if desk.status_code == 200 else "deny"
        won[winner] += 1
        assert desk.json()["choice"] == winner
        if winner == "once":
            assert phone.json()["record"]["event"]["choice"] == "once"
        state = (await store.open(session)).session
        ask = state.ask(AskId(name))
        assert ask is not None
        assert (ask.answered_from, getattr(ask, "choice", None)) == ("desk" if winner == "once" else "phone", winner)
        await run.write(e.ApprovalDelivered(ask=AskId(name)), e.TextAppended(turn=T1, text="so "))
    assert len(won) == 2, "each of them must have come first now and then"


@both
@pytest.mark.contract("A9")
async def test_an_answer_that_races_the_end_of_the_run_never_passes_for_one_that_was_heeded(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    """200 times: 200 only if it lies before the end; and as nobody was told, it is shown as not delivered."""
    run = await Run.claim(store, session)
    outcomes = Counter[int]()
    pause = 0.005  # seconds; whoever comes first comes later the next time, so that they meet on any machine
    for repetition in range(200):
        turn = TurnId(f"turn-{repetition}")
        await run.start(turn)
        name = f"a{repetition}"
        await run.write(system.ask(name, turn))

        async def end(turn: TurnId = turn, pause: float = pause) -> int:
            await asyncio.sleep(pause)
            return (await run.end(turn)).last

        answer, ended = await asyncio.gather(system.respond(api, session, name), end())
        pause *= 0.8 if answer.status_code == 200 else 1.25
        outcomes[answer.status_code] += 1
        records = (await api.get(f"/api/sessions/{session}/records?after={ended - 3}")).json()["records"]
        answered = [
            r["seq"] for r in records if r["event"].get("ask") == name and r["event"]["kind"].endswith("answered")
        ]
        assert answer.status_code == (200 if answered and answered[0] < ended else 409), answer.text
        assert answer.json()["ok"] is (answer.status_code == 200)
        assert await _shown(api, session, name) == ("undelivered" if answer.status_code == 200 else "expired")
    assert set(outcomes) == {200, 409}, outcomes


async def _shown(api: httpx.AsyncClient, session: SessionId, name: str) -> str:
    """What the transcript says of an ask."""
    snapshot = (await api.get(f"/api/sessions/{session}")).json()
    live: list[Json] = [
        item for turn in snapshot["session"]["turns"].values() for item in turn.get("items", {}).values()
    ]
    settled: list[Json] = [entry["item"] for entry in snapshot["page"]["items"]]
    (found,) = [item for item in (*settled, *live) if item.get("ask") == name]
    return found["state"]


@pytest.mark.contract("A7")
async def test_a_subscriber_that_reads_nothing_misses_nothing_and_costs_no_memory(
    server: Served, api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """500 asks are raised and answered meanwhile. Then it reads every update, in order."""
    run = await begun(store, session)
    size, groups = 60_000, [[f"g{group}-{number}" for number in range(10)] for group in range(50)]
    async with APPROVALS.stream(api, session) as sleeper:
        assert await APPROVALS.first(sleeper) == (None, 0)
        before = 0
        for names in groups:
            await run.write(*(e.ApprovalRequested(ask=AskId(name), turn=T1, command="x" * size) for name in names))
            for name in names:
                assert (await APPROVALS.respond(api, session, name)).status_code == 200
            await run.write(*(e.ApprovalDelivered(ask=AskId(name)) for name in names))
            before = before or resident(server)
        grown = resident(server) - before
        expected = [seen for names in groups for seen in _raised_and_answered(names)]
        assert [await APPROVALS.next(sleeper) for _ in expected] == expected
    assert grown < len(expected) * size / 2, "what it has not read is kept for it in memory"


def _raised_and_answered(names: Sequence[str]) -> Iterator[tuple[str | None, int]]:
    yield from ((names[0], count) for count in range(1, len(names) + 1))
    yield from ((names[done], len(names) - done) for done in range(1, len(names)))
    yield None, 0


@both
@pytest.mark.contract("A7")
@pytest.mark.contract("C7")
async def test_two_hundred_subscribers_all_see_every_update_and_others_are_served(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    run = await begun(store, session)
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(system.stream(api, session)) for _ in range(200)]
        assert await asyncio.gather(*map(system.first, streams)) == [(None, 0)] * 200
        assert (await api.get("/health")).status_code == 200
        await run.write(system.ask("a"), system.ask("b"))
        assert (await system.respond(api, session, "a")).status_code == 200
        for seen in (("a", 1), ("a", 2), ("b", 1)):
            assert await asyncio.gather(*map(system.next, streams)) == [seen] * 200
        assert (await system.respond(api, session, "b")).status_code == 200
        assert await asyncio.gather(*map(system.next, streams)) == [(None, 0)] * 200


async def test_of_many_messages_at_once_one_is_written_down_and_nothing_of_the_others(
    api: httpx.AsyncClient, store: SqliteStore
) -> None:
    """20 times: what a refused one wanted to be otherwise stays as it was, and its words are nowhere."""
    for _ in range(20):
        session = SessionId((await api.post("/api/session/new", json={})).json()["session"]["session_id"])
        wishes = [{"message": f"say {number}", "model": f"model-{number}"} for number in range(8)]
        answers = await asyncio.gather(
            *(api.post("/api/chat/start", json={"session_id": session, **wish}) for wish in wishes)
        )
        assert sorted(answer.status_code for answer in answers) == [200, *[409] * 7]
        (won,) = [number for number, answer in enumerate(answers) if answer.status_code == 200]
        stream = answers[won].json()["stream_id"]
        assert {answer.json().get("active_stream_id", stream) for answer in answers} == {stream}
        changed, submitted = [record.event for record in await store.read(session, 1, 100)]
        assert isinstance(changed, e.SessionChanged)
        assert isinstance(submitted, e.TurnSubmitted)
        assert (changed.model, submitted.text) == (f"model-{won}", f"say {won}")
