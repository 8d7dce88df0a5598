"""A whole home in one file, taken while everybody works, and put back as a new history.

The archive is a plain tar: `store/store.db` (one moment of the database, by SQLite's backup API), `blobs/` and
`config.toml`, blank where it would let in anywhere. It holds no credential. What is restored is checked first and gets
a new lineage, so that every browser that knew the old history starts over.
"""

import contextlib
import errno
import io
import os
import re
import secrets
import shutil
import tarfile
import time
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import BinaryIO

import apsw

from holdfast import faults
from holdfast.core.errors import HoldfastError, StoreCorrupt
from holdfast.owned import make_folder, owner_only
from holdfast.store.blanked import blanked
from holdfast.store.sqlite.check import check_soundness
from holdfast.store.sqlite.connection import BUSY_MS, connect, migrate, translated
from holdfast.store.sqlite.store import DATABASE, renew_lineage

STORE = "store"
BLOBS = "blobs"
CONFIG = "config.toml"
DRAFT = ".backup."
HELD = re.compile(rf"{STORE}/{re.escape(DATABASE)}|{BLOBS}/\w\w/\w{{1,100}}|{re.escape(CONFIG)}", re.ASCII)
PIECE = 1 << 20
DAY = 24 * 60 * 60
UNLINKED = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""How a file system says that it knows no second name of a file."""


class NothingToBackUp(HoldfastError):
    """There is no store in {0}. Set HOLDFAST_HOME or --home to the folder that you want to back up."""


class BackupExists(HoldfastError):
    """{0} exists already and is not overwritten. Choose another name."""


class NoBackup(HoldfastError):
    """{0} is no backup of Holdfast ({1}). Nothing was changed."""


class HomeInUse(HoldfastError):
    """{0} holds a store already and is not overwritten. Move it away, or restore into another folder (--home)."""


def back_up(home: Path, target: Path) -> int:
    """Write the backup of `home` to `target`, which appears only when it is complete; return its size in bytes."""
    if not (home / STORE / DATABASE).is_file():
        raise NothingToBackUp(home)
    if target.exists():
        raise BackupExists(target)
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    draft.mkdir(mode=0o700, parents=True)
    try:
        _copy_database(home / STORE / DATABASE, draft / DATABASE)
        faults.point("backup.copied")
        _pack(home, draft / DATABASE, draft / "archive")
        _hand_over(draft / "archive", target)
    except FileExistsError as exc:
        raise BackupExists(target) from exc
    finally:
        shutil.rmtree(draft)
    return target.stat().st_size


def _hand_over(whole: Path, target: Path) -> None:
    """Under its name, over nothing. A stick for all systems knows no links: there the name is taken first."""
    try:
        os.link(whole, target)
    except OSError as exc:
        if exc.errno not in UNLINKED:
            raise
        target.open("xb").close()
        try:
            whole.rename(target)
        except BaseException:
            target.unlink()
            raise


def restore(source: Path, home: Path) -> None:
    """Put the backup in `source` into `home`, which must hold no store. From an unsound backup nothing is taken."""
    if (home / STORE).exists() or (home / BLOBS).exists():
        raise HomeInUse(home)
    if not source.exists():
        raise NoBackup(source, "it is not there")
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = home / f".restore.{secrets.token_hex(4)}"
    draft.mkdir(mode=0o700)
    try:
        _unpack(source, draft)
        _begin_new_history(draft / STORE / DATABASE)
        faults.point("restore.unpacked")
        for name in (BLOBS, CONFIG, STORE):  # the store last: without it the home is still empty
            if (draft / name).exists() and not (home / name).exists():
                (draft / name).rename(home / name)
    finally:
        shutil.rmtree(draft)


def _copy_database(source: Path, target: Path) -> None:
    """One step copies all pages inside one read transaction: writers go on, the copy is one moment."""
    with translated(), contextlib.closing(apsw.Connection(str(target))) as copy:
        original = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
        original.set_busy_timeout(BUSY_MS)
        with contextlib.closing(original), copy.backup("main", original, "main") as backup:
            backup.step(-1)
    target.chmod(0o600)


def archive_name(day: date) -> str:
    return f"holdfast-{day.isoformat()}.tar"


class Taken:
    """A moment of a home, from which the archive is read in pieces. It takes room in the home until it is closed."""

    def __init__(self, home: Path) -> None:
        if not (home / STORE / DATABASE).is_file():
            raise NothingToBackUp(home)
        self._home = home
        _tidy(home)
        self._draft = home / f"{DRAFT}{secrets.token_hex(4)}"
        self._draft.mkdir(mode=0o700)
        try:
            _copy_database(home / STORE / DATABASE, self._draft / DATABASE)
        except BaseException:
            self.close()
            raise

    def pieces(self) -> Iterator[bytes]:
        return _packed(self._home, self._draft / DATABASE)

    def close(self) -> None:
        shutil.rmtree(self._draft, ignore_errors=True)


def _tidy(home: Path) -> None:
    """What a server that was killed while it handed out a backup has left."""
    for left in home.glob(f"{DRAFT}*"):
        with contextlib.suppress(FileNotFoundError):  # another backup has just ended
            if time.time() - left.stat().st_mtime > DAY:
                shutil.rmtree(left, ignore_errors=True)


def _pack(home: Path, database: Path, target: Path) -> None:
    with open(target, "xb", opener=owner_only) as archive:
        archive.writelines(_packed(home, database))


def _packed(home: Path, database: Path) -> Iterator[bytes]:
    """A plain tar of it, in pieces."""
    for path, name in ((database, f"{STORE}/{DATABASE}"), *_files(home)):
        try:
            file = path.open("rb")
        except FileNotFoundError:
            continue  # a file of which nobody speaks has just been collected
        with file:
            about = os.fstat(file.fileno())
            yield _entry(name, about.st_size, int(about.st_mtime))
            yield from _exactly(file, about.st_size)
    if (config := _config(home)) is not None:
        yield _entry(CONFIG, len(config), int(time.time()))
        yield from _exactly(io.BytesIO(config), len(config))
    yield bytes(2 * tarfile.BLOCKSIZE)


def _entry(name: str, size: int, mtime: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = size, mtime, 0o600
    return entry.tobuf()


def _config(home: Path) -> bytes | None:
    """The settings without their secrets; None if there are none, or none that anybody can read."""
    try:
        return blanked((home / CONFIG).read_text("utf-8")).encode()
    except (FileNotFoundError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None


def _exactly(file: BinaryIO, size: int) -> Iterator[bytes]:
    """So many bytes, then what fills the last block."""
    left = size
    while left:
        piece = file.read(min(PIECE, left))
        if not piece:
            raise EOFError("A file became shorter while it was backed up.")
        left -= len(piece)
        yield piece
    yield bytes(-size % tarfile.BLOCKSIZE)


def _files(home: Path) -> Iterator[tuple[Path, str]]:
    """Blobs never change under their name, so they are copied after the database that speaks of them."""
    for path in sorted((home / BLOBS).glob("??/*")):
        yield path, f"{BLOBS}/{path.parent.name}/{path.name}"


def _unpack(source: Path, target: Path) -> None:
    try:
        with tarfile.open(source) as archive:
            for entry in archive:
                if not entry.isdir():
                    _take(archive, entry, target, source)
    except (OSError, tarfile.TarError) as exc:
        if isinstance(exc, OSError) and exc.errno:  # the system's word, not the archive's
            raise
        raise NoBackup(source, exc) from exc
    if not (target / STORE / DATABASE).is_file():
        raise NoBackup(source, "it holds no database")


def _take(archive: tarfile.TarFile, entry: tarfile.TarInfo, target: Path, source: Path) -> None:
    """Write what a backup holds, a plain file under one of the names that we give, and nothing else."""
    held = archive.extractfile(entry) if entry.isfile() and HELD.fullmatch(entry.name) else None
    if held is None:
        raise NoBackup(source, f"it holds {entry.name!r}")
    path = target / entry.name
    if path.exists():
        raise NoBackup(source, f"it holds {entry.name!r} twice")
    make_folder(path.parent)
    with held, open(path, "xb", opener=owner_only) as file:
        shutil.copyfileobj(held, file, PIECE)


def _begin_new_history(database: Path) -> None:
    try:
        with translated(), contextlib.closing(connect(database)) as connection:
            check_soundness(connection)
            with connection:
                migrate(connection)
                renew_lineage(connection)
    except StoreCorrupt as exc:
        raise NoBackup(database.name, exc) from exc
    database.chmod(0o600)
