"""`holdfast import`, as a person types it, and how much memory it takes at most."""

import os
import subprocess
import sys
from pathlib import Path

from tests.served import HOLDFAST

WATCH = (
    "import os, resource, subprocess, sys\n"
    "code = subprocess.run(sys.argv[2:]).returncode\n"
    "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
    "os.kill(os.getpid(), -code) if code < 0 else sys.exit(code)"
)
"""Runs a program and writes down its peak, which is counted from what started it: hardly anything, in here."""


def run(webui: Path, home: Path, *, faults: str = "") -> tuple[int, str]:
    """Where there is no Hermes. `peak` says what it took."""
    environment = {
        **os.environ,
        "HERMES_HOME": str(webui.parent / "none"),
        "HOLDFAST_FAULTS": faults,
        "HOLDFAST_AGENT": "",
    }
    watch = (sys.executable, "-c", WATCH, str(_peak(home)))
    done = subprocess.run(
        [*watch, *HOLDFAST, "import", "hermes-webui", str(webui), "--home", str(home)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def peak(home: Path) -> float:
    """MB that the last import into this home took."""
    return int(_peak(home).read_text()) / 1024


def _peak(home: Path) -> Path:
    return home.with_name(f"{home.name}.peak")
