"""`make` sets up what it needs on a machine that has Python and little else, however often it was cut off."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copy2

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_an_environment_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    """Where `ensurepip` is missing (Debian's python3-venv brings it), `venv` fails and leaves a Python without pip."""
    for name in ("Makefile", "pyproject.toml", "hatch_build.py"):
        copy2(ROOT / name, tmp_path)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / ".venv"], check=True)
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\n[ "$1" != -m ] || {{ echo "asked for: $*"; exit 1; }}\nexec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)
    # What a make around this one has set is not for it.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", f"PYTHON={python}", ".venv/.set-up"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "asked for: -m venv .venv\n" in done.stdout, done.stderr
