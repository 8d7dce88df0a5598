"""Installed in every way there is, on a machine without Node, Holdfast starts and serves its page."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from holdfast import __version__
from tests.packaging.conftest import ROOT
from tests.served import served

MOST = 6_000_000
"""Bytes of a wheel."""
HEAVIEST = 60_000_000
"""Bytes of an installation, without the libraries of the built-in agent."""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture
def tree(sources: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sources, tmp_path / "tree"))


@pytest.fixture(scope="session")
def sdist(sources: Path, tmp_path_factory: pytest.TempPathFactory, path_without_node: str) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)], path_without_node, sources)
    return next(folder.glob("*.tar.gz"))


def run(command: list[str], path: str, folder: Path) -> None:
    environment = {**os.environ, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def install(arguments: list[str], path: str, folder: Path, *, compiled: bool = False) -> Path:
    """Install into a new virtual environment; the `holdfast` command in it. Compiling it all takes half a minute."""
    folder.mkdir(exist_ok=True)
    environment = folder / "environment"
    run([sys.executable, "-m", "venv", str(environment)], path, folder)
    run(
        [
            str(environment / "bin/python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            *([] if compiled else ["--no-compile"]),
            *arguments,
        ],
        path,
        folder,
    )
    return environment / "bin/holdfast"


def assert_serves_its_page(command: Path, home: Path) -> None:
    with served(home, command=[str(command)]) as server:
        page = httpx.get(f"{server.link}/")
        assert f'content="{__version__}"' in page.text
        files: list[str] = re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.text)
        assert len(files) >= 2
        for file in files:
            assert httpx.get(f"{server.link}{file}").status_code == 200


def assert_doctor_finds_all_well(command: Path, home: Path) -> None:
    done = subprocess.run([command, "doctor", "--home", home], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("All is well.\n")


def assert_weighs_little(command: Path) -> None:
    script = Path(__file__).with_name("weight.py")
    done = subprocess.run([command.with_name("python"), "-I", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 20_000_000 < int(done.stdout) <= HEAVIEST


def test_pip_install_gives_a_working_page(tree: Path, tmp_path: Path, path_without_node: str) -> None:
    """First as a user installs it, without the clone; then as a developer does, from a clone whose page is built."""
    command = install([str(tree)], path_without_node, tmp_path)
    hidden = tree.rename(tmp_path / "hidden")
    assert_serves_its_page(command, tmp_path)
    hidden.rename(tree)
    command = install(["--editable", str(tree)], path_without_node, tmp_path / "developer")
    assert_serves_its_page(command, tmp_path)


def test_a_wheel_from_the_sdist_gives_a_working_page(
    sources: Path, sdist: Path, tmp_path: Path, path_without_node: str
) -> None:
    """It has every file of the program, and every file that the page is made of."""
    wheels = tmp_path / "wheels"
    pip = [sys.executable, "-m", "pip"]
    run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(sdist)], path_without_node, tmp_path)
    wheel = next(wheels.glob("holdfast-*.whl"))
    names = zipfile.ZipFile(wheel).namelist()
    program = sources / "src"
    assert {path.relative_to(program).as_posix() for path in program.rglob("*.*") if path.is_file()} <= set(names)
    page = ROOT / "src/holdfast/static"  # built from the same sources, as every test wants it
    assert {f"holdfast/static/{path.relative_to(page).as_posix()}" for path in page.rglob("*.*")} <= set(names)
    assert "holdfast/static/index.html" in names
    assert not [name for name in names if not name.startswith(("holdfast/", f"holdfast-{__version__}.dist-info/"))]
    assert wheel.stat().st_size <= MOST
    command = install([str(wheel)], path_without_node, tmp_path, compiled=True)
    assert_serves_its_page(command, tmp_path)
    assert_doctor_finds_all_well(command, tmp_path / "other")
    assert_weighs_little(command)
