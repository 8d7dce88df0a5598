"""A connection to the database, opened the one right way, with its errors in our words."""

import errno
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, cast

import apsw
import msgspec

from holdfast.core.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
)

RUNNER_AUTOCHECKPOINT = 16_000
"""Pages of WAL after which a runner checkpoints by itself, so that it stays bounded without a server."""
SERVER_AUTOCHECKPOINT = 1_000

BUSY_MS = 5_000
"""What waits for another connection's lock waits so long."""

_PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -8000;
PRAGMA journal_size_limit = 67108864;
"""

_KINDS = {
    errno.ENOSPC: StoreFull,
    errno.EDQUOT: StoreFull,
    errno.EACCES: StoreReadOnly,
    errno.EPERM: StoreReadOnly,
    errno.EROFS: StoreReadOnly,
}


class Cursor(Protocol):
    """Rows, one after the other."""

    get: Any

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...
    def fetchall(self) -> list[tuple[Any, ...]]: ...


class Database(Protocol):
    """What we use of apsw's connection. Its own annotations are not known to Python 3.11."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, statements: str, bindings: Sequence[object] | Mapping[str, object] | None = None) -> Cursor: ...
    def executemany(self, statements: str, sequenceofbindings: Sequence[Sequence[object]]) -> Cursor: ...
    def pragma(self, name: str, value: int | None = None) -> Any: ...
    def total_changes(self) -> int: ...
    def close(self) -> None: ...
    def __enter__(self) -> object: ...
    def __exit__(self, *exc: object) -> bool | None: ...


@contextmanager
def translated() -> Generator[None]:
    """Say what went wrong in the store as one of our errors."""
    try:
        yield
    except apsw.FullError as exc:
        raise StoreFull(exc) from exc
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as exc:
        raise StoreReadOnly(exc) from exc
    except (apsw.CorruptError, apsw.NotADBError, msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise StoreCorrupt(exc) from exc
    except (apsw.BusyError, apsw.LockedError) as exc:
        raise StoreBusy(exc) from exc
    except apsw.IOError as exc:  # the shared memory grows when the database is opened, and reports no lack of space
        full = getattr(exc, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE
        raise (StoreFull if full else StoreError)(exc) from exc
    except apsw.Error as exc:
        raise StoreError(exc) from exc
    except OSError as exc:
        raise _KINDS.get(exc.errno or 0, StoreError)(exc) from exc


def connect(path: Path, *, autocheckpoint: int = SERVER_AUTOCHECKPOINT) -> Database:
    """Open the database for one thread. It is created if it is not there; `migrate` gives it its tables."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(BUSY_MS)
    connection.wal_autocheckpoint(autocheckpoint)
    database = cast("Database", connection)
    database.execute(_PRAGMAS).fetchall()
    return database


def look_into(path: Path) -> Database:
    """Open a database that is there, without changing how it is kept."""
    return cast("Database", apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE))


def migrations() -> list[str]:
    """The SQL of every step, oldest first."""
    folder = resources.files("holdfast.store.sqlite.migrations")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [file.read_text("utf-8") for file in files]


def migrate(connection: Database) -> None:
    """Bring the tables up to this program's format, in the caller's transaction."""
    steps = migrations()
    version = int(connection.pragma("user_version") or 0)
    if version > len(steps):
        raise StoreTooNew(version, len(steps))
    for number, sql in enumerate(steps[version:], version + 1):
        connection.execute(sql).fetchall()
        connection.pragma("user_version", number)
