"""Everything that others can make large has a bound, and whoever meets it is told in a sentence (docs/operating.md)."""

import asyncio
import re
from pathlib import Path

import httpx
import pytest

from holdfast import logs
from holdfast.agents import lines
from holdfast.agents.acp import calls
from holdfast.core import decide
from holdfast.core.ids import SessionId
from holdfast.runner import host, outbox
from holdfast.server import account, attempts, connection, hub, links
from holdfast.server.endpoint import FROM_STRANGERS, LARGEST_BODY
from holdfast.server.live import Live
from holdfast.server.routes.files import LARGEST_FILE
from holdfast.server.routes.stream import FOLLOWS
from holdfast.store.memory.store import MemoryStore
from tests.served import Served

DOCS = Path(__file__).parents[2] / "docs" / "operating.md"

BOUNDS = {
    "A request": LARGEST_BODY,
    "A sign-in": FROM_STRANGERS,
    "A file": LARGEST_FILE,
    "Messages that wait in a session": decide.QUEUED,
    "Live connections": hub.VIEWERS,
    "Connections": connection.CONNECTIONS,
    "The head of a request": connection.HEAD,
    "For a head to come": connection.HEAD_SECONDS,
    "For 10,000 more bytes of a body to come": connection.BODY_SECONDS,
    "Sessions that one connection follows": FOLLOWS,
    "Asks that wait in a session": host.ASKS,
    "A message of an agent": lines.LIMIT,
    "What an agent said and the store has not": outbox.WAITING_WEIGHT,
    "What one tool call prints": calls.OUTPUT,
    "A field of an operator's log": logs.LONGEST,
    "An operator's log": logs.SIZE * (logs.KEPT + 1),
    "Signed-in devices": account.MOST,
    "Links that nobody has used": links.MOST,
    "Addresses whose wrong passwords are counted": attempts.MOST,
}


def test_the_table_of_bounds_is_the_present_one() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([\d,]+)[^|]* \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert {name: int(number.replace(",", "")) for name, number in rows} == BOUNDS


def test_a_request_that_is_too_large_is_refused_with_its_bound(client: httpx.Client, session: SessionId) -> None:
    answer = client.post(f"/api/sessions/{session}/turns", json={"id": "t", "text": "x" * LARGEST_BODY})
    assert (answer.status_code, answer.json()["error"]) == (413, "The request is too large. At most 1 MB are taken.")


def test_of_who_is_not_known_yet_little_is_taken(server: Served) -> None:
    """Nothing of a sign-in is long."""
    answer = httpx.post(f"{server.link}/api/sign-in", json={"code": "x" * FROM_STRANGERS})
    assert (answer.status_code, answer.json()["error"]) == (413, "The request is too large. At most 10 kB are taken.")


def test_a_queue_that_is_full_takes_no_more_but_what_it_has(client: httpx.Client, session: SessionId) -> None:
    def say(number: int) -> httpx.Response:
        return client.post(f"/api/sessions/{session}/turns", json={"id": f"t{number}", "text": "x"})

    for number in range(decide.QUEUED):
        assert say(number).status_code == 200, number
    full = say(decide.QUEUED)
    assert (full.status_code, full.json()["code"]) == (429, "QueueFull")
    assert "take some back" in full.json()["error"]
    assert say(3).status_code == 200, "the same message again is no new one"
    assert client.post(f"/api/sessions/{session}/turns/t3/withdraw").status_code == 200
    assert say(decide.QUEUED).status_code == 200


async def test_when_there_is_no_room_a_viewer_is_told_before_its_connection_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "VIEWERS", 2)
    async with hub.Hub(MemoryStore()) as watched, asyncio.TaskGroup():
        async with watched.viewer(hub.Wish()), watched.viewer(hub.Wish()):
            with pytest.raises(hub.TooManyViewers, match="Close some tabs"):
                Live(watched, hub.Wish())
        Live(watched, hub.Wish())


def test_more_sessions_than_one_connection_follows_are_refused(client: httpx.Client) -> None:
    answer = client.get("/api/stream", params=[("follow", f"s{number}:0") for number in range(FOLLOWS + 1)])
    assert answer.status_code == 400
