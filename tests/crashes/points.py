"""Fault points of a home, seen from outside: arm one, wait until a process stands there, let it go on.

A process that reaches an armed point stops (SIGSTOP). While it stands there the test looks at the log, kills whom it
wants, and lets the survivors go on; so every victim can be struck at every point, not only the one that reached it.
"""

import asyncio
import os
import signal
from pathlib import Path
from typing import Literal

Role = Literal["server", "runner"]

PATIENCE = 30.0


class NotReached(Exception):
    """No process came to the point: the case shows nothing."""


class Points:
    """The orders of one home."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def arm(self, role: Role, point: str, visit: int = 1) -> None:
        self._order(role, point, f"stop {visit}")

    def fill_disk(self, role: Role) -> None:
        """From now on every write of this role to the store finds no space."""
        self._order(role, "store.locked", "full")

    def clear(self) -> None:
        """Take back every order, and let whoever stands at a point go on."""
        for path in self.folder.iterdir():
            pid = path.name.rpartition(".")[2]
            path.unlink()
            if pid.isdecimal() and state(int(pid)) == "T":
                os.kill(int(pid), signal.SIGCONT)

    def let_go(self, role: Role, point: str) -> None:
        """Let whoever stands at this point go on."""
        for path in self.folder.glob(f"{role}.{point}.*"):
            os.kill(int(path.name.rpartition(".")[2]), signal.SIGCONT)
            path.unlink()

    async def reached(self, role: Role, point: str) -> int:
        """Wait for a process to stand at the point; return its pid."""
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while asyncio.get_running_loop().time() < deadline:
            for path in self.folder.glob(f"{role}.{point}.*"):
                pid = int(path.name.rpartition(".")[2])
                if state(pid) == "T":
                    return pid
            await asyncio.sleep(0.002)
        raise NotReached(f"{role} did not reach {point} within {PATIENCE:.0f} s")

    def _order(self, role: Role, point: str, words: str) -> None:
        draft = self.folder / "draft"
        draft.write_text(words, "ascii")
        draft.rename(self.folder / f"{role}.{point}")


def state(pid: int) -> str:
    """The letter that Linux has for what a process does now; empty if there is none."""
    try:
        line = Path("/proc", str(pid), "stat").read_text("latin-1")
    except OSError:
        return ""
    return line.rpartition(")")[2].split()[0]


def alive(pid: int) -> bool:
    return state(pid) not in ("", "Z", "X")
