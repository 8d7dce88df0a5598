"""`holdfast doctor` says what is wrong and what to do, and exits non-zero only then."""

import subprocess
import sys
from pathlib import Path

from holdfast.core.events import SessionCreated
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import SqliteStore


def doctor(home: Path) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "holdfast", "doctor", "--home", str(home)]
    return subprocess.run(run, capture_output=True, text=True, check=False)


def test_a_new_machine_is_well(tmp_path: Path) -> None:
    """Nothing is there yet, and that is no fault."""
    told = doctor(tmp_path / "home")
    assert told.returncode == 0, told.stdout
    assert "made at the first start" in told.stdout
    assert not (tmp_path / "home").exists(), "looking must not make anything"


async def test_a_working_home_is_well(tmp_path: Path) -> None:
    """It counts what is there."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    store = await SqliteStore.open_folder(home / "store")
    await store.create(SessionId("s"), SessionCreated())
    told = doctor(home)
    await store.close()
    assert told.returncode == 0, told.stdout
    assert "1 sessions, 1 records" in told.stdout


def test_an_open_home_is_told(tmp_path: Path) -> None:
    """Others must not look into the home; the sentence names the command that closes it."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    told = doctor(home)
    assert told.returncode == 1
    assert f"chmod 700 {home}" in told.stdout


def test_a_broken_store_is_told(tmp_path: Path) -> None:
    """One problem does not hide the other findings."""
    (tmp_path / "store").mkdir()
    tmp_path.chmod(0o700)
    (tmp_path / "store" / "store.db").write_bytes(b"this is no database" * 1000)
    told = doctor(tmp_path)
    assert told.returncode == 1
    assert "holdfast restore" in told.stdout
    assert "The page is built." in told.stdout
