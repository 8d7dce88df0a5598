"""Insights over real HTTP: what was used, where the disk goes, how the server is."""

import time

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import SqliteStore
from tests.store.stage import T1, Run

DAY = 24 * 60 * 60


async def test_a_turn_that_ended_stands_under_its_day(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """Whatever process wrote it."""
    run = await Run.claim(store, session)
    await run.write(e.AgentOpened(agent="hermes", instance="i1"))
    await run.start()
    await run.write(e.UsageReported(turn=T1, input=100, output=20, cost=1_500, model="large"))
    await run.end(outcome="failed")
    found = (await api.get("/api/insights", params={"days": 7})).json()
    assert found["today"] - found["first"] == 6
    assert found["today"] in (time.time() // DAY, time.time() // DAY - 1)  # midnight may have passed meanwhile
    lines = {(line["agent"], line["model"]): line["figures"] for line in found["days"]}
    used = lines["hermes", "large"]
    assert (used["input"], used["output"], used["cost"]) == (100, 20, 1_500)
    assert sum(figures["failures"] for figures in lines.values()) == 1
    largest = {size["session"]: size for size in found["sessions"]}
    assert largest[session]["title"] == "A title"
    assert largest[session]["bytes"] > 0


def test_it_says_where_the_disk_goes_and_how_the_server_is(client: httpx.Client) -> None:
    before = client.get("/api/insights").json()
    assert before["disk"]["store"] > 0
    assert before["disk"]["free"] > 0
    client.post("/api/files", params={"name": "a.bin"}, content=b"x" * 10_000).raise_for_status()
    assert client.get("/api/insights").json()["disk"]["blobs"] == before["disk"]["blobs"] + 10_000
    health = before["health"]
    assert (health["runners"], health["waiting"], health["writable"]) == (0, 0, True)
    assert health["lateness"]["worst"] >= health["lateness"]["last"] >= 0


@pytest.mark.parametrize("wish", [{"days": 0}, {"days": 367}, {"days": "x"}, {"offset": 1441}])
def test_what_is_no_wish_is_refused(client: httpx.Client, wish: dict[str, str | int]) -> None:
    assert client.get("/api/insights", params=wish).status_code == 400


def test_a_stranger_is_told_nothing(stranger: httpx.Client) -> None:
    assert stranger.get("/api/insights").status_code == 401
