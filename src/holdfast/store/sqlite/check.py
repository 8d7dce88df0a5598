"""Is the database sound? Looked at without changing it."""

import contextlib
from pathlib import Path

import msgspec

from holdfast.core.errors import StoreCorrupt, StoreTooNew
from holdfast.store.sqlite.connection import Database, look_into, migrations, translated
from holdfast.store.sqlite.store import DATABASE


class Soundness(msgspec.Struct, frozen=True, kw_only=True):
    """What a sound store holds. `size` counts the database and its WAL, in bytes."""

    sessions: int
    records: int
    size: int


def check_store(folder: Path) -> Soundness | None:
    """None if there is no store; raise a `StoreError` that says what is wrong with the one there is."""
    path = folder / DATABASE
    if not path.exists():
        return None
    with translated(), contextlib.closing(look_into(path)) as connection:
        version = int(connection.pragma("user_version") or 0)
        if version > len(migrations()):
            raise StoreTooNew(version, len(migrations()))
        check_soundness(connection)
        sessions = connection.execute("SELECT count(*) FROM overviews").get
        records = connection.execute("SELECT coalesce(sum(head), 0) FROM sessions").get
    return Soundness(sessions=int(sessions), records=int(records), size=_size(folder))


def check_soundness(connection: Database) -> None:
    """Raise `StoreCorrupt` if SQLite finds anything wrong in the database."""
    problem = connection.execute("PRAGMA integrity_check(1)").get
    if problem != "ok":
        raise StoreCorrupt(problem)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob(f"{DATABASE}*"))
