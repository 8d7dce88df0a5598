"""A disk that counts what is synced and can be full: a file system between SQLite and the real one."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import apsw
import pytest


class Disk(apsw.VFS):
    """`syncs` counts the syncs of each file by the end of its name; while `full`, every write fails."""

    def __init__(self) -> None:
        self.syncs: Counter[str] = Counter()
        self.full = False
        super().__init__("holdfast-tests", "")

    def xOpen(self, name: Any, flags: list[int]) -> "File":  # noqa: N802  SQLite's name
        return File(self, name, flags)

    @property
    def wal_syncs(self) -> int:
        return self.syncs["wal"]


class File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._name = str(name.filename() if isinstance(name, apsw.URIFilename) else name).rpartition("-")[2]
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if self._disk.full:
            raise apsw.FullError("database or disk is full")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._disk.syncs[self._name] += 1


@contextmanager
def under_watch(monkeypatch: pytest.MonkeyPatch) -> Generator[Disk]:
    """Open every database on such a disk from here on."""
    disk, connection = Disk(), apsw.Connection

    def connect(path: str, **options: Any) -> apsw.Connection:
        return connection(path, vfs="holdfast-tests", **options)

    with monkeypatch.context() as patched:
        patched.setattr(apsw, "Connection", connect)
        yield disk
    disk.unregister()
