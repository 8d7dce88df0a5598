"""A whole home in one file, taken while everybody works, and put back as a new history.

The archive is a plain tar: `store/store.db` (one moment of the database, by SQLite's backup API), `blobs/` and
`config.toml`. It holds no credential. What is restored is checked first and gets a new lineage, so that every browser
that knew the old history starts over.
"""

import contextlib
import os
import secrets
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import apsw

from holdfast import faults
from holdfast.core.errors import HoldfastError, StoreCorrupt
from holdfast.store.sqlite.check import check_soundness
from holdfast.store.sqlite.connection import connect, migrate, translated
from holdfast.store.sqlite.store import DATABASE, renew_lineage

STORE = "store"
BLOBS = "blobs"
CONFIG = "config.toml"


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
        os.link(draft / "archive", target)
    except FileExistsError as exc:
        raise BackupExists(target) from exc
    finally:
        shutil.rmtree(draft)
    return target.stat().st_size


def restore(source: Path, home: Path) -> None:
    """Put the backup in `source` into `home`, which must hold no store. From an unsound backup nothing is taken."""
    if (home / STORE).exists() or (home / BLOBS).exists():
        raise HomeInUse(home)
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
        with contextlib.closing(original), copy.backup("main", original, "main") as backup:
            backup.step(-1)
    target.chmod(0o600)


def _pack(home: Path, database: Path, target: Path) -> None:
    with tarfile.open(target, "x") as archive:
        archive.add(database, f"{STORE}/{DATABASE}")
        for path, name in _files(home):
            archive.add(path, name, recursive=False)
    target.chmod(0o600)


def _files(home: Path) -> Iterator[tuple[Path, str]]:
    """Blobs never change under their name, so they are copied after the database that speaks of them."""
    for path in sorted((home / BLOBS).glob("??/*")):
        yield path, f"{BLOBS}/{path.parent.name}/{path.name}"
    if (home / CONFIG).is_file():
        yield home / CONFIG, CONFIG


def _unpack(source: Path, target: Path) -> None:
    try:
        with tarfile.open(source) as archive:
            archive.extractall(target, filter="data")
    except (OSError, tarfile.TarError) as exc:
        raise NoBackup(source, exc) from exc
    if not (target / STORE / DATABASE).is_file():
        raise NoBackup(source, "it holds no database")


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
