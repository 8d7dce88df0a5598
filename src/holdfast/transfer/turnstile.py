"""One import at a time in a home: whoever holds the lock imports. The kernel frees it when its holder dies.

The lock can be handed to a child by its descriptor, so that between the two nobody else gets in.
"""

import fcntl
import os
import time
from pathlib import Path

from holdfast.core.errors import NotNow
from holdfast.transfer.report import FOLDER, Report

LOCK = "lock"
UPLOAD = ".upload"
DAY = 24 * 60 * 60
PATIENCE = 0.5
"""Seconds to wait for a lock that somebody is only looking at."""
STOPPED = "It was stopped before it was done. Start it again: what is here already is not brought twice."


class AnotherImport(NotNow):
    """Another import is going on in this home. Wait until it is done."""


def take_lock(home: Path) -> int:
    """Hold the lock until the descriptor is closed. Raise `AnotherImport` if somebody has it."""
    descriptor = _opened(home)
    deadline = time.monotonic() + PATIENCE
    while not _locked(descriptor, fcntl.LOCK_EX):
        if time.monotonic() >= deadline:
            os.close(descriptor)
            raise AnotherImport
        time.sleep(0.005)
    return descriptor


def going_on(home: Path) -> bool:
    """Whether somebody imports now."""
    descriptor = _opened(home)
    try:
        return not _locked(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _opened(home: Path) -> int:
    folder = home / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def forget_uploads(home: Path, now: float) -> None:
    """Remove what was sent to be imported a day ago and never was: its sender, or the server, had gone."""
    for path in (home / FOLDER).glob(f"*{UPLOAD}"):
        if now - path.stat().st_mtime > DAY:
            path.unlink(missing_ok=True)


def honest(report: Report, *, active: bool) -> Report:
    """The report as it is now: one that says it goes on and has nobody who goes on with it was stopped."""
    if report.state == "running" and not active:
        report.state, report.error = "failed", STOPPED
    return report
