"""`holdfast doctor` says what is wrong and what to do, and exits non-zero only then."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which

import pytest

from holdfast.core.events import SessionCreated
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import SqliteStore
from tests.agents.hermes.installed import LACKING, install_hermes
from tests.commands.test_refused import POWERLESS
from tests.served import served
from tests.server.unsupervised import COMMAND


def doctor(home: Path, *, prefix: Sequence[str] = (), **environ: str) -> subprocess.CompletedProcess[str]:
    run = [*prefix, sys.executable, "-m", "holdfast", "doctor", "--home", str(home)]
    return subprocess.run(run, capture_output=True, text=True, check=False, env={**os.environ, **environ})


def install(folder: Path, name: str, body: str) -> None:
    """A program that does what `body` says."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


def settings(folder: Path, python: Path) -> Path:
    """A home that names the Python of Hermes."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(f'[hermes]\npython = "{python}"\nhome = "{folder / "hermes"}"\n')
    return home


def test_without_hermes_all_is_well_and_a_sentence_says_how_to_get_it(tmp_path: Path) -> None:
    """Nobody has to have it."""
    told = doctor(tmp_path / "home", PATH="/usr/bin:/bin", HOME=str(tmp_path))
    assert told.returncode == 0, told.stdout
    assert "ok      Hermes is not installed. Install it with: uv tool install hermes-agent" in told.stdout


def test_a_hermes_that_can_be_started_is_well(tmp_path: Path) -> None:
    """It was started, under its own Python, and nothing is left of that where it keeps its things."""
    python = install_hermes(tmp_path / "venv")
    told = doctor(settings(tmp_path, python), PATH="/usr/bin:/bin", HOME=str(tmp_path))
    assert told.returncode == 0, told.stdout
    assert f"ok      Hermes 0.19.0 of {python}, with {tmp_path / 'hermes'}." in told.stdout
    assert not (tmp_path / "hermes").exists()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (LACKING, "run_agent can't be imported (ModuleNotFoundError: No module named 'a_package_that_was_not"),
        ("class AIAgent:\n    def __init__(self, model): ...\n", "its agent takes no provider"),
    ],
    ids=["lacking a dependency", "another version"],
)
def test_a_hermes_that_can_not_be_started_is_a_problem(tmp_path: Path, changed: str, sentence: str) -> None:
    """All its files are there; why it can't be used is known only by starting it."""
    home = settings(tmp_path, install_hermes(tmp_path / "venv", run_agent=changed))
    told = doctor(home, PATH="/usr/bin:/bin", HOME=str(tmp_path))
    assert told.returncode == 1
    assert f"PROBLEM Hermes 0.19.0 can't be used through Holdfast: {sentence}" in told.stdout
    assert "install that one, or name its Python in [hermes] of config.toml." in told.stdout


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
    assert "1 session, 1 record, " in told.stdout


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


def configured(home: Path, text: str) -> Path:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(text)
    return home


def test_settings_that_can_not_be_used_are_told_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    told = doctor(configured(tmp_path / "home", "[server]\nport = 70000\n"))
    assert told.returncode == 1
    assert "home/config.toml can't be used: Expected `int` <= 65535 - at `$.server.port`." in told.stdout
    assert "The page is built." in told.stdout
    assert told.stdout.endswith("1 thing to mend.\n")


def test_a_port_that_another_program_has_is_told(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        told = doctor(configured(tmp_path / "home", f"[server]\nport = {port}\n"))
    assert told.returncode == 1
    assert f"PROBLEM Port {port} is taken. Choose another" in told.stdout
    free = doctor(tmp_path / "home")
    assert f"ok      No server runs. One can listen on 127.0.0.1, port {port}." in free.stdout


@pytest.mark.slow
def test_the_port_of_our_own_server_is_well(tmp_path: Path) -> None:
    with served(tmp_path / "home", command=COMMAND) as server:
        told = doctor(tmp_path / "home")
    assert f"ok      The server is at {server.link}/ (process {server.process.pid})." in told.stdout


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('host = "no-such-box.invalid"', "no-such-box.invalid is no address and no name of this machine"),
        ('host = "0.0.0.0"', "Holdfast has no password yet"),
        ('certificate = "a.pem"\nkey = "b.pem"', "The certificate "),
    ],
)
def test_an_address_that_a_start_would_refuse_is_told(tmp_path: Path, line: str, sentence: str) -> None:
    told = doctor(configured(tmp_path / "home", f"[server]\n{line}\n"))
    assert (told.returncode, told.stderr) == (1, "")
    assert f"PROBLEM {sentence}" in told.stdout


@pytest.mark.skipif(bool(POWERLESS) and not which("setpriv"), reason="Nothing here takes the powers of root away.")
@pytest.mark.parametrize("closed", ["home", "home/token", "home/store"])
def test_a_part_of_the_home_that_is_closed_to_us_is_told(tmp_path: Path, closed: str) -> None:
    """As after a start by `sudo`. What else can't be looked into, as a folder where Hermes might be, hides nothing."""
    for folder in (tmp_path / "home" / "store", tmp_path / ".hermes"):
        folder.mkdir(parents=True)
    (tmp_path / "home").chmod(0o700)
    (tmp_path / "home" / "token").touch()
    shut = [tmp_path / closed, tmp_path / ".hermes"]
    for path in shut:
        path.chmod(0)
    try:
        told = doctor(tmp_path / "home", prefix=POWERLESS, PATH="/usr/bin:/bin", HOME=str(tmp_path))
    finally:
        for path in shut:
            path.chmod(0o700)
    assert (told.returncode, told.stderr) == (1, "")
    assert f"PROBLEM {tmp_path / closed}: Permission denied. Check the owner and the mode of it" in told.stdout
    assert "The page is built." in told.stdout


def test_a_home_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    told = doctor(tmp_path / "home")
    assert (told.returncode, told.stderr) == (1, "")
    assert f"PROBLEM {tmp_path / 'home'}: Not a directory. A file is where a folder is wanted" in told.stdout


def test_agents_that_are_installed_are_told_and_others_are_not(tmp_path: Path) -> None:
    """One that nobody has signed in to is no fault; it says what to do."""
    programs = tmp_path / "bin"
    install(programs, "copilot", "echo 7.7.7")
    install(programs, "gemini", "echo 8.8.8")
    keys = {"GEMINI_API_KEY": "key", "COPILOT_GITHUB_TOKEN": "", "GH_TOKEN": "", "GITHUB_TOKEN": ""}
    told = doctor(tmp_path / "home", PATH=f"{programs}:/usr/bin:/bin", HOME=str(tmp_path), **keys)
    assert told.returncode == 0, told.stdout
    assert "ok      Gemini CLI 8.8.8 can be used." in told.stdout
    assert "GitHub Copilot 7.7.7 is installed. Nobody has signed in" in told.stdout
    assert "copilot login" in told.stdout
    assert "Qwen" not in told.stdout


def test_an_agent_that_does_not_work_is_told(tmp_path: Path) -> None:
    """And so is one that a person added and that is not there."""
    install(tmp_path / "bin", "opencode", "echo 'Half of me is missing.' >&2; exit 1")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[agents.mine]\ncommand = ["no-such-agent"]\n')
    told = doctor(home, PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin", HOME=str(tmp_path))
    assert told.returncode == 1
    assert "does not work: Half of me is missing. Install it again: npm install -g opencode-ai" in told.stdout
    assert "no-such-agent is not there. Correct the command of [agents.mine]" in told.stdout
