"""Every streaming route of the app answers at once, whatever waits and whatever is being asked meanwhile."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
import pytest

from holdfast.core.ids import SessionId
from holdfast.server.app import all_endpoints
from holdfast.store.sqlite.store import SqliteStore
from tests.server.dialect.system import APPROVALS, QUESTIONS, begun
from tests.server.live import PATIENCE, Live, listening
from tests.store.stage import T1, Run

Json = dict[str, Any]


class Route(NamedTuple):
    """How a streaming route is asked for a session, where the poll beside it is, what its first event is called, and
    what of it must be what the poll says."""

    params: Callable[[SessionId], tuple[tuple[str, str], ...]]
    poll: str
    first: str
    said: Callable[[Json], Json]
    heard: Callable[[Json], Json] = lambda data: data


def _as_polled(polled: Json) -> Json:
    return polled


KNOWN = {
    "/api/stream": Route(
        lambda session: (("follow", f"{session}:0"), ("list", "0")),
        "/api/sessions/{session}",
        "ready",
        lambda snapshot: {"lineage": snapshot["lineage"]},
    ),
    **{
        f"/api/{system.name}/stream": Route(
            lambda session: (("session_id", session),),
            f"/api/{system.name}/pending?session_id={{session}}",
            "initial",
            _as_polled,
        )
        for system in (APPROVALS, QUESTIONS)
    },
    "/api/chat/stream": Route(
        lambda session: (("stream_id", f"{session}.{T1}"),),
        "/api/session/status?session_id={session}",
        "context_status",
        lambda status: {"session_id": status["session_id"]},
        lambda data: {"session_id": data["session_id"]},
    ),
    "/api/session/stream": Route(
        lambda session: (("session_id", session),),
        "/api/session/status?session_id={session}",
        "initial",
        lambda status: {name: status[name] for name in ("session_id", "message_count", "active_stream_id")},
        lambda data: {name: value for name, value in data.items() if name != "known_count"},
    ),
    "/api/sessions/{session_id}/events": Route(
        lambda _: (),
        "/api/session?messages=0&session_id={session}",
        "session_snapshot",
        _as_polled,
    ),
    "/api/sessions/events": Route(
        lambda _: (),
        "/api/sessions?limit=1",
        "sessions_changed",
        lambda listed: {"type": "sessions_changed", "version": listed["change"], "reason": "initial"},
    ),
}
"""What we know to stream. A route that streams and is not here fails the test: it must be shown here as well."""

NEWS = {"record", "session", "approval", "clarify", "approval_required", "sessions_changed"}
"""What may follow when asks are raised."""


def readable() -> list[str]:
    """Every address of the app that can be read."""
    return [endpoint.path for endpoint in all_endpoints(None) if "GET" in endpoint.methods]


@pytest.mark.contract("C11")
async def test_C11_every_route_that_streams_is_known(  # noqa: N802
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """Found by asking the running server at every address that the app has, not by what an address says of itself."""
    await begun(store, session, APPROVALS.ask("a"))
    there = {"{session_id}": session, "{ask_id}": "a", "{number}": "1", "{blob}": "0" * 64}
    there |= {"{import_id}": "20260101T000000Z-abcdef", "{turn_id}": T1}
    streaming: set[str] = set()
    for path in readable():
        address = re.sub(r"{[^}]+}", lambda found: there[found[0]], path)
        params = {"session_id": session, "stream_id": f"{session}.{T1}"}
        async with asyncio.timeout(PATIENCE), api.stream("GET", address, params=params) as answer:
            if answer.headers.get("content-type", "").startswith("text/event-stream"):
                streaming.add(path)
    assert streaming == set(KNOWN)


@asynccontextmanager
async def asking(run: Run) -> AsyncGenerator[None]:
    """Approvals and questions are raised for the length of the block, one after the other."""

    async def ask() -> None:
        for number in range(1_000_000):
            await run.write(APPROVALS.ask(f"more-a{number}"), QUESTIONS.ask(f"more-q{number}"))
            await asyncio.sleep(0.01)

    task = asyncio.create_task(ask())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
    assert task.cancelled(), "asking broke off"


@pytest.mark.contract("C11")
@pytest.mark.parametrize("path", KNOWN)
@pytest.mark.parametrize("waiting", [0, 50], ids=["empty", "full"])
async def test_C11_the_first_event_comes_and_is_what_the_poll_says(  # noqa: N802
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, path: str, waiting: int
) -> None:
    route = KNOWN[path]
    run = await begun(store, session)
    for number in range(waiting):
        await run.write(APPROVALS.ask(f"a{number}"), QUESTIONS.ask(f"q{number}"))
    polled = (await api.get(route.poll.format(session=session))).json()
    async with listening(api, _address(path, session), *route.params(session)) as stream:
        heard = await stream.next()
        assert (heard.name, route.heard(heard.data)) == (route.first, route.said(polled))
        async with asking(run):
            await _others_are_served(api, session)
            for _ in range(10):
                await _connect_between_two_polls(api, session, path)
            assert (await stream.next()).name in NEWS


def _address(path: str, session: SessionId) -> str:
    return path.replace("{session_id}", session)


async def _connect_between_two_polls(api: httpx.AsyncClient, session: SessionId, path: str) -> None:
    """While the queue grows, the first event is no older than the poll before it and no newer than the one after."""
    route = KNOWN[path]
    before = (await api.get(route.poll.format(session=session))).json()
    async with listening(api, _address(path, session), *route.params(session)) as stream:
        heard = await stream.next()
        await _goes_on(stream)
    after = (await api.get(route.poll.format(session=session))).json()
    assert heard.name == route.first
    if "pending_count" in before:
        assert before["pending_count"] <= heard.data["pending_count"] <= after["pending_count"]
        assert heard.data["pending"] == after["pending"] or not before["pending_count"]


async def _goes_on(stream: Live) -> None:
    assert (await stream.next()).name != "reset"


async def _others_are_served(api: httpx.AsyncClient, session: SessionId) -> None:
    for path in ("/health", "/api/sessions", f"/api/sessions/{session}/asks"):
        assert (await api.get(path)).status_code == 200
