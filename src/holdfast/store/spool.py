"""Where a runner's facts wait while the store can't be written.

The space is reserved when the runner starts, so that a full disk does not end its run. One fact a line, each with its
own checksum: a torn or damaged line costs that line alone. A file whose first byte is zero was never begun. A last line
that says so seals it: nothing more will come.
"""

import fcntl
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

import msgspec

from holdfast import faults
from holdfast.core import codec
from holdfast.core.errors import Damaged
from holdfast.core.events import Event
from holdfast.core.ids import SessionId

RESERVE = 8 * 1024 * 1024
_SEAL = b'{"sealed":true}'


class Spooled(msgspec.Struct, frozen=True):
    """A fact with its place among those of its owner."""

    n: int
    event: Event


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at a dead owner's spool shows. `held`: a process still has it open, so more may come."""

    facts: tuple[Spooled, ...] = ()
    begun: bool = False
    sealed: bool = False
    held: bool = False


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    n: int = 0
    event: msgspec.Raw = msgspec.Raw(b"null")
    sealed: bool = False


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Line).decode


class Spool:
    """The living owner's side. Its methods are quick: they touch space that is already there."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size
        self._end = 0
        self._fd: int = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    @classmethod
    def reserve(cls, path: Path, size: int = RESERVE) -> Self:
        """Make the file with all its space, held by this process. Raise `OSError` if there is no room for it."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        spool = cls(path, size)
        try:
            fcntl.flock(spool._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.posix_fallocate(spool._fd, 0, size)
        except OSError:
            spool.remove()
            raise
        return spool

    @property
    def empty(self) -> bool:
        return self._end == 0

    def write(self, first: int, events: Sequence[Event]) -> bool:
        """Keep the facts, the first of which is number `first`. Return False, and keep none, if there is no room."""
        lines = b"".join(_line(n, event) for n, event in enumerate(events, first))
        if self._end + len(lines) + len(_seal()) > self._size:
            return False
        os.pwrite(self._fd, lines, self._end)
        os.fdatasync(self._fd)
        self._end += len(lines)
        faults.point("spool.written")
        return True

    def facts(self) -> list[Spooled]:
        """What waits to be put into the store."""
        return list(_read(os.pread(self._fd, self._end, 0)))

    def clear(self) -> None:
        """All that waited is in the store: begin anew in the same space."""
        os.pwrite(self._fd, bytes(self._end), 0)
        self._end = 0

    def seal(self) -> None:
        """Nothing more will come."""
        os.pwrite(self._fd, _seal(), self._end)
        os.fdatasync(self._fd)

    def remove(self) -> None:
        """Let go of the file and its space."""
        self._path.unlink(missing_ok=True)
        os.close(self._fd)


def spool_path(folder: Path, session: SessionId, epoch: int) -> Path:
    return folder / f"{session}.{epoch}.spool"


def dead_spools(folder: Path, session: SessionId, before: int) -> list[tuple[int, Path]]:
    """The spools of earlier owners of the session, oldest first. Raise `OSError` if the folder can't be read."""
    if not folder.exists():
        return []
    found: list[tuple[int, Path]] = []
    for path in folder.iterdir():
        name, _, rest = path.name.partition(".")
        epoch = rest.removesuffix(".spool")
        if name == session and rest.endswith(".spool") and epoch.isdecimal() and int(epoch) < before:
            found.append((int(epoch), path))
    return sorted(found)


def look(path: Path) -> Found:
    """See what a dead owner left. Raise `OSError` if it can't be read now."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return Found(held=True, begun=True)
        body = file.read()
    facts = tuple(_read(body))
    return Found(facts=facts, begun=body[:1] not in (b"", b"\0"), sealed=_sealed(body))


def _line(n: int, event: Event) -> bytes:
    return _checked(_encode(_Line(n=n, event=msgspec.Raw(codec.encode(event)))))


def _seal() -> bytes:
    return _checked(_SEAL)


def _checked(text: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _texts(body: bytes) -> Iterator[bytes]:
    """The lines that are whole."""
    for line in body.split(b"\n"):
        check, _, text = line.partition(b" ")
        if text and check == b"%08x" % zlib.crc32(text):
            yield text


def _read(body: bytes) -> Iterator[Spooled]:
    for text in _texts(body):
        try:
            line = _decode(text)
            if line.n:
                yield Spooled(line.n, codec.decode(line.event))
        except (msgspec.DecodeError, Damaged):
            continue


def _sealed(body: bytes) -> bool:
    return any(text == _SEAL for text in _texts(body))
