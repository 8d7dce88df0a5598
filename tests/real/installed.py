"""Real agents, installed once into folders outside the project's own environment.

`HOLDFAST_TEST_AGENTS` names the folder; without it, it is in the user's cache. Several test runs may come at once:
whoever holds the lock installs, the others wait and find it done. Without a registry the test is skipped.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERMES = "0.19.0"
INSTALLING = 600
CACHE = Path(os.environ.get("HOLDFAST_TEST_AGENTS") or "~/.cache/holdfast-agents").expanduser()


def hermes_python() -> Path:
    """The Python of an environment that has Hermes."""
    folder = CACHE / f"hermes-{HERMES}"
    with _alone(folder):
        if not (folder / ".complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _run(sys.executable, "-m", "venv", str(folder))
            _run(str(folder / "bin" / "python"), "-m", "pip", "install", "-qq", f"hermes-agent=={HERMES}")
            (folder / ".complete").touch()
    return folder / "bin" / "python"


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLING, check=False)
    if done.returncode:
        pytest.skip(f"{command[0]} could not be used to install an agent: {done.stderr.strip()[-300:]}")
