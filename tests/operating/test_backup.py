"""A backup is one moment of a home that goes on working, and comes back as a new history."""

import errno
import os
import re
import signal
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import window
from holdfast.core.events import SessionCreated, SessionRenamed, TextAppended
from holdfast.core.ids import SessionId
from holdfast.core.session import replay
from holdfast.settings import NotifySettings, read_settings
from holdfast.store.backup import BackupExists, HomeInUse, NoBackup, NothingToBackUp, back_up, restore
from holdfast.store.blanked import blanked, written
from holdfast.store.blobs import Blobs
from holdfast.store.protocol import Query
from holdfast.store.sqlite.store import SqliteStore

PROGRAM = Path(__file__).parent / "programs" / "stream.py"
WRITERS = 16


@contextmanager
def writers(folder: Path, count: int) -> Generator[None]:
    """That many processes, all appending, from before the body until after it."""
    running = [
        subprocess.Popen([sys.executable, str(PROGRAM), str(folder), f"s{i}"], stdout=subprocess.PIPE, text=True)
        for i in range(count)
    ]
    try:
        for process in running:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield
        assert [process.poll() for process in running] == [None] * count, "a writer died during the backup"
    finally:
        for process in running:
            process.send_signal(signal.SIGKILL)
        for process in running:
            process.communicate()


async def small_home(home: Path) -> None:
    store = await SqliteStore.open_folder(home / "store")
    await store.create(SessionId("s"), SessionCreated(title="Kept"))
    await store.close()


@pytest.mark.slow
async def test_a_backup_taken_while_sixteen_write_is_consistent(tmp_path: Path) -> None:
    """Every log in it is gapless, its pages agree with its records, and it can be written on."""
    home, target, elsewhere = tmp_path / "home", tmp_path / "backup.tar", tmp_path / "elsewhere"
    home.mkdir(mode=0o700)
    first = await SqliteStore.open_folder(home / "store")
    lineage = await first.lineage()
    with writers(home / "store", WRITERS):
        back_up(home, target)
    await first.close()
    restore(target, elsewhere)

    store = await SqliteStore.open_folder(elsewhere / "store")
    assert await store.lineage() != lineage
    rows = (await store.sessions(Query(limit=100))).rows
    assert {row.id for row in rows} == {f"s{i}" for i in range(WRITERS)}
    for row in rows:
        records = await store.read(row.id, 0, 10**9)
        assert [record.seq for record in records] == list(range(1, len(records) + 1))
        words = "".join(record.event.text for record in records if isinstance(record.event, TextAppended))
        assert words == "".join(f" {row.id}-{n}" for n in range(3, 3 + len(words.split())))
        opened = await store.open(row.id)
        assert window.dump(replay(records)).count(b'"state":"running"') == 1
        assert opened.session.seq == records[-1].seq
    assert (await store.append(SessionId("s0"), [SessionRenamed(title="Goes on")])).written == 1
    await store.close()


async def test_blobs_and_settings_come_along_and_the_token_does_not(tmp_path: Path) -> None:
    """A backup holds what people made and no credential."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    await small_home(home)
    blob = Blobs(home / "blobs").put([b"picture"])
    (home / "config.toml").write_text("[server]\nport = 9000\n")
    (home / "token").write_text("secret")
    back_up(home, tmp_path / "b.tar")
    restore(tmp_path / "b.tar", elsewhere)
    assert Blobs(elsewhere / "blobs").path(blob.name).read_bytes() == b"picture"
    assert (elsewhere / "config.toml").read_text() == "[server]\nport = 9000\n"
    assert not (elsewhere / "token").exists()
    assert b"secret" not in (tmp_path / "b.tar").read_bytes()
    assert (tmp_path / "b.tar").stat().st_mode & 0o077 == 0
    leaks = [
        path
        for path in elsewhere.rglob("*")
        if path.is_file() and path.name != "config.toml" and path.stat().st_mode & 0o077
    ]
    assert leaks == []


async def test_settings_come_along_without_their_secrets(tmp_path: Path) -> None:
    """What an agent is given under the name of a secret, and the address of a hook, are blank; nothing else changes."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    await small_home(home)
    (home / "config.toml").write_text(
        """
        [server]
        key = "not/secret.pem"
        certificate = "cert.pem"  # OLD_KEY = "hush-1"
        [notify]
        url = "https://hook.example/hush-2"
        ask_seconds = 2.5
        [agents."my agent"]
        command = ["a", "--\\u0001b \\"c\\""]
        env = { OPENAI_API_KEY = "hush-3", EDITOR = "ed", PGPASSWORD = \'hush-4\' }
        keep = ["OPENAI_API_KEY"]
        [endpoints.local]
        base_url = "http://127.0.0.1:1/v1"
        window = 4096
        """
    )
    before = read_settings({}, home=home).file
    back_up(home, tmp_path / "b.tar")
    restore(tmp_path / "b.tar", elsewhere)
    assert b"hush" not in (tmp_path / "b.tar").read_bytes()
    after = read_settings({}, home=elsewhere).file
    agent = before.agents["my agent"]
    env = {"OPENAI_API_KEY": "", "EDITOR": "ed", "PGPASSWORD": ""}
    agents = {"my agent": msgspec.structs.replace(agent, env=env)}
    assert after == msgspec.structs.replace(before, agents=agents, notify=NotifySettings(ask_seconds=2.5))
    (home / "config.toml").write_text('key = "hush-5')
    back_up(home, tmp_path / "c.tar")
    assert b"hush" not in (tmp_path / "c.tar").read_bytes(), "what nobody can read stays at home"


