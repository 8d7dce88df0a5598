"""`holdfast doctor` says what is wrong and what to do, and exits non-zero only then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.core.events import SessionCreated
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import SqliteStore
from tests.agents.hermes.installed import LACKING, install_hermes


def doctor(home: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "holdfast", "doctor", "--home", str(home)]
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
