"""The live connection over real HTTP, while another process writes the log."""

import asyncio
import socket
import time
from pathlib import Path

import httpx
import msgspec
import pytest

from holdfast.core import codec
from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.core.session import Session
from holdfast.core.window import load, transcript
from holdfast.settings import read_settings
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.served import Served, served
from tests.server.live import Heard, live, seqs
from tests.server.memory import resident
from tests.server.unsupervised import COMMAND
from tests.store.stage import T1, Run


def folded(session: Session, heard: list[Heard]) -> Session:
    for event in heard:
        session.apply(codec.decode_record(msgspec.json.encode(event.data)))
    return session


async def test_the_first_bytes_come_at_once_and_say_which_history(api: httpx.AsyncClient) -> None:
    async with live(api) as stream:
        headers = stream.answer.headers
        assert headers["content-type"] == "text/event-stream; charset=utf-8"
        assert headers["cache-control"] == "no-store, no-transform"
        assert headers["x-accel-buffering"] == "no"
        assert (await stream.any()).data == "hello"
        ready = await stream.next()
        assert ready.name == "ready"
        assert ready.data["lineage"] == (await api.get("/api/status")).json()["lineage"]


@pytest.mark.contract("A6")
async def test_snapshot_then_follow_has_no_gap_and_no_double(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T1)
    words = 300

    async def speak() -> None:
        for number in range(words):
            await run.say(f"{number} ")
            if number % 10 == 0:
                await asyncio.sleep(0.005)

    async with asyncio.TaskGroup() as group:
        group.create_task(speak())
        await asyncio.sleep(0.02)
        snapshot = (await api.get(f"/api/sessions/{session}")).json()
        state = load(msgspec.json.encode(snapshot["session"]))
        async with live(api, f"{session}:{snapshot['seq']}", lineage=snapshot["lineage"]) as stream:
            head = 4 + words - 1 + 1  # created, started, submitted, begun, and the words
            heard: list[Heard] = []
            while not heard or seqs(heard)[-1] < head:
                heard += await stream.records(1)
    assert seqs(heard) == list(range(snapshot["seq"] + 1, head + 1))
    folded(state, heard)
    settled = [entry["item"] for entry in snapshot["page"]["items"]]
    said = "".join(item.get("text", "") for item in settled if item["type"] == "text")
    said += "".join(entry.item.text for entry in transcript(state) if entry.item.__struct_config__.tag == "text")  # pyright: ignore[reportAttributeAccessIssue]  only texts pass
    assert said == "".join(f"{number} " for number in range(words))


async def test_two_viewers_see_the_same(api: httpx.AsyncClient, store: SqliteStore, session: SessionId) -> None:
    run = await Run.claim(store, session)
    async with live(api, f"{session}:0") as one, live(api, f"{session}:1") as other:
        await run.start(T1)
        await run.say("hello")
        first, second = await one.records(5), await other.records(4)
    assert seqs(first) == [1, 2, 3, 4, 5]
    assert first[1:] == second