@given(st.dictionaries(st.text(min_size=1), st.text() | st.integers() | st.booleans() | st.lists(st.text())))
def test_what_is_written_anew_reads_as_before(table: dict[str, object]) -> None:
    document = {"notify": {"url": "https://x", **{f"-{name}": value for name, value in table.items()}}}
    text = "".join(f"{name} = {written(value)}\n" for name, value in document.items())
    assert tomllib.loads(text) == document
    assert tomllib.loads(blanked(text)) == {"notify": {**document["notify"], "url": ""}}


async def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    """Neither a file in the way of a backup nor a home in the way of a restore."""
    home = tmp_path / "home"
    await small_home(home)
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(BackupExists, match="Choose another name"):
        back_up(home, tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"
    back_up(home, tmp_path / "b.tar")
    with pytest.raises(HomeInUse, match="Move it away"):
        restore(tmp_path / "b.tar", home)


async def test_a_disk_that_knows_no_links_takes_a_backup_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As FAT, which sticks have. A disk of that kind is not to be had in a test: what it says is."""

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), source, None, target)

    home = tmp_path / "home"
    await small_home(home)
    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "stick").mkdir()
    assert back_up(home, tmp_path / "stick" / "b.tar") > 0
    assert list((tmp_path / "stick").iterdir()) == [tmp_path / "stick" / "b.tar"]
    with pytest.raises(BackupExists):
        back_up(home, tmp_path / "stick" / "b.tar")
    restore(tmp_path / "stick" / "b.tar", tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "store" / "store.db").exists()


def test_an_empty_home_has_nothing_to_back_up(tmp_path: Path) -> None:
    """Most often the wrong folder was named, and the sentence says so."""
    with pytest.raises(NothingToBackUp, match="--home"):
        back_up(tmp_path, tmp_path / "b.tar")
    assert list(tmp_path.iterdir()) == []


async def test_a_damaged_backup_changes_nothing(tmp_path: Path) -> None:
    """It is checked before anything is put in its place."""
    home = tmp_path / "home"
    await small_home(home)
    back_up(home, tmp_path / "b.tar")
    whole = (tmp_path / "b.tar").read_bytes()
    at = whole.index(b"session.created")
    cases = {
        "text": b"no archive at all",
        "cut": whole[: len(whole) // 2],
        "garbled": whole[: at - 3000] + b"\xff" * 6000 + whole[at + 3000 :],
    }
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(NoBackup):
            restore(tmp_path / name, tmp_path / f"home-{name}")
        assert list((tmp_path / f"home-{name}").iterdir()) == []


async def test_an_archive_that_reaches_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    """A backup is a file from elsewhere: it may be hostile."""
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        (tmp_path / "payload").write_text("owned")
        archive.add(tmp_path / "payload", "../../escaped")
    with pytest.raises(NoBackup):
        restore(tmp_path / "evil.tar", tmp_path / "deep" / "home")
    assert not (tmp_path / "escaped").exists()
    assert not (tmp_path / "deep" / "escaped").exists()


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["store/store.db", "store/store.db"], "'store/store.db' twice"),
        (["blobs/aa/" + "b" * 300], "it holds 'blobs/aa/bbb"),
    ],
    ids=["the same twice", "a name that no disk takes"],
)
def test_an_archive_that_can_not_be_written_is_no_backup(tmp_path: Path, names: list[str], why: str) -> None:
    """The disk refuses it, but what is wrong is the archive, and the sentence says so."""
    with tarfile.open(tmp_path / "strange.tar", "w") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))
    with pytest.raises(NoBackup, match=re.escape(why)):
        restore(tmp_path / "strange.tar", tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize(("command", "point"), [("backup", "backup.copied"), ("restore", "restore.unpacked")])
async def test_killed_half_way_it_can_be_done_again(tmp_path: Path, command: str, point: str) -> None:
    """What a killed backup or restore leaves is neither taken for a whole one nor in the way of the next."""
    home = tmp_path / "home"
    await small_home(home)
    back_up(home, tmp_path / "good.tar")
    target, into = tmp_path / "b.tar", tmp_path / "elsewhere"
    arguments = (
        [command, str(target), "--home", str(home)]
        if command == "backup"
        else [command, str(tmp_path / "good.tar"), "--home", str(into)]
    )
    run = [sys.executable, "-m", "holdfast", *arguments]
    killed = await anyio.run_process(run, env={"HOLDFAST_FAULTS": f"{point}=kill"}, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not target.exists()
    assert not (into / "store").exists()
    done = await anyio.run_process(run, check=False)
    assert done.returncode == 0, done.stderr
    assert target.exists() if command == "backup" else (into / "store" / "store.db").exists()
