"""The tests' own processes: each is a small program in `programs`, and none outlives its test."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"
PATIENCE = 120.0
"""Seconds after which a child hangs: far more than any of them takes."""
Child = subprocess.Popen[str]


class Children:
    """Starts programs, and ends those that are still there in the end."""

    def __init__(self) -> None:
        self._started: list[Child] = []

    def start(self, program: str, *arguments: object, **options: Any) -> Child:
        """Start a program and return when it says that it is ready."""
        child = subprocess.Popen(
            [sys.executable, str(PROGRAMS / program), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        self._started.append(child)
        line = told(child)
        assert line == "ready", line + finish(child)[1]
        return child

    def end(self) -> None:
        for child in self._started:
            if child.poll() is None:
                child.kill()
            child.communicate()


def told(child: Child) -> str:
    """The next line that the child prints."""
    assert child.stdout is not None
    return child.stdout.readline().strip()


def tell(child: Child, line: str = "") -> None:
    assert child.stdin is not None
    child.stdin.write(f"{line}\n")
    child.stdin.flush()


def finish(child: Child) -> tuple[str, str]:
    """What the child had to say until its end."""
    return child.communicate(timeout=PATIENCE)


def report(child: Child) -> Any:
    """The report of a child that ended well."""
    out, err = finish(child)
    assert child.returncode == 0, err
    return json.loads(out)


def wait_until_stopped(child: Child) -> None:
    """Return when the child has stopped itself; it is not waited for, only looked at."""
    state = os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert state is not None
    assert state.si_status == signal.SIGSTOP, finish(child)[1]


def look(database: Path, sql: str) -> list[list[Any]]:
    """The rows that another process finds in the database: this one may not open it twice."""
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "look.py"), str(database), sql],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
