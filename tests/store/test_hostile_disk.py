"""Disks that are full, read-only, damaged, strange or too far away: a clear sentence, and earlier data intact."""

import asyncio
import contextlib
import errno
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest

from holdfast import faults
from holdfast.core import events as e
from holdfast.core.errors import (
    HoldfastError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreMisplaced,
    StoreReadOnly,
    StoreTooNew,
)
from holdfast.core.ids import HOUSE, SessionId, TurnId
from holdfast.core.records import Record
from holdfast.store.protocol import Query
from holdfast.store.sqlite import place
from holdfast.store.sqlite.connection import translated
from holdfast.store.sqlite.store import DATABASE, GATE, Options, SqliteStore
from tests.store.children import PATIENCE, PROGRAMS, look
from tests.store.disk import Disk, under_watch
from tests.store.stage import S1, T1, T2, Clock, Run, created, events, log, names, shown, submit

LARGE = e.SessionRenamed(title="x" * 300_000)


async def filled(folder: Path, clock: Clock) -> list[Record]:
    """A store with a session in it that has talked for a while; closed."""
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await created(store)
    run = await Run.claim(store)
    for number in range(10):
        await run.talk(TurnId(f"t{number}"), "a question", "an answer " * 200)
    records = await log(store)
    await store.close()
    return records


async def everything_works(store: SqliteStore, before: list[Record]) -> None:
    """Nothing of what was there is missing, and every kind of reading answers."""
    assert (await log(store))[: len(before)] == before
    assert await shown(store)
    assert await names(store) == [S1]
    await store.search("answer")
    await store.owners()


# Full.


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    with under_watch(monkeypatch) as watched:
        yield watched


@pytest.fixture
async def store(folder: Path, clock: Clock, disk: Disk) -> AsyncIterator[SqliteStore]:
    """A store on a disk that can be filled."""
    opened = await SqliteStore.open_folder(folder, Options(now=clock))
    await created(opened)
    yield opened
    disk.full = False
    await opened.close()


async def test_a_full_disk_refuses_an_append_and_harms_nothing(store: SqliteStore, disk: Disk) -> None:
    """The error says what to do; reading goes on; when there is space, the same append succeeds, once."""
    run = await Run.claim(store)
    await run.start()
    await run.say("before ")
    before = await log(store)
    disk.full = True
    for _ in range(3):
        with pytest.raises(StoreFull, match="free some space"):
            await submit(store, T2)
        with pytest.raises(StoreFull):
            await store.append(S1, [e.TextAppended(turn=T1, text="after")], position=run.next)
    await everything_works(store, before)
    assert await log(store) == before
    disk.full = False
    assert (await run.say("after")).written == 1
    assert (await submit(store, T2)).written == 1
    assert (await submit(store, T2)).written == 0
    assert [item.get("text") for _, _, item in await shown(store)] == ["do it", "before after"]


@pytest.mark.parametrize("verb", ["create", "claim", "adopt", "replace", "purge"])
async def test_a_full_disk_refuses_every_other_verb_too(store: SqliteStore, disk: Disk, verb: str) -> None:
    """All or nothing, whatever was tried; and afterwards it can be done."""
    dead = await Run.claim(store)
    await dead.start()
    heir = await Run.claim(store)
    before = await log(store)

    async def attempt() -> object:
        match verb:
            case "create":
                return await created(store, SessionId("s2"))
            case "claim":
                return await store.claim(S1, lambda _: [])
            case "adopt":
                late = e.TextAppended(turn=T1, text="late")
                return await store.adopt(S1, [(dead.next, late)], turn=T1, epoch=heir.epoch)
            case "replace":
                return await store.admit(S1, before[:1], lambda _: True)
            case _:
                return await store.purge(S1)

    disk.full = True
    with pytest.raises(StoreFull):
        await attempt()
    await everything_works(store, before)
    assert await log(store) == before
    disk.full = False
    await attempt()


async def test_a_store_can_not_be_founded_on_a_full_disk_and_can_afterwards(folder: Path, disk: Disk) -> None:
    """Half a foundation is none."""
    disk.full = True
    with pytest.raises(StoreFull):
        await SqliteStore.open_folder(folder)
    disk.full = False
    store = await SqliteStore.open_folder(folder)
    await created(store)
    await store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of three megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"needs to mount a file system: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", folder], check=True)


