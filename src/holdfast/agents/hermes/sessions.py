"""The conversations that Hermes keeps in its own database, to be looked at and gone on with.

The database is Hermes': it is opened read-only, for one query, and nothing is assumed of it but a few columns. A
session of ours that is created with one of these ids as its `reference` goes on where that one ended.
"""

import contextlib
from typing import Any

import apsw
import msgspec

from holdfast.agents.hermes.find import Found

FILE = "state.db"
PATIENCE = 2000
"""Milliseconds that we wait for Hermes if it is just writing."""
NEEDED = frozenset({"id", "started_at"})
FIRST_WORDS = 80
COLUMNS = "PRAGMA table_info(sessions)"
SESSIONS = """
SELECT id, {title}, {source}, started_at, {messages},
       (SELECT substr(content, 1, {words}) FROM messages
         WHERE session_id = sessions.id AND role = 'user' ORDER BY messages.id LIMIT 1)
  FROM sessions
 WHERE {alone} AND {kept} AND EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id AND role = 'user')
 ORDER BY started_at DESC LIMIT ?
"""


class HermesSession(msgspec.Struct, frozen=True, kw_only=True):
    """`started` in milliseconds since 1970. Without a title of its own it is called by its first words."""

    id: str
    title: str = ""
    source: str = ""
    started: int = 0
    messages: int = 0


def list_sessions(found: Found, limit: int = 200) -> list[HermesSession]:
    """The newest first; none if there is no database, or none that can be read now. Blocks; safe in a thread."""
    path = found.state / FILE
    if found.problem or not path.exists():
        return []
    try:
        with contextlib.closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as database:
            database.set_busy_timeout(PATIENCE)
            return _read(database, limit)
    except apsw.Error:
        return []


def _read(database: apsw.Connection, limit: int) -> list[HermesSession]:
    columns = {str(row[1]) for row in _rows(database, COLUMNS)}
    if not columns >= NEEDED:
        return []

    def known(column: str, otherwise: str) -> str:
        return column if column in columns else otherwise

    query = SESSIONS.format(
        title=known("title", "''"),
        source=known("source", "''"),
        messages=known("message_count", "0"),
        words=FIRST_WORDS,
        alone="parent_session_id IS NULL" if "parent_session_id" in columns else "1",
        kept="NOT coalesce(archived, 0)" if "archived" in columns else "1",
    )
    return [
        HermesSession(
            id=str(name),
            title=" ".join(str(title or words or "").split()),
            source=str(source or ""),
            started=int(float(str(started or 0)) * 1000),
            messages=int(str(messages or 0)),
        )
        for name, title, source, started, messages, words in _rows(database, query, limit)
    ]


def _rows(database: apsw.Connection, query: str, *values: int) -> list[tuple[Any, ...]]:
    return database.execute(query, values).fetchall()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
