"""Turns over real HTTP: recorded once, in the order of the log, whatever is retried or raced."""

import asyncio
import signal
from pathlib import Path

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from holdfast.ownership import Lock
from holdfast.settings import read_settings
from holdfast.store.sqlite.store import SqliteStore
from tests.served import Served, served
from tests.server.unsupervised import COMMAND
from tests.store.stage import T1, T2, Run


def turns(session: SessionId, *path: str) -> str:
    return "/".join([f"/api/sessions/{session}/turns", *path])


@pytest.mark.contract("G4")
def test_a_message_sent_twice_is_recorded_once(client: httpx.Client, session: SessionId) -> None:
    first = client.post(turns(session), json={"id": "t1", "text": "Hello"})
    assert first.json() == {"session": session, "turn": "t1", "seq": 2, "state": "queued"}
    client.post(turns(session), json={"id": "t2", "text": "Other"})
    assert client.post(turns(session), json={"id": "t1", "text": "Hello"}).json() == first.json()
    other = client.post(turns(session), json={"id": "t1", "text": "Hello!"})
    assert other.status_code == 409
    assert other.json()["code"] == "KeyTaken"
    assert other.json()["record"]["seq"] == 2
    assert other.json()["record"]["event"] == {"kind": "turn.submitted", "turn": "t1", "text": "Hello"}
    assert client.get(f"/api/sessions/{session}").json()["seq"] == 3


def test_a_message_nudges_the_supervisor(server: Served, client: httpx.Client, session: SessionId) -> None:
    client.post(turns(session), json={"id": "t1", "text": "Hello"})
    assert session in (server.home / "nudges").read_text().split()


def test_the_log_knows_which_device_a_message_came_from(client: httpx.Client, session: SessionId) -> None:
    client.post(turns(session), json={"id": "t1", "text": "Hello"}, headers={"holdfast-client": "phone"})
    (record,) = client.get(f"/api/sessions/{session}/records", params={"after": 1}).json()["records"]
    assert record["event"]["client"] == "phone"


@pytest.mark.parametrize(
    "turn",
    [{"id": "t1", "text": "  "}, {"text": "x"}, {"id": "../x", "text": "x"}, {"id": "t1", "text": "x", "mode": "now"}],
)
def test_a_message_that_says_nothing_or_has_no_name_is_refused(
    client: httpx.Client, session: SessionId, turn: dict[str, str]
) -> None:
    assert client.post(turns(session), json=turn).status_code == 400


