"""The rows that are projections of a log: its checkpoint and its line in the list."""

from typing import NamedTuple

import msgspec

from holdfast.core import codec, window
from holdfast.core.errors import Damaged
from holdfast.core.events import Event, Unknown
from holdfast.core.overview import Overview
from holdfast.core.records import Late, Record
from holdfast.core.session import Session
from holdfast.store.pages import Checkpoint, Projection
from holdfast.store.sqlite import sharing
from holdfast.store.sqlite.connection import Database

SPAN = 1 << 32
"""Record ids of one session: its number times this, plus seq."""
HOUSE_NUMBER = 1

READ = "SELECT id, time, epoch, n, late, body FROM records WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
SAVED = "SELECT seq FROM checkpoints WHERE session = ?"
LOAD = "SELECT seq, page, page_items, page_bytes, body FROM checkpoints WHERE session = ?"
SAVE = """
INSERT INTO checkpoints (session, seq, page, page_items, page_bytes, body) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, page = excluded.page, page_items = excluded.page_items,
page_bytes = excluded.page_bytes, body = excluded.body
"""
NEXT_CHANGE = "UPDATE meta SET value = value + 1 WHERE name = 'change' RETURNING value"
LIST = """
INSERT INTO overviews (session, change, place, active_at, alive, project, title, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session) DO UPDATE SET change = excluded.change, place = excluded.place, active_at = excluded.active_at,
alive = excluded.alive, project = excluded.project, title = excluded.title, body = excluded.body
"""
UNTAG = "DELETE FROM tags WHERE session = ?"
TAG = "INSERT OR IGNORE INTO tags (tag, session) VALUES (?, ?)"


class Place(NamedTuple):
    """A session's row: where its log ends and who owns it."""

    number: int
    head: int
    epoch: int
    position: int


def event_of(body: bytes) -> Event:
    """A stored event. One that can't be read has no effect, and its neighbours keep theirs."""
    try:
        return codec.decode(body)
    except Damaged:
        return Unknown("damaged", {"bytes": body.hex()})


def read(connection: Database, number: int, after: int, limit: int) -> list[tuple[Record, int]]:
    """Records with the size of their bodies, also those that lie with another session."""
    found: list[tuple[Record, int]] = []
    for last, holder in sharing.places(connection, number, after):
        found += _read(connection, holder, after, last, limit - len(found))
        after = last
        if len(found) >= limit:
            return found
    return found + _read(connection, number, after, SPAN - 1, limit - len(found))


def _read(connection: Database, number: int, after: int, last: int, limit: int) -> list[tuple[Record, int]]:
    base = number * SPAN
    return [
        (record_of(base, *row), len(row[-1])) for row in connection.execute(READ, (base + after, base + last, limit))
    ]


def record_of(base: int, row: int, time: int, epoch: int, n: int, late: bytes | None, body: bytes) -> Record:
    return Record(
        seq=row - base,
        time=time,
        event=event_of(body),
        epoch=epoch,
        n=n,
        late=None if late is None else msgspec.json.decode(late, type=Late),
    )


def saved_seq(connection: Database, number: int) -> int:
    for (seq,) in connection.execute(SAVED, (number,)):
        return int(seq)
    return 0


def load(connection: Database, number: int) -> Checkpoint:
    for seq, page, items, size, body in connection.execute(LOAD, (number,)):
        return Checkpoint(seq=seq, page=page, page_items=items, page_bytes=size, body=body)
    return Checkpoint()


def save(connection: Database, number: int, checkpoint: Checkpoint) -> None:
    connection.execute(
        SAVE,
        (number, checkpoint.seq, checkpoint.page, checkpoint.page_items, checkpoint.page_bytes, checkpoint.body),
    )


def catch_up(connection: Database, number: int, projection: Projection, head: int) -> None:
    """Fold what was appended up to `head`. Whoever appended it has changed the settled items already."""
    after = projection.session.seq
    found = read(connection, number, after, head - after)
    projection.follow([record for record, _ in found], sum(size for _, size in found))
    projection.renewed()


def write_overview(connection: Database, number: int, overview: Overview, title: str, *, alive: bool) -> None:
    ((change,),) = connection.execute(NEXT_CHANGE).fetchall()
    place = 2 if overview.deleted else 1 if overview.archived else 0
    body = msgspec.json.encode(overview)
    connection.execute(LIST, (number, change, place, overview.active_at, int(alive), overview.project, title, body))
    connection.execute(UNTAG, (number,))
    for tag in overview.tags:
        connection.execute(TAG, (tag, number))


def copy_of(session: Session) -> Session:
    """A session of the caller's own: the projection goes on changing."""
    return window.load(window.dump(session))
