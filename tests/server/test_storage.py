"""What takes room, over real HTTP: a backup is one moment of a server that works, and only what was named goes."""

import asyncio
import io
import os
import shutil
import tarfile
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.types import Message, Scope

from holdfast import __version__
from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.core.session import replay
from holdfast.server.routes import storage
from holdfast.server.routes.storage import download_backup
from holdfast.server.routing import routed
from holdfast.server.wired import wired
from holdfast.settings import read_settings
from holdfast.store.backup import Taken, restore
from holdfast.store.blobs import Blobs
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.served import Served
from tests.server.wired import wiring_for
from tests.store.stage import T2, Run

DAY_MS = 24 * 60 * 60 * 1000


@pytest.fixture
async def long_ago(server: Served) -> AsyncIterator[SqliteStore]:
    """The server's store, whatever is written to it a hundred days old."""
    settings = read_settings({}, home=server.home)
    then = Options(bells=settings.bells, now=lambda: time.time_ns() // 1_000_000 - 100 * DAY_MS)
    opened = await SqliteStore.open_folder(settings.store, then)
    yield opened
    await opened.close()


async def spoken(store: SqliteStore, name: str, *changes: e.Event) -> SessionId:
    """A session in which something was said, and which was then left so."""
    session = SessionId(name)
    await store.create(session, e.SessionCreated(title=name))
    run = await Run.claim(store, session)
    await run.start()
    await run.say("answer")
    await run.end(outcome="cancelled")  # one that was completed would be owed to the agent's memory
    await run.write(e.RunnerStopped())
    if changes:
        await store.append(session, changes)
    return session


def names(lying: dict[str, list[dict[str, str]]]) -> set[str]:
    return {each["session"] for each in lying["sessions"]}


async def test_a_backup_through_the_door_holds_every_word_of_a_run_that_writes(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, server: Served, tmp_path: Path
) -> None:
    """What is restored from it has the same transcripts, up to one moment, and no credential."""
    kept = await spoken(store, "kept-whole")
    run = await Run.claim(store, session)
    await run.start()
    sent: list[int] = []

    async def write() -> None:
        while True:
            sent.append((await run.say(f"word{len(sent)} ")).last)

    writing = asyncio.create_task(write())
    answer = await api.get("/api/backup")
    writing.cancel()
    await asyncio.wait([writing])
    assert writing.cancelled()
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith('attachment; filename="holdfast-')
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        assert {name.split("/")[0] for name in archive.getnames()} <= {"store", "blobs", "config.toml"}
    assert server.token.strip().encode() not in answer.content
    (tmp_path / "backup.tar").write_bytes(answer.content)
    restore(tmp_path / "backup.tar", tmp_path / "home")
    again = await SqliteStore.open_folder(tmp_path / "home/store")
    try:
        for name in (kept, session):
            here, there = await store.read(name, 0, 100_000), await again.read(name, 0, 100_000)
            assert there == here[: len(there)]
            assert replay(there).seq == len(there) > 0
        assert len(await again.read(kept, 0, 1_000)) == len(await store.read(kept, 0, 1_000))
    finally:
        await again.close()
    assert not drafts(server.home)


def drafts(home: Path) -> list[Path]:
    """What backups that are being handed out take in the home."""
    return list(home.glob(".backup.*"))


@pytest.mark.parametrize("after", ["nothing", "a piece"])
async def test_a_backup_that_nobody_waits_for_takes_no_room(tmp_path: Path, after: str) -> None:
    """Whoever wanted it may leave before the first byte, or while the next piece is being read."""
    wiring = wiring_for(tmp_path)
    await (await SqliteStore.open_folder(wiring.settings.store)).close()
    Blobs(wiring.settings.blobs).put([os.urandom(8_000_000)])

    async def download() -> None:
        left = asyncio.Event()
        if after == "nothing":
            left.set()

        async def receive() -> Message:
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message.get("body"):
                left.set()

        scope: Scope = {"type": "http", "method": "GET", "path": "/api/backup", "headers": [], "query_string": b""}
        await wired(routed([download_backup]), wiring)(scope, receive, send)

    for _ in range(10):  # whether it was left behind was a matter of chance
        await download()
    assert not drafts(tmp_path)


async def test_a_backup_that_is_called_off_while_it_is_taken_takes_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever wanted it was signed out meanwhile, or the server ends. The copying goes on, and then the copy goes."""
    wiring = wiring_for(tmp_path)
    await (await SqliteStore.open_folder(wiring.settings.store)).close()
    begun, go_on, closed = threading.Event(), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow(Taken):
        def __init__(self, home: Path) -> None:
            begun.set()
            assert go_on.wait(60)
            super().__init__(home)

        def close(self) -> None:
            super().close()
            loop.call_soon_threadsafe(closed.set)

    monkeypatch.setattr(storage, "Taken", Slow)
    asked = asyncio.ensure_future(download_backup.handler(wiring))
    await asyncio.to_thread(begun.wait, 60)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    go_on.set()
    async with asyncio.timeout(60):
        await closed.wait()
    assert not drafts(tmp_path)


async def test_who_waits_for_a_session_that_goes_for_good_is_told_so(
    api: httpx.AsyncClient, store: SqliteStore, long_ago: SqliteStore
) -> None:
    session = await spoken(long_ago, "waited-for", e.SessionDeleted())
    head = await store.wait(session, -1, 0)
    waiting = asyncio.create_task(api.get(f"/api/sessions/{session}/records", params={"after": head, "wait": 30}))
    await asyncio.sleep(0.3)  # it is on its way; if it comes after the session has gone, it is told the same
    assert (await api.post("/api/storage/purge", json={"sessions": [session]})).json() == {"sessions": [session]}
    answer = await waiting
    assert (answer.status_code, answer.json()["code"]) == (404, "NoSuchSession")


async def test_only_what_was_named_and_still_is_so_goes(
    api: httpx.AsyncClient, store: SqliteStore, long_ago: SqliteStore
) -> None:
    archived, deleted = e.SessionChanged(archived=True), e.SessionDeleted()
    mine = await spoken(long_ago, "listed-and-old")
    old = await spoken(long_ago, "archived-and-old", archived)
    other = await spoken(long_ago, "archived-and-old-too", archived)
    young = await spoken(store, "archived-and-young", archived)
    gone = await spoken(long_ago, "deleted-long-ago", deleted)
    kept = await spoken(long_ago, "deleted-and-not-named", deleted)
    just = await spoken(store, "deleted-just-now", deleted)
    found = (await api.get("/api/storage", params={"days": 30})).json()
    assert names(found["archived"]) >= {old, other}
    assert names(found["deleted"]) >= {gone, kept}
    assert not {mine, young, just} & (names(found["archived"]) | names(found["deleted"]))
    assert all(each["bytes"] > 0 for each in found["deleted"]["sessions"])
    everything = [mine, old, young, gone, just, "nobody"]
    first = await api.post("/api/storage/purge", json={"sessions": everything})
    assert first.json() == {"sessions": [gone]}
    second = await api.post("/api/storage/purge", json={"sessions": everything, "days": 30})
    assert second.json() == {"sessions": [old]}
    assert (await api.get(f"/api/sessions/{old}")).status_code == 404
    for name in (mine, other, young):
        assert (await api.get(f"/api/sessions/{name}")).status_code == 200
    for name in (kept, just):
        assert (await api.post(f"/api/sessions/{name}/restore")).status_code == 200
    assert {kept, just} & names((await api.get("/api/storage")).json()["deleted"]) == set()


async def test_what_runs_or_is_named_house_stays(api: httpx.AsyncClient, long_ago: SqliteStore) -> None:
    session = await spoken(long_ago, "runs", e.SessionChanged(archived=True))
    await Run.claim(long_ago, session)
    answer = await api.post("/api/storage/purge", json={"sessions": [session], "days": 1})
    assert answer.json() == {"sessions": []}
    assert session not in names((await api.get("/api/storage", params={"days": 1})).json()["archived"])
    assert (await api.post("/api/storage/purge", json={"sessions": ["house"], "days": 1})).status_code in (400, 409)
    assert (await api.post("/api/storage/purge", json={"sessions": [session], "days": 0})).status_code == 400


async def test_what_the_memory_of_an_agent_has_not_got_yet_stays(api: httpx.AsyncClient, long_ago: SqliteStore) -> None:
    session = await spoken(long_ago, "owed")
    run = await Run.claim(long_ago, session)
    await run.talk(T2, "question", "answer")
    await run.write(e.RunnerStopped())
    await long_ago.append(session, [e.SessionDeleted()])
    assert session not in names((await api.get("/api/storage")).json()["deleted"])
    assert (await api.post("/api/storage/purge", json={"sessions": [session]})).json() == {"sessions": []}


def test_files_of_which_nobody_speaks_go_after_a_day(client: httpx.Client, server: Served) -> None:
    sent: dict[bytes, dict[str, str]] = {}
    for content in (b"spoken of", b"loose", b"loose and young"):
        sent[content] = client.post("/api/files", params={"name": "a.txt"}, content=content).json()
    session = client.post("/api/sessions", json={}).json()["id"]
    said = {"id": "m1", "text": "look", "attachments": [sent[b"spoken of"]]}
    client.post(f"/api/sessions/{session}/turns", json=said).raise_for_status()
    for content in (b"spoken of", b"loose"):
        name = sent[content]["blob"]
        os.utime(server.home / "blobs" / name[:2] / name, (0, 0))
    loose = client.get("/api/storage").json()["loose"]
    assert loose == {"files": 1, "bytes": len(b"loose")}
    assert client.post("/api/storage/files/collect").json() == loose
    assert client.get("/api/storage").json()["loose"] == {"files": 0, "bytes": 0}
    found = {content: client.get(f"/api/files/{file['blob']}").status_code for content, file in sent.items()}
    assert found == {b"spoken of": 200, b"loose": 404, b"loose and young": 200}


def test_what_a_killed_server_left_of_a_backup_goes_with_the_next(client: httpx.Client, server: Served) -> None:
    left, fresh = server.home / ".backup.old", server.home / ".backup.new"
    for folder in (left, fresh):
        folder.mkdir()
        (folder / "store.db").write_bytes(b"half of it")
    os.utime(left, (0, 0))
    gone = server.home / ".backup.gone"
    gone.symlink_to("nowhere")  # as one that ends between being listed and being looked at
    assert client.get("/api/backup").status_code == 200
    gone.unlink()
    assert not left.exists()
    assert fresh.exists(), "somebody else may be reading from it"
    shutil.rmtree(fresh)


def test_it_says_what_it_is_and_what_doctor_says(client: httpx.Client, server: Served) -> None:
    about = client.get("/api/about").json()
    assert (about["version"], about["home"], about["licence"]) == (__version__, str(server.home), "MIT")
    assert about["store_format"] >= 2
    findings = client.get("/api/examination").json()["findings"]
    assert any("The store is sound" in finding["sentence"] for finding in findings)


def test_none_of_it_is_open(stranger: httpx.Client) -> None:
    for method, address in (("GET", "/api/backup"), ("GET", "/api/storage"), ("POST", "/api/storage/purge")):
        assert stranger.request(method, address).status_code == 401