async def fill_by_appending(store: SqliteStore) -> int:
    """Append pairs with keys k0, k1, ... until the disk is full; return the number of the first that had no room."""
    number = 0
    with contextlib.suppress(StoreFull):
        while number < 100:
            await append_pair(store, number)
            number += 1
    return number


async def append_pair(store: SqliteStore, number: int) -> int:
    pair = [LARGE, e.SessionRenamed(title=f"{number}")]
    return (await store.append(S1, pair, key=f"k{number}")).written


async def test_a_real_full_disk(small_disk: Path, clock: Clock) -> None:
    """Filled by ourselves to the last page: earlier data intact, and with more space the same append succeeds."""
    store = await SqliteStore.open_folder(small_disk / "store", Options(now=clock, autocheckpoint=1_000_000))
    await created(store)
    number = await fill_by_appending(store)
    assert 0 < number < 100
    before = await log(store)
    assert len(before) == 1 + 2 * number
    assert (await store.open(S1)).session.seq == len(before)
    assert await names(store) == [S1]
    remount(small_disk, "size=64m")
    assert await append_pair(store, number) == 2
    assert await append_pair(store, number) == 0
    await store.close()
    again = await SqliteStore.open_folder(small_disk / "store", Options(now=clock))
    assert (await log(again))[:-2] == before
    await again.close()


async def test_a_real_disk_that_others_filled(small_disk: Path, clock: Clock) -> None:
    """Not one byte is left when the store is to be opened, and not when it is written."""
    folder = small_disk / "store"
    before = await filled(folder, clock)
    filler = small_disk / "filler"
    fill(filler)
    with pytest.raises(StoreFull):
        await SqliteStore.open_folder(folder, Options(now=clock))
    filler.unlink()
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    fill(filler)
    assert await fill_by_appending(store) < 100
    await everything_works(store, before)
    filler.unlink()
    assert (await submit(store, TurnId("new"))).written == 1
    await store.close()


