"""Approvals and questions in the dialect, over real HTTP: poll, stream and respond say the same of the same state."""

import asyncio

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId
from holdfast.store.sqlite.store import SqliteStore
from tests.server.dialect.system import APPROVALS, QUESTIONS, System, begun, both
from tests.store.stage import T1

NAMES = [f"n{number}" for number in range(1, 51)]


@both
@pytest.mark.contract("A1")
@pytest.mark.contract("C1")
async def test_a_session_never_shows_what_waits_in_another(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    other = SessionId((await api.post("/api/sessions", json={})).json()["id"])
    async with system.stream(api, other) as elsewhere:
        assert await system.first(elsewhere) == (None, 0)
        await begun(store, session, system.ask("a"), system.ask("b"))
        assert system.seen(await system.poll(api, session)) == ("a", 2)
        assert system.seen(await system.poll(api, other)) == (None, 0)
        await begun(store, other, system.ask("z"))
        assert await system.next(elsewhere) == ("z", 1)
    assert (await system.respond(api, other, "a")).status_code == 404
    assert system.seen(await system.poll(api, session)) == ("a", 2)


@both
@pytest.mark.contract("A2")
@pytest.mark.contract("C2")
@pytest.mark.contract("A4")
@pytest.mark.contract("C4")
@pytest.mark.contract("W1")
@pytest.mark.contract("W2")
async def test_poll_and_stream_show_the_oldest_and_the_number_at_every_step(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    """Asked, answered out of order, delivered, answered to the last: one object in both, field for field."""
    async with system.stream(api, session) as stream:
        assert (await stream.next("initial")).data == await system.poll(api, session)
        run = await begun(store, session)
        for name, seen in (("a", ("a", 1)), ("b", ("a", 2)), ("c", ("a", 3))):
            await run.write(system.ask(name))
            heard = (await stream.next(system.name)).data
            assert (system.seen(heard), heard) == (seen, await system.poll(api, session))
        for name, seen in (("b", ("a", 2)), ("a", ("c", 1)), ("c", (None, 0))):
            assert (await system.respond(api, session, name)).status_code == 200
            heard = (await stream.next(system.name)).data
            assert (system.seen(heard), heard) == (seen, await system.poll(api, session))
            await run.write(system.delivered(AskId(name)))  # changes nothing that waits
        await run.write(system.ask("d"))
        assert await system.next(stream) == ("d", 1)


@both
@pytest.mark.contract("A3")
@pytest.mark.contract("C3")
async def test_what_was_stored_together_is_told_one_by_one(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    """Fifty in one append, with words among them, are fifty updates; the end of the run is one."""
    async with system.stream(api, session) as stream:
        await system.first(stream)
        run = await begun(store, session)
        facts = [fact for name in NAMES for fact in (e.TextAppended(turn=T1, text="and "), system.ask(name))]
        await run.write(*facts)
        assert [await system.next(stream) for _ in NAMES] == [(NAMES[0], count) for count in range(1, 51)]
        await run.end()
        assert await system.next(stream) == (None, 0)


@both
@pytest.mark.contract("A5")
@pytest.mark.contract("C5")
async def test_any_that_waits_is_answered_by_its_id_and_only_once(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    """A second answer, the same or another, is told which one counts, also when the agent has been told."""
    run = await begun(store, session, system.ask("a"), system.ask("b"))
    first, second = system.answers
    taken = await system.respond(api, session, "b", first)
    assert (taken.status_code, taken.json()) == (200, {"ok": True, system.answer: first, system.id: "b"})
    for delivered in (False, True):
        if delivered:
            await run.write(system.delivered(AskId("b")))
        for answer in (first, second):
            refused = await system.respond(api, session, "b", answer)
            assert refused.status_code == 409
            assert refused.json()["ok"] is False
            assert refused.json()[system.answer] == first
            assert first in refused.json()["error"]
    unknown = await system.respond(api, session, "never")
    assert (unknown.status_code, unknown.json()["ok"]) == (404, False)
    assert system.seen(await system.poll(api, session)) == ("a", 1)


@both
@pytest.mark.contract("A6")
@pytest.mark.contract("C6")
async def test_subscribing_while_asks_are_raised_has_no_gap_and_no_double(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    """Whatever the first event says, the updates count on from there."""
    run = await begun(store, session)

    async def ask() -> None:
        for name in NAMES:
            await run.write(system.ask(name))

    async def subscribe() -> list[int]:
        async with system.stream(api, session) as stream:
            counts = [(await system.first(stream))[1]]
            while counts[-1] < len(NAMES):
                counts.append((await system.next(stream))[1])
        return counts

    async with asyncio.TaskGroup() as group:
        group.create_task(ask())
        subscribers = [group.create_task(subscribe()) for _ in range(10)]
    for subscriber in subscribers:
        counts = subscriber.result()
        assert counts == list(range(counts[0], len(NAMES) + 1))
    async with system.stream(api, session) as stream:
        assert (await stream.next()).data == await system.poll(api, session)


@both
@pytest.mark.slow
@pytest.mark.contract("A7")
@pytest.mark.contract("C7")
async def test_a_silent_subscription_shows_signs_of_life_also_while_the_run_talks(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    run = await begun(store, session)
    loop = asyncio.get_running_loop()

    async def talk() -> None:
        while True:
            await run.say("word ")
            await asyncio.sleep(0.005)

    async with system.stream(api, session) as stream:
        await system.first(stream)
        began, talking = loop.time(), asyncio.create_task(talk())
        try:
            heard = await stream.any()
        finally:
            talking.cancel()
        assert (heard.name, heard.data) == (":", "keepalive")
        assert loop.time() - began < 10


@pytest.mark.contract("W2")
async def test_a_head_has_the_fields_of_the_dialect(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """Times are whole seconds, and 0 where there is none."""
    await begun(
        store,
        session,
        e.ApprovalRequested(
            ask=AskId("a"), turn=T1, command="rm -r build", description="Removes it", pattern_keys=("rm", "-r")
        ),
        e.QuestionAsked(
            ask=AskId("q"),
            turn=T1,
            text="Which?",
            choices=("x", "y"),
            timeout_seconds=60,
            expires_at=1_700_000_060_000,
        ),
    )
    assert (await APPROVALS.poll(api, session))["pending"] == {
        "approval_id": "a",
        "command": "rm -r build",
        "description": "Removes it",
        "pattern_key": "rm",
        "pattern_keys": ["rm", "-r"],
        "choices": ["once", "session", "always", "deny"],
        "session_id": session,
    }
    question = (await QUESTIONS.poll(api, session))["pending"]
    asked = question.pop("requested_at")
    assert question == {
        "clarify_id": "q",
        "question": "Which?",
        "choices_offered": ["x", "y"],
        "timeout_seconds": 60,
        "expires_at": 1_700_000_060,
        "session_id": session,
        "kind": "clarify",
    }
    (record,) = (await api.get(f"/api/sessions/{session}/records?after=5")).json()["records"]
    assert asked == record["time"] // 1000


@both
async def test_without_an_id_the_oldest_is_answered_and_if_nothing_waits_nothing_is(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    empty = await system.respond(api, session, None)
    assert (empty.status_code, empty.json()["ok"]) == (409, False)
    await begun(store, session, system.ask("a"), system.ask("b"))
    for name in ("a", "b"):
        taken = await system.respond(api, session, None)
        assert (taken.status_code, taken.json()[system.id]) == (200, name)
    assert (await system.respond(api, session, None)).status_code == 409


@both
@pytest.mark.contract("A9")
async def test_an_answer_after_the_end_of_the_run_is_refused(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, system: System
) -> None:
    run = await begun(store, session, system.ask("a"))
    await run.end(outcome="interrupted")
    for ask in ("a", None):
        refused = await system.respond(api, session, ask)
        assert (refused.status_code, refused.json()["ok"]) == (409, False)
        assert system.answer not in refused.json(), "nothing counts"
    assert system.seen(await system.poll(api, session)) == (None, 0)


@both
async def test_a_stream_ends_when_its_session_is_deleted(
    api: httpx.AsyncClient, session: SessionId, system: System
) -> None:
    async with system.stream(api, session) as stream:
        await system.first(stream)
        assert (await api.delete(f"/api/sessions/{session}")).status_code == 200
        assert await stream.ends()
    for what in ("pending", "stream"):
        gone = await api.get(f"/api/{system.name}/{what}", params={"session_id": session})
        assert (gone.status_code, gone.json()["code"]) == (404, "NoSuchSession")
    assert (await system.respond(api, session, None)).status_code == 404


@pytest.mark.contract("A8")
async def test_what_is_allowed_for_good_in_the_dialect_is_listed_like_any_other_rule(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    await begun(store, session, APPROVALS.ask("a"))
    assert (await APPROVALS.respond(api, session, "a", "always")).status_code == 200
    rules = (await api.get("/api/approval-rules")).json()["rules"]
    assert [rule["rule"]["command"] for rule in rules if rule["session"] == session] == ["run a"]
