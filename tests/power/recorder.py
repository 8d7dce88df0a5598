"""A SQLite VFS that does everything for real and writes down what changed the files.

Law: if a sync ended before an entry of the journal, then every write whose entry lies before that sync's beginning was
on the disk when that entry was made. It holds because a write is entered after the real write returned and before
SQLite hears of it, a sync's beginning before the real sync starts, its end after the real sync returned and before
SQLite hears of it. So the journal never says of a write that it was synced when it was not; and two writes to the same
bytes, which SQLite's locks keep apart, lie in it in the order in which they were made.

What lies in shared memory (`-shm`) is not seen by a VFS and vanishes with the power. The first sync of a journal or
a WAL by each handle syncs the names in the folder too: SQLite's `unix` VFS does that when it may have made the file.
"""

import itertools
import os
from pathlib import Path
from typing import Any

import apsw

from tests.power.journal import Created, Deleted, Journal, SyncBegun, SyncEnded, Truncated, Wrote

NAME = "recording"
_SYNCS_FOLDER = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL | apsw.SQLITE_OPEN_WAL


class RecordingFile(apsw.VFSFile):
    """A file of the database, its journal or its WAL."""

    def __init__(self, base: str, name: Any, flags: list[int], file: str, recorder: "Recorder") -> None:
        super().__init__(base, name, flags)
        self._file = file
        self._write = recorder.journal.write
        self._syncs = recorder.syncs
        self._syncs_folder = bool(flags[0] & _SYNCS_FOLDER and flags[0] & apsw.SQLITE_OPEN_CREATE)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802  SQLite's name
        super().xWrite(data, offset)
        self._write(Wrote(self._file, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._write(Truncated(self._file, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        sync = next(self._syncs)
        self._write(SyncBegun(self._file, sync, self._syncs_folder))
        super().xSync(flags)
        self._write(SyncEnded(sync))
        self._syncs_folder = False


class Recorder(apsw.VFS):
    """The default VFS of this process from its making on, for the files of one folder."""

    def __init__(self, journal: Journal, folder: Path) -> None:
        self.journal: Journal = journal
        self.syncs: itertools.count[int] = itertools.count(os.getpid() << 32)
        self._folder = folder.resolve()
        self._base: str = apsw.vfs_names()[0]
        super().__init__(NAME, self._base, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = self._path(name)
        if path is None:
            return apsw.VFSFile(self._base, name, flags)
        new = not path.exists()
        file = RecordingFile(self._base, name, flags, path.name, self)
        if new:
            self.journal.write(Created(path.name))
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802, FBT001
        super().xDelete(filename, syncdir)
        path = self._path(filename)
        if path is not None:
            self.journal.write(Deleted(path.name))

    def _path(self, name: Any) -> Path | None:
        """The file's path, None if it is a temporary one or lies elsewhere."""
        text = name.filename() if isinstance(name, apsw.URIFilename) else name
        path = None if text is None else Path(text).resolve()
        return path if path is not None and path.parent == self._folder else None
