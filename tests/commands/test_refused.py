"""What the system refuses is said in a sentence by every command, and what is only looked for is not made."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from shutil import which

import pytest

from holdfast.core.errors import StoreFull
from holdfast.refused import sentence_for
from tests.journeys.trouble import fill, small_disk
from tests.served import HOLDFAST, PATIENCE_SECONDS, served
from tests.server.unsupervised import COMMAND

POWERLESS = ("setpriv", "--inh-caps=-all", "--bounding-set=-all") if os.geteuid() == 0 else ()
"""What makes one who may do everything one who may do what the modes say."""
LOOKING = [
    ["status"],
    ["stop"],
    ["stop", "--server"],
    ["link"],
    ["export"],
    ["export", "s1"],
    ["restore", "backup.tar"],
]
EVERY = [
    ["serve", "--no-open", "--port", "0"],
    ["link"],
    ["password"],
    ["status"],
    ["stop"],
    ["backup", "backup.tar"],
    ["restore", "backup.tar"],
    ["import", "holdfast", "export.zip"],
    ["export"],
]
every = pytest.mark.parametrize("command", EVERY, ids=lambda command: command[0])


def holdfast(
    folder: Path, *arguments: str | Path, prefix: Sequence[str] = (), stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*prefix, *HOLDFAST, *map(str, arguments)],
        cwd=folder,
        input="a long password\n",
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def assert_said(done: subprocess.CompletedProcess[str], words: str) -> None:
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert done.stderr.startswith("holdfast: ")
    assert words in done.stderr


@every
def test_a_home_that_is_a_file_is_said(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "home").touch()
    assert_said(holdfast(tmp_path, *command, "--home", "home"), "A file is where a folder is wanted")


@pytest.mark.skipif(bool(POWERLESS) and not which("setpriv"), reason="Nothing here takes the powers of root away.")
@every
def test_a_home_that_is_closed_to_us_is_said(tmp_path: Path, command: list[str]) -> None:
    home = tmp_path / "closed" / "home"
    home.mkdir(parents=True)
    home.parent.chmod(0)
    try:
        done = holdfast(tmp_path, *command, "--home", home, prefix=POWERLESS)
    finally:
        home.parent.chmod(0o700)
    assert_said(done, "Permission denied. Check the owner")


@pytest.mark.slow
@pytest.mark.parametrize("command", [each for each in EVERY if each[0] in {"serve", "password", "import"}], ids=str)
def test_a_full_disk_is_said(tmp_path: Path, command: list[str]) -> None:
    """By whatever has to write there; what only reads goes on."""
    (tmp_path / "export.zip").touch()
    with small_disk(tmp_path / "home") as home:
        fill(home)
        assert_said(holdfast(tmp_path, *command, "--home", home), "ree some space")


@pytest.mark.parametrize("command", LOOKING, ids=" ".join)
def test_a_home_that_is_only_looked_for_is_not_made(tmp_path: Path, command: list[str]) -> None:
    holdfast(tmp_path, *command, "--home", "home")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_export_that_can_not_be_written_leaves_no_part(tmp_path: Path) -> None:
    """One to a folder that is not there says so; one to a full disk is gone, so that the next is not in its way."""
    with served(tmp_path / "home", command=COMMAND) as server, server.client() as client:
        client.post("/api/sessions", json={"id": "s1"})
    export = ("export", "--home", tmp_path / "home", "-o")
    assert_said(holdfast(tmp_path, *export, "missing/all.zip"), "missing/all.zip: No such file or directory. Name a")
    with small_disk(tmp_path / "small") as small:
        fill(small)
        assert_said(holdfast(tmp_path, *export, small / "all.zip"), "Free some space")
        assert not (small / "all.zip").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no full device here.")
def test_an_output_that_takes_nothing_is_said(tmp_path: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        assert_said(holdfast(tmp_path, "status", "--home", "home", stdout=full), "Free some space")
    finally:
        os.close(full)


def test_an_output_that_is_closed_is_no_failure(tmp_path: Path) -> None:
    """As a service manager may start it, or a script that wants to hear nothing."""
    command = f'exec {" ".join(HOLDFAST)} status --home "$0" >&-'
    done = subprocess.run(["sh", "-c", command, tmp_path / "home"], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_mistake_of_ours_is_no_refusal() -> None:
    """Its traceback is wanted. A refusal that a task met is one, whoever waited for the task."""
    assert sentence_for(ValueError("x")) is None
    assert sentence_for(ExceptionGroup("tasks", [ValueError("x"), OSError("y")])) is None
    assert sentence_for(ExceptionGroup("tasks", [ExceptionGroup("one", [StoreFull("x")])])) == str(StoreFull("x"))