async def test_a_real_disk_that_became_read_only(small_disk: Path, clock: Clock) -> None:
    """Neither an open store nor a new one writes, both say so, and reading goes on where it can."""
    folder = small_disk / "store"
    before = await filled(folder, clock)
    remount(small_disk, "ro")
    with pytest.raises(StoreReadOnly, match="owner and the mode"):
        await SqliteStore.open_folder(folder, Options(now=clock))
    remount(small_disk, "rw")
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await everything_works(store, before)
    await store.close()


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (65_536, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


# A failure at any point, and the answer that never came.


@pytest.fixture
def armed() -> Iterator[None]:
    yield
    faults.arm("")


@pytest.mark.usefixtures("armed")
@pytest.mark.parametrize("act", ["raise", "enospc"])
@pytest.mark.parametrize(
    ("point", "ends"),
    [("store.locked", False), ("store.written", False), ("store.written", True), ("store.settled", True)],
)
async def test_a_failed_transaction_leaves_no_trace(sqlite: SqliteStore, point: str, act: str, *, ends: bool) -> None:
    """Neither in the log nor in what the writer remembers: the same facts, sent again, give what one append gives."""
    run = await Run.claim(sqlite)
    await run.start()
    await run.say("first ")
    before, line = await log(sqlite), await sqlite.sessions(Query())
    facts: list[e.Event] = [e.TextAppended(turn=T1, text="second")]
    facts += [e.TurnEnded(turn=T1, outcome="completed")] if ends else []
    faults.arm(f"{point}={act}")
    with pytest.raises((faults.InjectedFault, StoreFull)):
        await sqlite.append(S1, facts, position=run.next)
    assert (await log(sqlite), await sqlite.sessions(Query())) == (before, line)
    await run.write(*facts)
    assert await events(sqlite) == [*(record.event for record in before), *facts]
    await Run.claim(sqlite)
    assert [item.get("text") for _, _, item in await shown(sqlite)] == ["do it", "first second", None]


@pytest.mark.usefixtures("armed")
@pytest.mark.parametrize("cut", [1, 2, 3])
async def test_an_ambiguous_commit_is_retried_in_another_grouping(sqlite: SqliteStore, cut: int) -> None:
    """The commit happened and the answer was lost: whatever pieces it is sent again in, all is there once."""
    run = await Run.claim(sqlite)
    await run.start()
    first = run.next
    words: list[e.Event] = [e.TextAppended(turn=T1, text=f"{number} ") for number in range(6)]
    faults.arm("store.committed=raise")
    with pytest.raises(faults.InjectedFault):
        await sqlite.append(S1, words[:4], position=first)
    for start in range(0, 6, cut):
        position = msgspec.structs.replace(first, n=first.n + start)
        await sqlite.append(S1, words[start : start + cut], position=position)
    assert [event for event in await events(sqlite) if isinstance(event, e.TextAppended)] == words
    assert [item["text"] for _, _, item in await shown(sqlite)] == ["do it", "0 1 2 3 4 5 "]


# Read-only.


def stranger(folder: Path) -> str:
    """What a process is told that may read the folder and not write it."""
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "stranger.py"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.stdout + done.stderr


@pytest.fixture
def open_path(tmp_path: Path) -> Iterator[Path]:
    """A folder that every user can get to; those of tests are their owner's."""
    ours = [path for path in (tmp_path, *tmp_path.parents) if path.stat().st_uid == os.geteuid()]
    modes = [(path, path.stat().st_mode) for path in ours if not path.stat().st_mode & 0o001]
    for path, mode in modes:
        path.chmod(mode | 0o011)
    yield tmp_path
    for path, mode in modes:
        path.chmod(mode)


@pytest.mark.parametrize("what", ["folder", "lock", "database"])
async def test_a_read_only_store_is_named_as_such(open_path: Path, clock: Clock, what: str) -> None:
    """Folder, lock or database: whoever may not write is told so, and nothing was changed."""
    folder = open_path / "store"
    before = await filled(folder, clock)
    modes = {folder: 0o555 if what == "folder" else 0o777, folder / GATE: 0o666, folder / DATABASE: 0o666}
    if what != "folder":
        modes[folder / (GATE if what == "lock" else DATABASE)] = 0o444
    for path, mode in modes.items():
        path.chmod(mode)
    if what == "folder":
        (folder / GATE).unlink()
    answer = stranger(folder)
    folder.chmod(0o700)
    assert answer.startswith("StoreReadOnly: The store can't be written"), answer
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await everything_works(store, before)
    await store.close()


# Damaged.


async def damage(path: Path, offset: int, size: int) -> None:
    """Overwrite bytes, from another process: this one opens database files by apsw alone."""
    script = "import sys; f = open(sys.argv[1], 'r+b'); f.seek(int(sys.argv[2])); f.write(b'\\xa5' * int(sys.argv[3]))"
    await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", script, str(path), str(offset), str(size)], check=True, timeout=PATIENCE
    )


async def damage_last_page(folder: Path) -> None:
    path = folder / DATABASE
    assert look(path, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0] == 0
    assert look(path, "PRAGMA freelist_count") == [[0]]
    await damage(path, path.stat().st_size - 4096, 4096)


async def test_a_damaged_last_page_costs_the_record_that_lies_there(folder: Path, clock: Clock) -> None:
    """The record is told to be damaged; what was stored before it is intact, and the store goes on."""
    before = await filled(folder, clock)
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await store.append(HOUSE, [e.SessionRenamed(title="small"), LARGE])
    await store.close()
    await damage_last_page(folder)
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await everything_works(store, before)
    small, large = await events(store, HOUSE)
    assert small == e.SessionRenamed(title="small")
    assert isinstance(large, e.Unknown)
    assert large.kind == "damaged"
    assert (await submit(store, TurnId("new"))).written == 1
    await store.close()