async def test_what_another_process_writes_arrives_long_before_a_poll(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T1)
    async with live(api, f"{session}:4") as stream:
        await stream.next("ready")
        await asyncio.sleep(0.1)
        delays: list[float] = []
        for number in range(10):
            began = time.perf_counter()
            await run.say(f"{number} ")
            await stream.records(1)
            delays.append(time.perf_counter() - began)
    assert sorted(delays)[len(delays) // 2] < 0.5


@pytest.mark.contract("A7")
async def test_a_silent_connection_shows_signs_of_life(api: httpx.AsyncClient, session: SessionId) -> None:
    async with live(api, f"{session}:1") as stream:
        await stream.next("ready")
        began = time.monotonic()
        heard = await stream.any()
        assert heard.name == ":"
        assert time.monotonic() - began < 10


async def test_a_cursor_beyond_the_head_is_reset(api: httpx.AsyncClient, session: SessionId) -> None:
    lineage = (await api.get(f"/api/sessions/{session}")).json()["lineage"]
    async with live(api, f"{session}:99") as stream:
        heard = await stream.next("reset", "record")
    assert heard == Heard("reset", "", {"session": session, "lineage": lineage})


async def test_another_lineage_is_reset_for_sessions_and_list(api: httpx.AsyncClient, session: SessionId) -> None:
    async with live(api, f"{session}:0", list=0, lineage="another") as stream:
        heard = [await stream.next("reset", "record", "session") for _ in range(2)]
    assert [event.name for event in heard] == ["reset", "reset"]
    assert {event.data["session"] for event in heard} == {session, None}


async def test_a_deleted_session_is_gone_for_its_followers_and_from_the_list(
    api: httpx.AsyncClient, session: SessionId
) -> None:
    change = (await api.get("/api/sessions")).json()["change"]
    async with live(api, f"{session}:1", list=change) as stream:
        await stream.next("ready")
        assert (await api.delete(f"/api/sessions/{session}")).status_code == 200
        heard = [await stream.next() for _ in range(3)]
        names = sorted(event.name for event in heard)
        assert names == ["gone", "gone", "record"]
        assert all(event.data["session"] == session for event in heard if event.name == "gone")
        assert (await api.post(f"/api/sessions/{session}/restore")).status_code == 200
        back = [await stream.next() for _ in range(2)]
        assert sorted(event.name for event in back) == ["record", "session"]


async def test_an_unknown_session_is_gone_and_the_others_go_on(api: httpx.AsyncClient, session: SessionId) -> None:
    async with live(api, "nobody:0", f"{session}:0") as stream:
        heard = [await stream.next("gone", "record") for _ in range(2)]
    assert {event.name for event in heard} == {"gone", "record"}


async def test_a_session_that_is_made_after_it_was_missed_can_be_followed(api: httpx.AsyncClient) -> None:
    async with live(api, "later:0") as first:
        await first.next("gone")
        await api.post("/api/sessions", json={"id": "later"})
        async with live(api, "later:0") as second:
            assert seqs(await second.records(1)) == [1]


async def test_the_list_says_what_changes_in_sessions_that_nobody_watches(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    change = (await api.get("/api/sessions")).json()["change"]
    async with live(api, list=change) as stream:
        await stream.next("ready")
        run = await Run.claim(store, session)
        await run.start(T1, "look")
        await run.write(e.QuestionAsked(ask=AskId("q1"), turn=T1, text="Which one?"))
        heard = await stream.next("session")
        while heard.data["state"] != "waiting":
            heard = await stream.next("session")
    assert heard.data["id"] == session
    assert (heard.data["ask"], heard.data["ask_kind"], heard.data["waiting"]) == ("Which one?", "question", 1)
    assert heard.data["unseen"] is True
    assert heard.data["change"] > change


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ([("follow", f"s{n}:0") for n in range(16)], 200),
        ([("follow", f"s{n}:0") for n in range(17)], 400),
        ([("follow", "s1:0"), ("follow", "s1:5")], 400),
        ([("follow", "s1")], 400),
        ([("follow", "s1:-1")], 400),
        ([("follow", "../x:0")], 400),
        ([("follow", "house:0")], 400),
        ([("list", "x")], 400),
        ([("list", "-1")], 400),
    ],
)
async def test_at_most_sixteen_sessions_each_once_by_a_cursor(
    api: httpx.AsyncClient, params: list[tuple[str, str]], status: int
) -> None:
    async with api.stream("GET", "/api/stream", params=tuple(params)) as answer:
        assert answer.status_code == status
        if status == 400:
            await answer.aread()
            assert answer.json()["error"]


@pytest.mark.contract("A7")
async def test_a_viewer_that_does_not_read_costs_nobody_anything_and_loses_nothing(
    server: Served, api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start(T1)
    address = httpx.URL(server.link)
    request = (
        f"GET /api/stream?follow={session}:4 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {server.token}\r\n\r\n"
    )
    size, count = 20_000, 600
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect((address.host, address.port or 80))
        slow.sendall(request.encode())
        before = resident(server)
        async with live(api, f"{session}:4") as quick:
            began = time.monotonic()
            for number in range(count):
                await run.say(f"{number}:" + "x" * size)
                assert seqs(await quick.records(1)) == [5 + number]
            assert time.monotonic() - began < 60
        assert resident(server) - before < 40_000_000
        slow.settimeout(20)
        received = await asyncio.to_thread(read_until, slow, f"id: {session}:{4 + count}\n".encode())
    ids = [int(line.partition(b":")[2]) for line in lines_with_ids(received, session)]
    assert ids == list(range(5, 5 + count))


def read_until(connection: socket.socket, mark: bytes) -> bytes:
    received = bytearray()
    while mark not in received[-len(mark) - 200_000 :]:
        part = connection.recv(1 << 16)
        assert part, "the server gave up a viewer that reads"
        received += part
    return bytes(received)


def lines_with_ids(received: bytes, session: SessionId) -> list[bytes]:
    # A chunk of the transfer may begin anywhere, but an id line is never parted by us: chunks are whole frames.
    return [line.removeprefix(b"id: ") for line in received.split(b"\n") if line.startswith(f"id: {session}:".encode())]


@pytest.mark.contract("G2")
async def test_a_killed_server_comes_back_and_the_same_cursor_goes_on(tmp_path: Path) -> None:
    settings = read_settings({}, home=tmp_path)
    with served(tmp_path, command=COMMAND) as first:
        port = first.link.rsplit(":", 1)[1]
        store = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells))
        async with first.async_client() as api:
            await api.post("/api/sessions", json={"id": "s1"})
            run = await Run.claim(store, SessionId("s1"))
            await run.start(T1)
            async with live(api, "s1:0") as stream:
                seen = await stream.records(4)
                first.kill()
                with pytest.raises(httpx.TransportError):
                    await stream.ends()
        await run.say("while it was away ")
    with served(tmp_path, command=COMMAND, options=["--port", port]) as second:
        async with second.async_client() as api, live(api, f"s1:{seqs(seen)[-1]}") as stream:
            await run.say("and after")
            seen += await stream.records(2)
        await store.close()
    assert seqs(seen) == [1, 2, 3, 4, 5, 6]


