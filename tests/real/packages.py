"""Agents of others, installed once into a folder outside of the project and used from there.

The folder is `HOLDFAST_TEST_AGENTS`, or `holdfast-agents` in the user's cache. Whoever comes while another one installs
waits for it. What is complete is used as it is. A test skips itself if nothing can be installed.
"""

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from hatch_build import PageNotBuilt, find_node

INSTALLING = 600.0
"""Seconds that an installation may take; a limit against hanging."""


def folder() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("HOLDFAST_TEST_AGENTS") or cache / "holdfast-agents")


def npm_package(name: str, version: str, program: str) -> Path:
    """The program `program` of an npm package."""
    place = folder() / f"{name.replace('/', '-')}-{version}"
    place.mkdir(parents=True, exist_ok=True)
    found, complete = place / "node_modules" / ".bin" / program, place / "complete"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            _install(place, f"{name}@{version}")
            complete.touch()
    return found


def _install(place: Path, package: str) -> None:
    try:
        node = find_node()
    except PageNotBuilt as exc:
        pytest.skip(f"{package} can't be installed: {exc}")
    environment = {**os.environ, "PATH": f"{node.folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    command = [*node.npm, "install", "--prefix", str(place), "--no-audit", "--no-fund", "--loglevel", "error", package]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=INSTALLING, check=False, cwd=place
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{package} could not be installed within {INSTALLING:.0f} seconds.")
    if done.returncode:
        pytest.skip(f"{package} can't be installed: {done.stderr.strip()[-500:]}")
