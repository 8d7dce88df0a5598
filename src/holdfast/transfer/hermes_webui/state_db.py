"""Hermes' own database: sessions of its command line and of its other fronts, and which of them it can go on with.

The database is Hermes': it is opened read-only, and nothing is assumed of it but a few columns.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import msgspec

from holdfast.transfer.values import Fields, several

FILE = "state.db"
PATIENCE = 2000
"""Milliseconds that we wait for Hermes if it is just writing."""
TABLES = {"sessions": {"id", "started_at"}, "messages": {"id", "session_id", "role", "content"}}
"""Without these columns it is no database that we understand."""
ONE = "SELECT * FROM sessions WHERE id = ?"
NAMES = "SELECT id FROM sessions ORDER BY started_at, id"
MESSAGES = "SELECT * FROM messages WHERE session_id = ? AND {shown} ORDER BY id"
JSON_COLUMNS = ("tool_calls", "content", "attachments")


class Database:
    """The sessions in one `state.db`. Every method blocks."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._path = home / FILE
        self.problem: str = ""
        self.names: list[str] = self._look()

    def session(self, name: str) -> Fields:
        """What it says of a session; empty if it has none of that name."""
        with self._opened() as database:
            return next(_rows(database, ONE, name), Fields())

    def messages(self, name: str) -> list[Fields]:
        """Its messages, oldest first, without those that were taken back."""
        with self._opened() as database:
            columns = _columns(database, "messages")
            hidden = {"active", "compacted"} <= columns
            query = MESSAGES.format(shown="(coalesce(active, 1) OR coalesce(compacted, 0))" if hidden else "1")
            return list(_rows(database, query, name))

    def _look(self) -> list[str]:
        if not self._path.exists():
            return []
        try:
            with self._opened() as database:
                for table, needed in TABLES.items():
                    if not _columns(database, table) >= needed:
                        self.problem = "it has not the tables that we know."
                        return []
                return [row.text("id") for row in _rows(database, NAMES)]
        except apsw.Error as exc:
            self.problem = f"it can't be read ({exc})."
            return []

    def _opened(self) -> contextlib.closing[apsw.Connection]:
        database = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)
        database.set_busy_timeout(PATIENCE)
        return contextlib.closing(database)


def homes(base: Path) -> Iterator[tuple[str, Path]]:
    """Hermes' profiles, each with its home; the default one first."""
    yield "default", base
    for folder in sorted((base / "profiles").glob("*")):
        if folder.is_dir():
            yield folder.name, folder


def _columns(database: apsw.Connection, table: str) -> set[str]:
    return {row.text("name") for row in _rows(database, f"PRAGMA table_info({table})")}


def _rows(database: apsw.Connection, query: str, *values: str) -> Iterator[Fields]:
    cursor: Any = database.execute(query, values)  # pyright: ignore[reportUnknownMemberType]
    names: list[str] = []
    for row in cursor:
        names = names or [str(column[0]) for column in cursor.get_description()]
        yield Fields({name: _value(name, value) for name, value in zip(names, row, strict=True)})


def _value(name: str, value: object) -> object:
    """Columns that hold JSON are decoded if they do; a plain text stays one."""
    if name in JSON_COLUMNS and isinstance(value, str) and value[:1] in "[{":
        try:
            found = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return value
        return found if name != "content" or _are_parts(found) else value
    return value


def _are_parts(value: object) -> bool:
    """Whether a content is a list of parts, and not a text that looks like a list."""
    return bool(several(value)) and all(Fields(part).text("type") for part in several(value))