def test_a_message_to_a_folder_that_is_gone_is_refused_until_there_is_one(client: httpx.Client, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    session = client.post("/api/sessions", json={"workspace": str(folder)}).json()["id"]
    said = client.post(turns(session), json={"id": "t1", "text": "x"})
    assert said.status_code == 200
    folder.rmdir()
    assert client.post(turns(session), json={"id": "t1", "text": "x"}).json() == said.json(), "it is no new message"
    for place in (folder, "relative", "/etc/hosts"):
        client.patch(f"/api/sessions/{session}", json={"workspace": str(place)}).raise_for_status()
        before = client.get(f"/api/sessions/{session}").json()
        refused = client.post(turns(session), json={"id": "t2", "text": "x"})
        assert (refused.status_code, refused.json()["code"]) == (400, "FolderMissing")
        assert f"There is no folder {place}," in refused.json()["error"]
        started = client.post("/api/chat/start", json={"session_id": session, "message": "x"})
        assert started.status_code == 400
        assert client.get(f"/api/sessions/{session}").json() == before
    folder.mkdir()
    client.patch(f"/api/sessions/{session}", json={"workspace": str(folder)})
    assert client.post(turns(session), json={"id": "t2", "text": "x"}).status_code == 200


def test_a_queued_turn_can_be_taken_back_or_cancelled(client: httpx.Client, session: SessionId) -> None:
    for name in ("t1", "t2"):
        client.post(turns(session), json={"id": name, "text": name})
    assert client.post(turns(session, "t1", "withdraw")).status_code == 200
    assert client.post(turns(session, "t1", "withdraw")).status_code == 404
    assert client.post(turns(session, "t2", "cancel")).status_code == 200
    again = client.post(turns(session, "t2", "cancel"))
    assert (again.status_code, again.json()["code"]) == (404, "NoSuchTurn")
    ended = client.get(f"/api/sessions/{session}").json()
    assert ended["session"]["last_outcome"] == "cancelled"


def test_queued_turns_trade_places_and_the_others_stay(client: httpx.Client, session: SessionId) -> None:
    for name in ("t1", "t2", "t3", "t4"):
        client.post(turns(session), json={"id": name, "text": name})
    queue = f"/api/sessions/{session}/queue"
    assert client.post(queue, json={"turns": ["t4", "t1"]}).status_code == 200
    assert client.get(f"/api/sessions/{session}").json()["session"]["queue"] == ["t4", "t2", "t3", "t1"]
    assert client.post(queue, json={"turns": ["t1", "nowhere"]}).status_code == 404
    assert client.post(queue, json={"turns": []}).status_code == 400


@pytest.mark.contract("X10")
async def test_a_running_turn_can_be_cancelled_twice(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T1)
    for _ in range(2):
        assert (await api.post(turns(session, T1, "cancel"))).status_code == 200
    assert (await api.get(f"/api/sessions/{session}")).json()["session"]["turns"][T1]["cancel_requested"] is True
    await run.end(outcome="cancelled")
    assert (await api.post(turns(session, T1, "cancel"))).status_code == 404


async def test_a_steer_speaks_to_the_run_in_progress_and_is_the_same_steer_after_it(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T1)
    wish = {"id": "w1", "text": "Faster", "mode": "steer"}
    first = (await api.post(turns(session), json=wish)).json()
    assert first["state"] == "steering"
    await run.write(e.SteerDelivered(turn=T1, steer=e.SteerId("w1")))
    await run.end()
    again = await api.post(turns(session), json=wish)
    assert (again.status_code, again.json()["seq"]) == (200, first["seq"])
    other = await api.post(turns(session), json={**wish, "text": "Slower"})
    assert other.status_code == 409


def test_a_steer_when_nothing_runs_is_a_message(client: httpx.Client, session: SessionId) -> None:
    answer = client.post(turns(session), json={"id": "w1", "text": "Go", "mode": "steer"})
    assert answer.json()["state"] == "queued"


async def test_an_interrupt_cancels_what_runs_and_comes_next(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T1)
    await api.post(turns(session), json={"id": "later", "text": "later"})
    wish = {"id": "now", "text": "Now", "mode": "interrupt"}
    answer = (await api.post(turns(session), json=wish)).json()
    state = (await api.get(f"/api/sessions/{session}")).json()["session"]
    assert state["turns"][T1]["cancel_requested"] is True
    assert state["queue"] == ["now", "later"]
    await run.end(outcome="cancelled")
    await run.write(e.TurnStarted(turn=TurnId("now")))
    assert (await api.post(turns(session), json=wish)).json()["seq"] == answer["seq"]
    state = (await api.get(f"/api/sessions/{session}")).json()["session"]
    assert "cancel_requested" not in state["turns"]["now"]


async def test_an_interrupted_turn_is_continued_and_what_it_held_is_released(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T1)
    for name in ("t2", "t3"):
        await api.post(turns(session), json={"id": name, "text": name})
    await run.end(outcome="interrupted")
    state = (await api.get(f"/api/sessions/{session}")).json()["session"]
    assert [state["turns"][name]["held"] for name in ("t2", "t3")] == [True, True]
    assert (await api.post(turns(session, "t2", "release"))).status_code == 200
    assert (await api.post(f"/api/sessions/{session}/release")).status_code == 200
    state = (await api.get(f"/api/sessions/{session}")).json()["session"]
    assert not any(state["turns"][name].get("held") for name in ("t2", "t3"))
    answer = await api.post(turns(session, T1, "continue"), json={"id": "again"})
    assert answer.json()["state"] == "queued"
    state = (await api.get(f"/api/sessions/{session}")).json()["session"]
    assert state["turns"]["again"]["message"]["continues"] == T1


async def test_a_turn_that_has_begun_can_not_be_taken_back(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T2)
    assert (await api.post(turns(session, T2, "withdraw"))).status_code == 404


@pytest.mark.contract("X10")
async def test_a_cancel_reaches_the_runner_though_the_store_can_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_FAULTS", "store.written=enospc:2")
    settings = read_settings({}, home=tmp_path)
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, told.set)
    with served(tmp_path, command=COMMAND) as server:
        async with server.async_client() as api:
            await api.post("/api/sessions", json={"id": "s1"})
            store = await SqliteStore.open_folder(settings.store)
            await (await Run.claim(store, SessionId("s1"))).start(T1)
            await store.close()
            lock = Lock.take(settings.locks, SessionId("s1"))
            assert lock is not None
            answer = await api.post("/api/sessions/s1/turns/t1/cancel")
            assert (answer.status_code, answer.json()["seq"]) == (200, 0)
            async with asyncio.timeout(20):
                await told.wait()
            lock.release()
    asyncio.get_running_loop().remove_signal_handler(signal.SIGUSR1)


