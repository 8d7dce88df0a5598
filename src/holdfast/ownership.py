"""Who owns a session on this machine: whoever holds `flock` on its lock file.

Law: no clock and no write decides who owns. The kernel frees the lock when its holder dies; the file is never unlinked
and never inherited. It names its holder, and its modification time is the holder's heartbeat, which works on a full
disk too.

Server and runner both stand on this file: the runner takes the lock for its life, the server only to write down that a
run was lost.
"""

import fcntl
import os
import time
from pathlib import Path
from typing import Self

import msgspec

from holdfast import __version__
from holdfast.core.ids import SessionId

PROTOCOL = 1
"""Of the runner: what a server of another version may expect of it."""
PATIENCE = 2.0
"""Seconds to wait for a lock that somebody is only looking at."""


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who has a session. `beat` is the time of its last sign of life; `spooling` says that it can't reach the store."""

    session: SessionId
    pid: int
    protocol: int = PROTOCOL
    version: str = ""
    spooling: bool = False
    beat: int = 0


class Lock:
    """The lock of one session, held by this process until it is released or the process dies."""

    def __init__(self, session: SessionId, fd: int) -> None:
        self.session = session
        self._fd = fd

    @classmethod
    def take(cls, folder: Path, session: SessionId, patience: float = PATIENCE) -> Self | None:
        """Hold the session's lock, or None if somebody else does."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(_path(folder, session), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + patience
        while not _locked(fd, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                os.close(fd)
                return None
            time.sleep(0.005)
        lock = cls(session, fd)
        lock.tell()
        return lock

    def tell(self, *, spooling: bool = False) -> None:
        """Write who holds the lock."""
        holder = Holder(
            session=self.session,
            pid=os.getpid(),
            version=__version__,
            spooling=spooling,
        )
        body = msgspec.json.encode(holder)
        os.pwrite(self._fd, body, 0)
        os.ftruncate(self._fd, len(body))

    def beat(self) -> None:
        """Show a sign of life."""
        os.utime(self._fd)

    def release(self) -> None:
        os.close(self._fd)


def probe(folder: Path, session: SessionId) -> Holder | None:
    """Who holds the session's lock now; None if nobody does."""
    try:
        fd = os.open(_path(folder, session), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        if _locked(fd, fcntl.LOCK_SH):  # shared, so that two who look do not take each other for the holder
            return None
        return _holder(session, os.read(fd, 4096), os.fstat(fd).st_mtime_ns)
    finally:
        os.close(fd)


def living(folder: Path) -> list[Holder]:
    """Everybody who holds a session's lock in this home."""
    if not folder.exists():
        return []
    names = sorted(SessionId(path.stem) for path in folder.glob("*.lock"))
    return [holder for name in names if (holder := probe(folder, name)) is not None]


def _path(folder: Path, session: SessionId) -> Path:
    return folder / f"{session}.lock"


def _locked(fd: int, how: int) -> bool:
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(session: SessionId, body: bytes, beat: int) -> Holder:
    """What the file says; a holder that has not written yet is known by its lock alone."""
    try:
        holder = msgspec.json.decode(body, type=Holder)
    except msgspec.DecodeError:
        holder = Holder(session=session, pid=0)
    return msgspec.structs.replace(holder, session=session, beat=beat)
