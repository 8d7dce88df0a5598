"""Tells other processes that a log has grown. A bell that is lost costs a poll, never data.

Each listening process binds a Unix datagram socket in one folder, under a name that says what it listens for: one
session, or all of them. Ringing never blocks and never fails: a full queue or a dead listener is passed over. The
folder has a short name, because a socket's path may have about a hundred characters.
"""

import contextlib
import os
import secrets
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Self

from holdfast.core.ids import HOUSE, SessionId

_EVERYTHING = "all"
_LONGEST = 256


class Bell:
    """Rings for others, and hears them."""

    def __init__(self, folder: Path, session: SessionId | None = None) -> None:
        self._folder = folder
        self._socket: socket.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(0)
        self._path: Path | None = None
        self._name: str = f"{session or _EVERYTHING}.{secrets.token_hex(4)}"
        self._listed: tuple[int, list[str]] = (0, [])

    @classmethod
    def in_folder(cls, folder: Path, session: SessionId | None) -> Self | None:
        """A bell, or none if the folder is not ours alone: somebody may have made it before us. Then we poll."""
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
        return cls(folder, session) if ours else None

    def listen(self) -> None:
        """Begin to hear: `fileno` becomes readable when somebody rings."""
        self._path = self._folder / self._name
        self._socket.bind(str(self._path))

    def fileno(self) -> int:
        return self._socket.fileno()

    def ring(self, session: SessionId, head: int) -> None:
        """Say that the session's log now ends at `head`."""
        message = f"{session}:{head}".encode()
        for name in self._listeners():
            wanted = name.partition(".")[0]
            if session == HOUSE or wanted in (_EVERYTHING, session):
                self._send(name, message)

    def hear(self, heard: Callable[[SessionId, int], None]) -> None:
        """Report every ring that waits."""
        with contextlib.suppress(BlockingIOError):
            while True:
                session, _, head = self._socket.recv(_LONGEST).decode("utf-8", "replace").partition(":")
                if head.isdecimal():
                    heard(SessionId(session), int(head))

    def close(self) -> None:
        self._socket.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _listeners(self) -> list[str]:
        try:
            changed = self._folder.stat().st_mtime_ns
            if changed != self._listed[0]:
                names = [path.name for path in self._folder.iterdir() if path.name != self._name]
                self._listed = (changed, names)
        except OSError:
            return []
        return self._listed[1]

    def _send(self, name: str, message: bytes) -> None:
        path = self._folder / name
        try:
            self._socket.sendto(message, socket.MSG_DONTWAIT, str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)  # its process is dead
        except OSError:
            pass  # its queue is full, or it has gone: it polls
