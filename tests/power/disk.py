"""What a disk may hold after the power was cut.

What was synced is there. Of the rest the model keeps a random part: each sector holds what it held at *some* moment
between the last sync and the cut, each sector at its own moment, so writes may be lost, torn and out of order; a sector
that was being written may hold noise, within the bytes that were written; a file's length, and each name in the folder,
are likewise as of some moment since they were synced. A lengthened file may show zeros or an old file's bytes where
nothing arrived.

This is what SQLite says that it survives, and more than journalling file systems such as ext4 do to it. What is
assumed: a sync that returned is true, and bytes outside a written range stay as they are (power-safe overwrite). Half
of the cuts let names come and go in order, as a journal of metadata does; the other half do not even assume that.
"""

import random
from collections.abc import Iterator
from typing import Literal

import msgspec

from tests.power.journal import AnyMark, Created, Deleted, SyncBegun, SyncEnded, Truncated, Wrote

Luck = Literal["nothing", "everything", "until", "scattered", "mostly", "hardly"]
LUCKS: tuple[Luck, ...] = ("nothing", "everything", "until", "scattered", "mostly", "hardly")


class Weather:
    """How this cut treats what was not synced. The same seed gives the same weather."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self.luck: Luck = self._dice.choice(LUCKS)
        self.sector: int = self._dice.choice((512, 4096))
        self.noise: float = self._dice.choice((0.0, 0.0, 0.05))
        self.stale: bool = self._dice.random() < 0.3
        self.names_in_order: bool = self._dice.random() < 0.5

    def moment(self, last: int) -> int:
        """How many of `last` unsynced changes have arrived, for one sector, length or name."""
        match self.luck:
            case "nothing":
                return 0
            case "everything":
                return last
            case "scattered" | "until":
                return self._dice.randint(0, last)
            case "mostly":
                return last if self._dice.random() < 0.9 else self._dice.randint(0, last)
            case "hardly":
                return 0 if self._dice.random() < 0.9 else self._dice.randint(0, last)

    def arrived(self, piece: bytes) -> bytes:
        """The bytes that reached a sector: what was written, or noise of that length."""
        return self._dice.randbytes(len(piece)) if self._dice.random() < self.noise else piece

    def fresh(self, length: int) -> bytes:
        """What a file shows where it was lengthened and nothing arrived."""
        return self._dice.randbytes(length) if self.stale else bytes(length)


class Inode:
    """The bytes of one file, whatever its name: what is synced, and the changes since, with their entry numbers."""

    def __init__(self) -> None:
        self._synced = bytearray()
        self._pending: list[tuple[int, Wrote | Truncated]] = []

    def change(self, at: int, mark: Wrote | Truncated) -> None:
        self._pending.append((at, mark))

    def sync(self, before: int) -> None:
        """What was changed before entry `before` is on the disk."""
        while self._pending and self._pending[0][0] < before:
            _, mark = self._pending.pop(0)
            _resize(self._synced, _length(mark, len(self._synced)))
            if isinstance(mark, Wrote):
                self._synced[mark.offset : mark.offset + len(mark.body)] = mark.body

    def survivor(self, weather: Weather) -> bytes:
        """The bytes after the cut."""
        changes = [mark for _, mark in self._pending]
        lengths = self._lengths(changes)
        image = self._synced + weather.fresh(max(lengths) - len(self._synced))
        common = weather.moment(len(changes)) if weather.luck == "until" else None
        moments: dict[int, int] = {}
        for number, mark in enumerate(changes):
            for start, piece in _pieces(mark, len(image), weather.sector):
                drawn = weather.moment(len(changes)) if common is None else common
                if number < moments.setdefault(start // weather.sector, drawn):
                    image[start : start + len(piece)] = weather.arrived(piece)
        return bytes(image[: lengths[weather.moment(len(changes)) if common is None else common]])

    def _lengths(self, changes: list[Wrote | Truncated]) -> list[int]:
        """The file's length when it was synced and after each change."""
        lengths = [len(self._synced)]
        for mark in changes:
            lengths.append(_length(mark, lengths[-1]))
        return lengths


class Sync(msgspec.Struct, frozen=True):
    """A sync on its way: whose, since when, and whether it takes the folder along."""

    inode: Inode
    begun: int
    folder: bool


class Disk:
    """A folder and its files, as the marks of a journal change them. A `honest` disk does what a sync asks for."""

    def __init__(self, *, honest: bool = True) -> None:
        self._honest = honest
        self._now: dict[str, Inode] = {}
        self._synced: dict[str, Inode] = {}
        self._pending: list[tuple[int, str, Inode | None]] = []
        self._syncs: dict[int, Sync] = {}

    def take(self, at: int, mark: AnyMark) -> None:
        """Let entry `at` happen."""
        match mark:
            case Created(file) if file not in self._now:
                self._name(at, file, Inode())
            case Deleted(file):
                self._name(at, file, None)
            case Wrote(file) | Truncated(file):
                self._now[file].change(at, mark)
            case SyncBegun(file, sync, folder):
                self._syncs[sync] = Sync(self._now[file], at, folder)
            case SyncEnded(sync):
                self._end(self._syncs.pop(sync))
            case _:
                pass

    def survivors(self, weather: Weather) -> dict[str, bytes]:
        """The files after the cut."""
        common = weather.moment(len(self._pending)) if weather.names_in_order else None
        names = dict(self._synced)
        moments: dict[str, int] = {}
        for number, (_, file, inode) in enumerate(self._pending):
            drawn = weather.moment(len(self._pending)) if common is None else common
            if number < moments.setdefault(file, drawn):
                _set(names, file, inode)
        return {file: inode.survivor(weather) for file, inode in names.items()}

    def _name(self, at: int, file: str, inode: Inode | None) -> None:
        _set(self._now, file, inode)
        self._pending.append((at, file, inode))

    def _end(self, sync: Sync) -> None:
        if not self._honest:
            return
        sync.inode.sync(sync.begun)
        while sync.folder and self._pending and self._pending[0][0] < sync.begun:
            _, file, inode = self._pending.pop(0)
            _set(self._synced, file, inode)


def _set(names: dict[str, Inode], file: str, inode: Inode | None) -> None:
    if inode is None:
        names.pop(file, None)
    else:
        names[file] = inode


def _length(mark: Wrote | Truncated, length: int) -> int:
    return mark.size if isinstance(mark, Truncated) else max(length, mark.offset + len(mark.body))


def _resize(body: bytearray, length: int) -> None:
    del body[length:]
    body.extend(bytes(length - len(body)))


def _pieces(mark: Wrote | Truncated, length: int, sector: int) -> Iterator[tuple[int, bytes]]:
    """A change, sector by sector. What was cut off reads as zeros if the file grows again."""
    start, body = (
        (mark.offset, mark.body) if isinstance(mark, Wrote) else (mark.size, bytes(max(0, length - mark.size)))
    )
    end = start + len(body)
    at = start
    while at < end:
        until = min(end, (at // sector + 1) * sector)
        yield at, body[at - start : until - start]
        at = until
