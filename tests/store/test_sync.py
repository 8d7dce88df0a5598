"""What is on the disk when: every sync of the WAL is counted by the file system under it."""

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from holdfast import faults
from holdfast.core import codec, recovery
from holdfast.core import events as e
from holdfast.core.errors import StoreFull
from holdfast.core.ids import HOUSE, SessionId
from holdfast.core.records import Position
from holdfast.store.sqlite import committing
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.core.dice import Dice
from tests.core.wild import SHAPES
from tests.store.disk import Disk, under_watch
from tests.store.stage import S1, T1, Run, created, log, submit

PATIENCE = 20.0
"""Far more than the second after which streamed text is synced."""


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    with under_watch(monkeypatch) as watched:
        yield watched


@pytest.fixture
async def store(folder: Path, disk: Disk) -> AsyncIterator[SqliteStore]:
    """A store on a watched disk, without checkpoints: they sync too."""
    opened = await SqliteStore.open_folder(folder, Options(autocheckpoint=1_000_000))
    await created(opened)
    disk.syncs.clear()
    yield opened
    await opened.close()


@pytest.fixture
def an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not synced by its commit is synced only after an hour."""
    monkeypatch.setattr(committing, "SYNC_EVERY", 3600.0)


def some(kind: str) -> e.Event:
    """An event of this kind."""
    cls = codec.KINDS[kind]
    return cls(**{name: Dice(b"").pick(values) for name, values in SHAPES[cls]})


@pytest.mark.parametrize("kind", sorted(codec.KINDS))
@pytest.mark.usefixtures("an_hour")
async def test_what_permits_an_effect_is_on_the_disk_when_the_append_returns(
    store: SqliteStore, disk: Disk, kind: str
) -> None:
    """Each synced event by itself; the others are committed without a sync."""
    event = some(kind)
    await store.append(S1, [event])
    assert bool(disk.wal_syncs) == event.synced


@pytest.mark.usefixtures("an_hour")
async def test_one_synced_event_syncs_all_that_is_appended_with_it_and_before_it(
    store: SqliteStore, disk: Disk
) -> None:
    """Words, then more words with an end behind them: one sync takes all to the disk."""
    run = await Run.claim(store)
    await run.start()
    disk.syncs.clear()
    await run.say("words ")
    assert disk.wal_syncs == 0
    await run.write(e.TextAppended(turn=T1, text="more "), e.TurnEnded(turn=T1, outcome="completed"))
    assert disk.wal_syncs == 1
    await run.say("and after that")
    assert disk.wal_syncs == 1


@pytest.mark.usefixtures("an_hour")
async def test_creating_claiming_adopting_and_purging_are_synced(store: SqliteStore, disk: Disk) -> None:
    """Whoever was told that it is done can rely on it."""

    async def synced() -> bool:
        count = disk.wal_syncs
        disk.syncs.clear()
        return count > 0

    await created(store, SessionId("s2"))
    assert await synced()
    dead = await Run.claim(store)
    assert await synced()
    await dead.start()
    heir = await Run.claim(store)
    await synced()
    late = (Position(epoch=dead.epoch, n=9), e.TextAppended(turn=T1, text="late"))
    await store.adopt(S1, [late], turn=T1, epoch=heir.epoch)
    assert await synced()
    await store.purge(S1)
    assert await synced()


@pytest.mark.usefixtures("an_hour")
async def test_a_claim_without_facts_is_synced(store: SqliteStore, disk: Disk) -> None:
    """The raised epoch alone must outlive a power cut."""
    await store.claim(S1, lambda _: [])
    assert disk.wal_syncs == 1


async def until_synced(disk: Disk) -> None:
    async with asyncio.timeout(PATIENCE):
        while not disk.wal_syncs:  # noqa: ASYNC110  the disk is written by another thread
            await asyncio.sleep(0.02)


async def test_streamed_text_is_synced_soon_although_nothing_follows(store: SqliteStore, disk: Disk) -> None:
    """The last words before a silence get to the disk by themselves."""
    run = await Run.claim(store)
    await run.start()
    disk.syncs.clear()
    await run.say("last words")
    await until_synced(disk)


async def test_streamed_text_is_synced_while_more_and_more_comes(
    store: SqliteStore, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that never rests, because the next append always waits, syncs with some of its commits."""
    run = await Run.claim(store)
    await run.start()
    monkeypatch.setattr(committing, "SYNC_EVERY", 0.001)
    disk.syncs.clear()
    words = [
        store.append(S1, [e.TextAppended(turn=T1, text="word ")], position=Position(epoch=run.epoch, n=run.n + number))
        for number in range(1, 1_001)
    ]
    streaming = asyncio.gather(*words)
    await asyncio.sleep(0)
    syncs = await store._writer.do(lambda _: disk.wal_syncs)
    await streaming
    assert 0 < syncs < len(words)