async def test_a_server_that_ends_ends_its_connections_at_once(tmp_path: Path) -> None:
    with served(tmp_path, command=COMMAND) as server:
        async with server.async_client() as api:
            await api.post("/api/sessions", json={"id": "s1"})
            async with live(api, "s1:1", list=0) as stream, asyncio.TaskGroup() as group:
                await stream.next("ready")
                poll = group.create_task(api.get("/api/sessions/s1/records?after=1&wait=30"))
                await asyncio.sleep(0.3)
                began = time.monotonic()
                server.process.terminate()
                assert await stream.ends()
                assert (await poll).json()["records"] == []
                assert time.monotonic() - began < 3
        assert await asyncio.to_thread(server.wait) == (0, "")


async def test_the_last_viewer_takes_the_tail_with_it(api: httpx.AsyncClient, session: SessionId) -> None:
    async with live(api, f"{session}:0", list=0) as stream:
        await stream.next("record")
        assert (await api.get("/api/status")).json()["watched"] == 2
    for _ in range(200):
        if not (await api.get("/api/status")).json()["watched"]:
            return
        await asyncio.sleep(0.05)
    pytest.fail("A tail goes on though nobody watches.")


async def test_a_long_poll_returns_what_comes_and_nothing_when_nothing_does(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    address = f"/api/sessions/{session}/records"
    empty = (await api.get(address, params={"after": 1, "wait": 0.2})).json()
    assert (empty["records"], empty["seq"], empty["reset"]) == ([], 1, False)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(api.get(address, params={"after": 1, "wait": 20}))
        await asyncio.sleep(0.2)
        began = time.monotonic()
        await store.append(session, [e.TurnSubmitted(turn=TurnId("t9"), text="hi")])
        answer = (await waiting).json()
    assert time.monotonic() - began < 5
    assert [record["event"]["kind"] for record in answer["records"]] == ["turn.submitted"]
    assert answer["seq"] == 2
    assert (await api.get(address, params={"after": 99})).json()["reset"] is True
    assert (await api.get(address, params={"after": 0, "lineage": "another"})).json()["reset"] is True
    assert (await api.get(address, params={"wait": 31})).status_code == 400
    assert (await api.get("/api/sessions/nobody/records")).status_code == 404


@pytest.mark.contract("R7")
async def test_a_store_that_can_not_be_written_is_said_to_all_and_so_is_its_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_FAULTS", "store.written=enospc:2")
    with served(tmp_path, command=COMMAND) as server:
        async with server.async_client() as api:
            await api.post("/api/sessions", json={"id": "s1"})
            async with live(api) as stream:
                refused = await api.post("/api/sessions/s1/turns", json={"id": "t1", "text": "x"})
                assert (refused.status_code, refused.json()["code"]) == (507, "StoreFull")
                assert refused.json()["error"].startswith("The disk of the store is full")
                heard = await stream.next("store")
                assert heard.data == {"writable": False, "error": refused.json()["error"]}
                async with live(api) as later:
                    assert (await later.next("store")).data["writable"] is False
                again = await api.post("/api/sessions/s1/turns", json={"id": "t1", "text": "x"})
                assert again.json()["seq"] == 2
                assert (await stream.next("store")).data["writable"] is True
