"""A machine without Node, as far as a build can see: copies of the sources, and a PATH that has all but Node."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODE_NAMES = {"node", "nodejs", "npm", "npx", "corepack"}


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree as a fresh clone of the working copy would have it. Tests that build in it copy it first."""
    clone = tmp_path_factory.mktemp("clone")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        # A file that was deleted but not yet committed as such is still listed.
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
    return clone


@pytest.fixture(scope="session")
def path_without_node(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with links to every program on PATH but Node and what belongs to it."""
    folder = tmp_path_factory.mktemp("bin")
    for place in os.get_exec_path():
        for program in sorted(Path(place).glob("*")):
            link = folder / program.name
            if program.name not in NODE_NAMES and not link.exists() and not link.is_symlink():
                link.symlink_to(program)
    assert shutil.which("sh", path=str(folder))
    assert not shutil.which("node", path=str(folder))
    return str(folder)
