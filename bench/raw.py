"""The raw limits: what the disk and SQLite can do when nothing of ours is in the way."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import cast

import apsw

from holdfast.store.sqlite.connection import RUNNER_AUTOCHECKPOINT, Database

INSERT = "INSERT INTO raw (id, body) VALUES (?, ?)"


class BareTable:
    """Rows into a table of an id and a body, a transaction for each batch."""

    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._id = 0

    def number(self, bodies: Sequence[bytes]) -> list[tuple[int, bytes]]:
        rows = [(self._id + i, body) for i, body in enumerate(bodies, 1)]
        self._id += len(rows)
        return rows

    def insert(self, batches: Sequence[Sequence[tuple[int, bytes]]]) -> None:
        for rows in batches:
            self._execute("BEGIN IMMEDIATE")
            self._connection.executemany(INSERT, rows)
            self._execute("COMMIT")

    def insert_synced(self, batches: Sequence[Sequence[tuple[int, bytes]]], synced: Sequence[bool]) -> None:
        """As `insert`, with some of the batches on the disk before the next."""
        for rows, sync in zip(batches, synced, strict=True):
            if sync:
                self._execute("PRAGMA synchronous = FULL")
            self.insert([rows])
            if sync:
                self._execute("PRAGMA synchronous = NORMAL")


@contextmanager
def bare_table(path: Path) -> Generator[BareTable]:
    connection = apsw.Connection(str(path))
    connection.wal_autocheckpoint(RUNNER_AUTOCHECKPOINT)
    database = cast("Database", connection)
    database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000").fetchall()
    database.execute("CREATE TABLE raw (id INTEGER PRIMARY KEY, body BLOB)")
    try:
        yield BareTable(database)
    finally:
        database.close()


def sync_once(fd: int) -> float:
    """Seconds to append a page to a file and have it on the disk."""
    started = perf_counter()
    os.write(fd, bytes(4096))
    os.fsync(fd)
    return perf_counter() - started
