"""Memory over real HTTP, with the test in the runner's part: what is recorded, and what is answered."""

import asyncio

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import SqliteStore
from tests.store.stage import T1, Run


async def completed(store: SqliteStore, session: SessionId) -> Run:
    """A run whose agent, i1, has completed a turn."""
    run = await Run.claim(store, session)
    await run.write(e.AgentOpened(agent="tour", instance="i1", remembers=True))
    await run.start(T1)
    await run.write(e.TurnEnded(turn=T1, outcome="completed"))
    return run


async def until_requested(store: SqliteStore, session: SessionId, count: int = 1) -> int:
    """Wait for the wish to be in the log; how many there are."""
    async with asyncio.timeout(20):
        while True:
            records = await store.read(session, 0, 1_000)
            found = sum(isinstance(record.event, e.MemoryRequested) for record in records)
            if found >= count:
                return found
            await store.wait(session, records[-1].seq, 1)


def asking(api: httpx.AsyncClient, session: SessionId, who: str = "phone") -> "asyncio.Task[httpx.Response]":
    headers = {"holdfast-client": who}
    return asyncio.create_task(api.post(f"/api/sessions/{session}/memory/commit", headers=headers))


STARTED = e.MemoryStarted(token="s:1-1", owner="i1", first=1, last=1)


async def test_the_answer_is_what_the_log_says(api: httpx.AsyncClient, store: SqliteStore, session: SessionId) -> None:
    """A failure is an answer; the next wish is a new one, and what became of it is told to whoever asked."""
    run = await completed(store, session)
    wish = asking(api, session)
    await until_requested(store, session)
    await run.write(STARTED)
    assert (await asking(api, session)).json() == {"committed": False, "reason": "in_flight"}
    assert not wish.done()
    await run.write(e.MemoryFailed(token="s:1-1", error="It broke."))
    assert (await wish).json() == {"committed": False, "reason": "failed"}
    assert (await api.get(f"/api/sessions/{session}/memory")).json()["last_error"] == "It broke."
    wish = asking(api, session)
    await until_requested(store, session, 2)
    await run.write(e.MemoryFailed(token="", error="No agent."))
    assert (await wish).json() == {"committed": False, "reason": "no_agent"}
    wish = asking(api, session)
    await until_requested(store, session, 3)
    await run.write(STARTED, e.MemoryCommitted(token="s:1-1"))
    assert (await wish).json() == {"committed": True, "reason": None}
    assert (await asking(api, session)).json() == {"committed": False, "reason": "nothing"}


@pytest.mark.contract("G4")
async def test_a_wish_is_recorded_once(api: httpx.AsyncClient, store: SqliteStore, session: SessionId) -> None:
    """Doubled by its sender, it has one answer; another who wishes the same is told that it is under way."""
    run = await completed(store, session)
    wishes = [asking(api, session) for _ in range(3)]
    await until_requested(store, session)
    assert (await asking(api, session, "laptop")).json() == {"committed": False, "reason": "in_flight"}
    await run.write(STARTED, e.MemoryCommitted(token="s:1-1"))
    answers = [(await wish).json() for wish in wishes]
    assert {"committed": True, "reason": None} in answers
    assert await until_requested(store, session) == 1


async def test_a_predecessor_is_asked_for_once_and_only_for_what_is_there(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """The same new session again adds no second wish; a deleted predecessor, or one that has nothing, gets none."""
    run = await completed(store, session)
    for status in (201, 200):
        body = {"id": f"next-{session}", "predecessor": session}
        assert (await api.post("/api/sessions", json=body)).status_code == status
    assert await until_requested(store, session) == 1
    await run.write(STARTED, e.MemoryCommitted(token="s:1-1"))
    assert (await api.post("/api/sessions", json={"predecessor": session})).status_code == 201
    assert await until_requested(store, session) == 1


async def test_a_deleted_session_tells_nothing(api: httpx.AsyncClient, store: SqliteStore, session: SessionId) -> None:
    await completed(store, session)
    await api.delete(f"/api/sessions/{session}")
    assert (await api.get(f"/api/sessions/{session}/memory")).status_code == 404
    assert (await api.post(f"/api/sessions/{session}/memory/commit")).status_code == 404
    assert (await api.post("/api/sessions", json={"predecessor": session})).status_code == 201