@pytest.mark.parametrize("table", ["overviews", "checkpoints", "items"])
async def test_a_damaged_projection_is_told_and_the_log_can_be_read(folder: Path, clock: Clock, table: str) -> None:
    """Whatever needs the row says that the store is damaged and what to do; the truth is untouched."""
    before = await filled(folder, clock)
    look(folder / DATABASE, f"UPDATE {table} SET body = x'7b22ff'")
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    with pytest.raises(StoreCorrupt, match="holdfast restore"):
        await (store.sessions(Query()) if table == "overviews" else store.open(S1))
    assert await log(store) == before
    await store.close()


async def test_a_session_that_can_not_be_read_costs_a_search_that_session_alone(folder: Path, clock: Clock) -> None:
    """What the others say is found, also while they say it."""
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    for name in ("whole", "damaged"):
        run = await Run.claim(store, await created(store, SessionId(name)))
        await run.talk(T1, "a question", "an answer")
        await run.start(T2, "a needle")
    await store.close()
    look(
        folder / DATABASE,
        "UPDATE checkpoints SET body = x'7b22ff' WHERE session = (SELECT number FROM sessions WHERE id = 'damaged')",
    )
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    for _ in range(2):
        assert [hit.session for hit in await store.search("needle")] == ["whole"]
    with pytest.raises(StoreCorrupt, match="holdfast restore"):
        await store.open(SessionId("damaged"))
    await store.close()


async def test_a_damaged_page_in_the_middle_is_told(folder: Path, clock: Clock) -> None:
    """A chain of pages that leads nowhere is an error of SQLite, and a sentence of ours."""
    before = await filled(folder, clock)
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await store.append(HOUSE, [LARGE])
    await store.close()
    path = folder / DATABASE
    look(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    await damage(path, path.stat().st_size - 40 * 4096, 8)
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    with pytest.raises(StoreCorrupt, match="holdfast restore"):
        await log(store, HOUSE)
    await everything_works(store, before)
    await store.close()


async def test_a_damaged_tree_is_told(folder: Path, clock: Clock) -> None:
    """Where every page but the first is garbage, the answer is a sentence and not a crash."""
    await filled(folder, clock)
    path = folder / DATABASE
    look(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    await damage(path, 4096, path.stat().st_size - 4096)
    with pytest.raises(StoreCorrupt, match="restore"):
        await SqliteStore.open_folder(folder, Options(now=clock))


async def test_a_damaged_record_costs_that_record_alone(folder: Path, clock: Clock) -> None:
    """Its bytes are kept and have no effect; its neighbours have theirs, and the log goes on."""
    before = await filled(folder, clock)
    (victim,) = [record for record in before if record.event == e.TurnSubmitted(turn=T2, text="a question")]
    look(folder / DATABASE, f"UPDATE records SET body = x'7b22ff' WHERE id = 2 * 4294967296 + {victim.seq}")
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    after = await log(store)
    assert after[victim.seq - 1].event == e.Unknown(kind="damaged", fields={"bytes": "7b22ff"})
    del after[victim.seq - 1], before[victim.seq - 1]
    assert after == before
    assert await shown(store)
    assert (await submit(store, TurnId("new"))).written == 1
    await store.close()


def put(folder: Path, content: bytes) -> Path:
    """A file where the database should be."""
    folder.mkdir()
    path = folder / DATABASE
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", [b"garbage " * 1_000, b"SQLite format 3\x00" + b"\xff" * 8_000])
async def test_a_file_that_is_no_database_is_named_and_left_alone(folder: Path, content: bytes) -> None:
    """We neither crash nor overwrite what we did not write."""
    path = put(folder, content)
    with pytest.raises(StoreCorrupt):
        await SqliteStore.open_folder(folder)
    assert path.read_bytes() == content


async def test_a_store_of_a_newer_program_is_left_alone(folder: Path, clock: Clock) -> None:
    """An older program says which format it met and which it knows, and changes nothing."""
    before = await filled(folder, clock)
    ((ours,),) = look(folder / DATABASE, "PRAGMA user_version")
    look(folder / DATABASE, "PRAGMA user_version = 99")
    with pytest.raises(StoreTooNew, match=r"format 99; this one knows \d+"):
        await SqliteStore.open_folder(folder, Options(now=clock))
    assert look(folder / DATABASE, "PRAGMA user_version") == [[99]]
    look(folder / DATABASE, f"PRAGMA user_version = {ours}")
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await everything_works(store, before)
    await store.close()


async def test_a_store_that_could_not_be_opened_leaves_nothing_running(folder: Path) -> None:
    """No thread, no lock: as soon as the reason is gone, it opens."""
    path = put(folder, b"garbage " * 1_000)
    for _ in range(3):
        with pytest.raises(StoreCorrupt):
            await SqliteStore.open_folder(folder)
    path.unlink()
    store = await SqliteStore.open_folder(folder)
    await created(store)
    await store.close()


async def test_a_closed_store_says_so(sqlite: SqliteStore) -> None:
    """Nobody waits for an answer that can't come."""
    await sqlite.close()
    with pytest.raises(StoreError, match="closed"):
        await submit(sqlite)
    with pytest.raises(StoreError, match="closed"):
        await sqlite.read(S1, 0, 1)


# Far away.

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /proc rw,nosuid - proc proc rw
30 22 0:40 / /home rw,relatime shared:1 - nfs4 server:/home rw,vers=4.2
31 30 254:1 / /home/me/local rw,relatime - xfs /dev/vdb rw
32 22 0:50 / /mnt/with\\040space rw - cifs //server/share rw
33 22 0:51 / /mnt/over rw - ext4 /dev/vdc rw
34 33 0:52 / /mnt/over rw - fuse.sshfs me@server: rw
35 22 0:53 / /homeless rw - btrfs /dev/vdd rw
36 22 0:54 / /mnt/größe rw - nfs server:/ rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv/holdfast", "ext4"),
        ("/home/me/.holdfast", "nfs4"),
        ("/home/me/local/.holdfast", "xfs"),
        ("/mnt/with space/holdfast", "cifs"),
        ("/mnt/over/holdfast", "fuse.sshfs"),
        ("/homeless/holdfast", "btrfs"),
        ("/home", "nfs4"),
        ("/mnt/größe/holdfast", "nfs"),
    ],
)
def test_the_file_system_of_a_folder_is_found(folder: str, kind: str) -> None:
    """The deepest mount counts, the last of two on one point, and names of any letters are read."""
    assert place.file_system(Path(folder), MOUNTS) == kind