async def test_a_message_takes_the_place_of_another_however_long_ago_it_was_said(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """Both facts lie side by side, what was there stays in the log, and the same wish again changes nothing."""
    run = await Run.claim(store, session)
    for number in range(60):
        await run.talk(TurnId(f"t{number}"), f"question {number}", f"answer {number}")
    address, wish = turns(session), {"id": "anew", "text": "question 3, better", "replaces": "t3"}
    sent = await api.post(address, json=wish)
    assert (sent.status_code, sent.json()["state"]) == (200, "queued"), sent.text
    last = await store.read(session, sent.json()["seq"] - 2, 2)
    assert [type(record.event) for record in last] == [e.HistoryTruncated, e.TurnSubmitted]
    page = (await api.get(f"/api/sessions/{session}/pages/1")).json()
    assert {entry["item"]["turn"] for entry in page["items"]} == {"t0", "t1", "t2"}
    assert any(getattr(record.event, "text", "") == "answer 59" for record in await store.read(session, 0, 1000))
    again = await api.post(address, json=wish)
    assert (again.status_code, again.json()["seq"]) == (200, sent.json()["seq"])
    other = await api.post(address, json={**wish, "text": "something else"})
    assert (other.status_code, other.json()["code"]) == (409, "KeyTaken")
    gone = await api.post(address, json={**wish, "id": "later"})
    assert gone.status_code == 404


async def test_while_a_turn_runs_nothing_is_said_in_anothers_place(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """Neither half happens, and the words can be sent again under their id once nothing runs."""
    run = await Run.claim(store, session)
    await run.talk(T1, "one", "first")
    await run.start(T2)
    address, wish = turns(session), {"id": "anew-2", "text": "one, better", "replaces": T1}
    refused = await api.post(address, json=wish)
    assert (refused.status_code, refused.json()["code"]) == (409, "NotNow")
    assert "Stop it first" in refused.json()["error"]
    await run.write(e.TurnEnded(turn=T2, outcome="completed"))
    assert (await api.post(address, json=wish)).status_code == 200
    opened = (await api.get(f"/api/sessions/{session}")).json()
    assert (list(opened["session"]["turns"]), opened["page"]["items"]) == (["anew-2"], [])


async def test_words_that_lost_to_a_run_say_so_when_they_are_sent_again(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """A run that began between the look and the append keeps all; the id is then used up for nothing."""
    run = await Run.claim(store, session)
    await run.talk(T1, "one", "first")
    await run.start(T2)
    late = e.TurnSubmitted(turn=TurnId("anew-3"), text="so", ahead=True, replaces=T1, client="desk")
    await store.append(session, [e.HistoryTruncated(turn=T1), late], key="turn:anew-3")
    wish = {"id": "anew-3", "text": "so", "replaces": T1}
    refused = await api.post(turns(session), json=wish, headers={"holdfast-client": "desk"})
    assert (refused.status_code, refused.json()["code"]) == (409, "Overruled"), refused.text
    assert "Stop it, then send this again" in refused.json()["error"]