async def test_a_retry_that_writes_nothing_does_not_pass_for_a_sync(
    store: SqliteStore, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty commit syncs nothing, so the words before it still have their second."""
    monkeypatch.setattr(committing, "SYNC_EVERY", 0.3)
    run = await Run.claim(store)
    await run.start()
    await asyncio.sleep(0.5)
    disk.syncs.clear()
    await run.say("last words")
    await submit(store)
    assert disk.wal_syncs == 0
    await until_synced(disk)


@pytest.mark.usefixtures("an_hour")
async def test_closing_syncs_what_is_left(folder: Path, disk: Disk) -> None:
    """A store that was closed holds all that was appended, whatever happens to the machine next."""
    first = await SqliteStore.open_folder(folder)
    second = await SqliteStore.open_folder(folder)  # so that closing the first is no checkpoint
    await created(first)
    run = await Run.claim(first)
    await run.start()
    await run.say("last words")
    disk.syncs.clear()
    await first.close()
    assert disk.wal_syncs == 1
    await second.close()


async def test_the_level_is_set_for_each_commit(sqlite: SqliteStore) -> None:
    """NORMAL for a word, FULL for what a person did, NORMAL again for the next word."""
    run = await Run.claim(sqlite)
    await run.start()
    levels: list[int] = []
    for append in (run.say("a"), sqlite.append(HOUSE, [e.SessionRenamed(title="x")]), run.say("b")):
        await append
        levels.append(await sqlite._writer.do(lambda side: side._connection.pragma("synchronous")))
    assert levels == [1, 2, 1]


async def test_a_sync_that_fails_is_tried_again_and_ends_nothing(
    store: SqliteStore, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk in the quiet second after the last word: the writer lives, and syncs when it can."""
    monkeypatch.setattr(committing, "SYNC_EVERY", 0.05)
    run = await Run.claim(store)
    await run.start()
    await asyncio.sleep(0.2)
    await run.say("last words")
    disk.syncs.clear()
    faults.arm("store.locked=enospc")
    try:
        await until_synced(disk)
    finally:
        faults.arm("")
    assert (await run.say("and more")).written == 1


@pytest.mark.usefixtures("an_hour")
async def test_a_close_that_can_not_sync_says_so_and_lets_go(folder: Path) -> None:
    """Nothing hangs, the caller is told, and the store can be opened again with all that was committed."""
    store = await SqliteStore.open_folder(folder)
    await created(store)
    run = await Run.claim(store)
    await run.start()
    await run.say("last words")
    before = await log(store)
    faults.arm("store.locked=enospc")
    try:
        with pytest.raises(StoreFull):
            await store.close()
    finally:
        faults.arm("")
    await store.close()
    again = await SqliteStore.open_folder(folder)
    assert await log(again) == before
    await again.close()


# Lineage.


async def lineage(folder: Path) -> str:
    store = await SqliteStore.open_folder(folder)
    try:
        return await store.lineage()
    finally:
        await store.close()


async def test_the_lineage_is_kept_while_the_machine_runs(folder: Path) -> None:
    """Restarting the server costs no browser its place."""
    assert await lineage(folder) == await lineage(folder)


async def test_the_lineage_is_new_after_a_reboot(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last second may be missing then, so whoever followed a log must start over; afterwards it stays again."""
    before = await lineage(folder)
    monkeypatch.setattr("holdfast.store.sqlite.store.boot_id", lambda: "another boot")
    after = await lineage(folder)
    assert after != before
    assert await lineage(folder) == after


async def test_two_stores_have_two_lineages(tmp_path: Path) -> None:
    """A cursor of one means nothing to the other."""
    assert await lineage(tmp_path / "a") != await lineage(tmp_path / "b")


# Modes.


async def test_nothing_in_the_folder_is_for_others_to_read(folder: Path) -> None:
    """Folder, database, WAL, shared memory and lock are their owner's alone, whatever the umask is."""
    umask = os.umask(0)
    try:
        store = await SqliteStore.open_folder(folder)
        await created(store)
        await store.claim(S1, recovery.loss)
    finally:
        os.umask(umask)
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in await asyncio.to_thread(list_files, folder)}
    await store.close()
    assert {name for name in found if not name.endswith("lock")} >= {
        "store",
        "store.db",
        "store.db-wal",
        "store.db-shm",
    }
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}


def list_files(folder: Path) -> list[Path]:
    return [folder, *folder.rglob("*")]