@pytest.mark.parametrize("mounts", ["", "\n", "no mount at all\n"])
def test_unknown_mounts_tell_nothing(mounts: str) -> None:
    """A text that we can't read keeps nobody from working."""
    assert place.file_system(Path("/srv"), mounts) == ""


async def test_a_store_on_a_network_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is written there, with the remedy."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"22 1 254:0 / / rw - ext4 /dev/vda rw\n30 22 0:40 / {tmp_path} rw - nfs4 server:/home rw\n")
    monkeypatch.setattr(place, "_MOUNTS", mounts)
    with pytest.raises(StoreMisplaced, match=r"network file system \(nfs4\).*HOLDFAST_HOME"):
        await SqliteStore.open_folder(folder)
    assert not (folder / DATABASE).exists()


async def test_a_machine_without_mountinfo_is_trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to look at, so nothing is refused."""
    monkeypatch.setattr(place, "_MOUNTS", Path("/nowhere"))
    store = await SqliteStore.open_folder(folder)
    await store.close()


# Errors of the operating system in our words.


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ENOSPC", StoreFull),
        ("EDQUOT", StoreFull),
        ("EACCES", StoreReadOnly),
        ("EROFS", StoreReadOnly),
        ("EIO", StoreError),
    ],
)
def test_an_error_of_the_system_becomes_one_of_ours(code: str, kind: type[StoreError]) -> None:
    """By what can be done about it."""
    number = getattr(errno, code)
    with pytest.raises(StoreError) as caught, translated():
        raise OSError(number, os.strerror(number), "/somewhere")
    assert type(caught.value) is kind
    assert "/somewhere" in str(caught.value)


def test_our_own_errors_pass_unchanged() -> None:
    """What is said in our words already is not said twice."""
    for error in (StoreBusy("process 7"), HoldfastError()):
        with pytest.raises(type(error)) as caught, translated():
            raise error
        assert caught.value is error
