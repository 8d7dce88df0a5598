"""Real Hermes, installed once into an environment outside of the project's own.

Several test runs may come at once: whoever holds the lock installs, the others wait and find it done.
"""

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.real.packages import INSTALLING, folder

HERMES = "0.19.0"


def hermes_python() -> Path:
    """The Python of an environment that has Hermes."""
    place = folder() / f"hermes-{HERMES}"
    with _alone(place):
        if not (place / ".complete").exists():
            shutil.rmtree(place, ignore_errors=True)
            _run(sys.executable, "-m", "venv", str(place))
            _run(str(place / "bin" / "python"), "-m", "pip", "install", "-qq", f"hermes-agent=={HERMES}")
            (place / ".complete").touch()
    return place / "bin" / "python"


@contextmanager
def _alone(place: Path) -> Generator[None]:
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_name(f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLING, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"Hermes could not be installed within {INSTALLING:.0f} seconds.")
    if done.returncode:
        pytest.skip(f"Hermes can't be installed: {done.stderr.strip()[-500:]}")
