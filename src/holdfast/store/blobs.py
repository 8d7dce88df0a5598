"""Files that came with messages, named by their content.

Law: a blob is complete under its name or not there: its bytes are synced, then renamed, then the folder is synced, and
only then may a record speak of it. A blob that no record has spoken of for a day is collected.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

import msgspec

from holdfast import faults
from holdfast.core.errors import Refused

_NAME = re.compile(r"[0-9a-f]{64}")
DAY = 24 * 60 * 60


class NoSuchBlob(Refused):
    """There is no file {0!r}. It may have been removed with its session."""

    status = 404


class Blob(msgspec.Struct, frozen=True):
    """What was stored: its name and its size."""

    name: str
    size: int


class Blobs:
    """A folder of blobs. Its methods wait for the disk: call them off the event loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, chunks: Iterable[bytes]) -> Blob:
        """Store the bytes. The same bytes again are stored once."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._folder / f"draft.{secrets.token_hex(8)}"
        try:
            blob = _write(draft, chunks)
            faults.point("blobs.written")
            target = self._place(blob.name)
            target.parent.mkdir(mode=0o700, exist_ok=True)
            draft.rename(target)
        finally:
            draft.unlink(missing_ok=True)
        _sync(target.parent)
        _sync(self._folder)
        return blob

    def path(self, name: str) -> Path:
        """Where the blob lies. Raise `NoSuchBlob` for any name that is none, whatever it looks like."""
        if not _NAME.fullmatch(name) or not self._place(name).is_file():
            raise NoSuchBlob(name)
        return self._place(name)

    def unspoken(self, spoken_of: set[str], now: float) -> list[Blob]:
        """What no record speaks of and is older than a day; drafts of dead processes too."""
        paths = [*self._folder.glob("??/*"), *self._folder.glob("draft.*")]
        found = [(path, path.stat()) for path in paths if path.name not in spoken_of]
        return [Blob(path.name, stat.st_size) for path, stat in found if now - stat.st_mtime > DAY]

    def collect(self, spoken_of: set[str], now: float) -> list[Blob]:
        """Remove that, and say what it was."""
        removed = self.unspoken(spoken_of, now)
        for blob in removed:
            draft = blob.name.startswith("draft.")
            (self._folder / blob.name if draft else self._place(blob.name)).unlink(missing_ok=True)
        return removed

    def _place(self, name: str) -> Path:
        return self._folder / name[:2] / name


def _write(path: Path, chunks: Iterable[bytes]) -> Blob:
    digest, size = hashlib.sha256(), 0
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        for chunk in chunks:
            digest.update(chunk)
            size += len(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return Blob(digest.hexdigest(), size)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
