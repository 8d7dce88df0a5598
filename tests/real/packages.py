"""Agents of others, installed once into a folder outside of the project and used from there.

The folder is `HOLDFAST_TEST_AGENTS`, or `holdfast-agents` in the user's cache. Whoever comes while another one installs
waits for it. What is complete is used as it is. A test skips itself if nothing can be installed.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
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
    place = _complete(f"{name.replace('/', '-')}-{version}", lambda place: _install(place, f"{name}@{version}"))
    return place / "node_modules" / ".bin" / program


def source_of(name: str, version: str) -> Path:
    """The folder of a Python package as its authors released it, examples included."""
    place = _complete(f"{name}-{version}-source", lambda place: _download(place, f"{name}=={version}"))
    (found,) = (path for path in place.iterdir() if path.is_dir())
    return found


def _complete(name: str, fill: Callable[[Path], None]) -> Path:
    """A folder that was filled once. Whoever comes meanwhile waits."""
    place = folder() / name
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "complete").exists():
            fill(place)
            (place / "complete").touch()
    return place


def _install(place: Path, package: str) -> None:
    try:
        node = find_node()
    except PageNotBuilt as exc:
        pytest.skip(f"{package} can't be installed: {exc}")
    options = ["--no-audit", "--no-fund", "--loglevel", "error"]
    _call([*node.npm, "install", "--prefix", str(place), *options, package], place, package, str(node.folder))


def _download(place: Path, package: str) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    _call([*pip, "--no-binary", package.partition("=")[0], "--dest", str(place), package], place, package)
    (archive,) = place.glob("*.tar.gz")
    shutil.unpack_archive(archive, place)


def _call(command: list[str], place: Path, package: str, path: str = "") -> None:
    """Skip the test if it does not succeed."""
    environment = {**os.environ, "PATH": os.pathsep.join(filter(None, [path, os.environ.get("PATH", os.defpath)]))}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=INSTALLING, check=False, cwd=place
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{package} could not be installed within {INSTALLING:.0f} seconds.")
    if done.returncode:
        pytest.skip(f"{package} can't be installed: {done.stderr.strip()[-500:]}")
