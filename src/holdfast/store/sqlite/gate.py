"""One writer at a time, over all processes: `flock` on a side file.

SQLite's own waiting is unfair: with several writers one starved for seconds. The kernel frees the lock when its holder
dies. A holder that is stopped must not block everyone, so the wait is bounded; the file names the holder.
"""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from holdfast.core.errors import StoreBusy

PATIENCE = 5.0
_FIRST_PAUSE = 0.000_05
_LONGEST_PAUSE = 0.01


class Gate:
    """The door to `BEGIN IMMEDIATE`."""

    def __init__(self, path: Path) -> None:
        self._fd: int = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.closed: bool = False

    @contextmanager
    def entered(self) -> Generator[None]:
        """Hold the gate. Raise `StoreBusy` after five seconds of waiting."""
        self._enter()
        try:
            yield
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _enter(self) -> None:
        pause, deadline = _FIRST_PAUSE, time.monotonic() + PATIENCE
        while not self._take():
            if time.monotonic() >= deadline:
                raise StoreBusy(f"process {self.holder() or 'unknown'}")
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _take(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        os.pwrite(self._fd, b"%-20d" % os.getpid(), 0)
        return True

    def holder(self) -> int | None:
        """The process that entered last: while the gate is shut, the one inside."""
        text = os.pread(self._fd, 20, 0).strip()
        return int(text) if text.isdigit() else None

    def close(self) -> None:
        os.close(self._fd)
        self.closed = True
