"""Everything that only looks, each in one read transaction that is over when the answer is there."""

from collections.abc import Generator
from contextlib import contextmanager
from itertools import chain
from typing import Any, Literal

import msgspec

from holdfast.core import window
from holdfast.core.errors import NoSuchSession
from holdfast.core.ids import SessionId
from holdfast.core.overview import Overview
from holdfast.core.records import Record
from holdfast.core.window import Settled
from holdfast.store.pages import Projection
from holdfast.store.protocol import (
    DailyFigures,
    Finds,
    Hit,
    Label,
    Labels,
    Listing,
    Opened,
    Owner,
    Page,
    Query,
    Row,
    SessionSize,
    before,
)
from holdfast.store.search import below, fold, found, hit, match_expression, newest
from holdfast.store.sqlite import counting, outlining, projecting, sharing
from holdfast.store.sqlite.connection import Database, translated
from holdfast.store.sqlite.shelf import READ_PAGE
from holdfast.store.sqlite.speaking import Speaking

FIND = "SELECT number, head FROM sessions WHERE id = ?"
KEYED = "SELECT seq FROM keys WHERE session = ? AND key = ?"
META = "SELECT value FROM meta WHERE name = ?"
_ROW = "SELECT s.id, o.change, o.body, o.active_at, o.session"
_FROM_CURSOR = "(o.active_at, o.session) < (:active_at, :session)"
_ASKED = """
AND (:project IS NULL OR o.project = :project)
AND NOT EXISTS (SELECT 1 FROM json_each(:tags) w
    WHERE NOT EXISTS (SELECT 1 FROM tags a WHERE a.tag = w.value AND a.session = o.session))
AND (:text = '' OR instr(o.title, :text))
"""
# Each walks an index in the order of the list, from the cursor on, and ends when it has found enough.
BY_ACTIVITY = f"""
{_ROW} FROM overviews o INDEXED BY overviews_by_activity JOIN sessions s ON s.number = o.session
WHERE o.place = :place AND {_FROM_CURSOR} {_ASKED}
ORDER BY o.active_at DESC, o.session DESC LIMIT :limit
"""
ON_TOP = f"""
{_ROW} FROM overviews o INDEXED BY overviews_on_top JOIN sessions s ON s.number = o.session
WHERE o.place = :place AND {_FROM_CURSOR} {_ASKED}
AND (o.alive OR CAST(o.body AS TEXT) ->> '$.pinned')
ORDER BY o.active_at DESC, o.session DESC LIMIT :limit
"""
BY_PROJECT = f"""
{_ROW} FROM overviews o INDEXED BY overviews_by_project JOIN sessions s ON s.number = o.session
WHERE o.place = :place AND o.project = :project AND o.project <> ''
AND {_FROM_CURSOR} {_ASKED}
ORDER BY o.active_at DESC, o.session DESC LIMIT :limit
"""
BY_TAG = f"""
{_ROW} FROM tags t INDEXED BY tags_by_activity CROSS JOIN overviews o ON o.session = t.session
JOIN sessions s ON s.number = o.session
WHERE t.tag = :tag AND t.place = :place AND (t.active_at, t.session) < (:active_at, :session) {_ASKED}
ORDER BY t.active_at DESC, t.session DESC LIMIT :limit
"""
PROJECTS = """
SELECT project, count(*) AS sessions FROM overviews INDEXED BY overviews_by_project
WHERE place = 0 AND project <> '' GROUP BY project ORDER BY sessions DESC, project LIMIT ?
"""
TAGS = """
SELECT tag, count(*) AS sessions FROM tags INDEXED BY tags_by_activity
WHERE place = 0 GROUP BY tag ORDER BY sessions DESC, tag LIMIT ?
"""
CHANGES = """
SELECT s.id, o.change, o.body FROM overviews o JOIN sessions s ON s.number = o.session
WHERE o.change > ? ORDER BY o.change LIMIT ?
"""
OWNERS = """
SELECT s.id, s.epoch FROM overviews o JOIN sessions s ON s.number = o.session WHERE o.alive ORDER BY o.session
"""
CLAIMS = "SELECT epoch FROM sessions WHERE number = ?"
SEARCH = """
SELECT s.id, o.body, i.body FROM words w JOIN items i ON i.id = w.rowid
JOIN sessions s ON s.number IN (
    SELECT i.session UNION ALL
    SELECT h.session FROM shared_items h WHERE h.holder = i.session AND i.number BETWEEN h.first AND h.last
)
JOIN overviews o ON o.session = s.number
WHERE words MATCH :expression AND o.place < 2 AND (:session IS NULL OR s.id = :session)
ORDER BY w.rowid DESC LIMIT :limit
"""
STRETCH = """
SELECT number, k, part, page, CASE WHEN call IS NULL THEN body END FROM items
WHERE session = ? AND number BETWEEN ? AND ? AND (number, k, part) < (?, ?, ?)
ORDER BY number DESC, k DESC, part DESC LIMIT ?
"""
"""What tools printed may be long, and is not looked into: it is not even read."""
UNINDEXED = "SELECT 1 FROM unindexed LIMIT 1"
BLOBS = "SELECT DISTINCT blob FROM attachments"
_decode_overview = msgspec.json.Decoder(Overview).decode


class Reading:
    """The reader's side of the store."""

    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._speaking = Speaking(connection, self._project)

    def lineage(self) -> str:
        with self._transaction():
            return self._meta("lineage")

    def head(self, session: SessionId) -> int:
        with self._transaction():
            return self._find(session)[1]

    def read(self, session: SessionId, after: int, limit: int) -> list[Record]:
        with self._transaction():
            number, head = self._find(session)
            if after >= head:
                return []
            return [record for record, _ in projecting.read(self._connection, number, max(0, after), limit)]

    def telling(self, session: SessionId, after: int, limit: int) -> list[Record]:
        with self._transaction():
            number, head = self._find(session)
            return outlining.telling(self._connection, number, after, head, limit)

    def times(self, session: SessionId, after: int, until: int) -> list[int]:
        with self._transaction():
            number, head = self._find(session)
            return outlining.times(self._connection, number, after, min(until, head))

    def keyed(self, session: SessionId, key: str) -> int:
        with self._transaction():
            found = self._execute(KEYED, (self._find(session)[0], key)).fetchall()
            return found[0][0] if found else 0

    def open(self, session: SessionId) -> Opened:
        with self._transaction():
            number, head = self._find(session)
            projection = self._project(number, head)
            return Opened(projection.session, self._meta("lineage"), self._page(number, projection.checkpoint.page))

    def page(self, session: SessionId, number: int) -> Page:
        with self._transaction():
            return self._page(self._find(session)[0], number)

    def sessions(self, query: Query) -> Listing:
        active_at, number = before(query.cursor)
        values = {
            "place": 2 if query.deleted else 1 if query.archived else 0,
            "active_at": active_at,
            "session": number,
            "project": query.project,
            "tag": query.tags[0] if query.tags else None,
            "tags": msgspec.json.encode(query.tags).decode(),
            "text": fold(query.text.strip()),
            "limit": query.limit + 1,
        }
        with self._transaction():
            found = self._execute(_walk(query), values).fetchall()
            change = int(self._meta("change"))
            rows = [_row(*line[:3]) for line in found[: query.limit]]
        more = len(found) > query.limit
        cursor = f"{found[query.limit - 1][3]}.{found[query.limit - 1][4]}" if more else None
        return Listing(rows, cursor, change)

    def labels(self, limit: int) -> Labels:
        with self._transaction():
            return Labels(
                projects=[Label(*line) for line in self._execute(PROJECTS, (limit,))],
                tags=[Label(*line) for line in self._execute(TAGS, (limit,))],
            )

    def changes(self, after: int, limit: int) -> list[Row]:
        with self._transaction():
            return [_row(*line) for line in self._execute(CHANGES, (after, limit))]

    def owners(self) -> list[Owner]:
        with self._transaction():
            return [Owner(SessionId(name), epoch) for name, epoch in self._execute(OWNERS)]

    def claims(self, session: SessionId) -> int:
        with self._transaction():
            return self._execute(CLAIMS, (self._find(session)[0],)).fetchall()[0][0]

    def search(self, text: str, limit: int, session: SessionId | None) -> list[Hit]:
        expression = match_expression(text)
        if not expression:
            return []
        values = {"expression": expression, "session": session, "limit": limit}
        with self._transaction():
            hits = [
                hit(text, SessionId(name), _decode_overview(overview).title, window.load_item(body))
                for name, overview, body in self._execute(SEARCH, values)
            ]
            hits += self._speaking.search(text, session)
        return newest(hits, limit)

    def find(self, session: SessionId, text: str, cursor: str | None, stretch: int) -> Finds:
        with self._transaction():
            number, head = self._find(session)
            growing = self._growing(number, head) if cursor is None else []
            rows = self._stretch(number, below(cursor), stretch)
        settled = ((page, Settled(turn, window.load_item(body))) for turn, _, _, page, body in rows if body is not None)
        hits = found(chain(((0, item) for item in reversed(growing)), settled), text)
        return Finds(hits, ".".join(map(str, rows[-1][:3])) if len(rows) == stretch else None)

    def unindexed(self) -> bool:
        """Whether settled words wait to be put into the index."""
        with self._transaction():
            return bool(self._execute(UNINDEXED).fetchall())

    def uncounted(self) -> bool:
        """Whether some session is to be counted anew."""
        with self._transaction():
            return counting.uncounted(self._connection) is not None

    def figures(self, since: int, offset: int) -> list[DailyFigures]:
        with self._transaction():
            return [
                DailyFigures(day=day, agent=agent, model=model, figures=counting.figures_of(tuple(sums)))
                for day, agent, model, *sums in self._execute(counting.DAYS, {"since": since, "offset": offset})
            ]

    def sizes(self, limit: int) -> list[SessionSize]:
        with self._transaction():
            return [_size(*line) for line in self._execute(counting.LARGEST, (limit,))]

    def lying(self, place: Literal["archived", "deleted"], before: int, limit: int) -> list[SessionSize]:
        values = {"place": 2 if place == "deleted" else 1, "before": before, "limit": limit}
        with self._transaction():
            return [_size(*line) for line in self._execute(counting.LYING, values)]

    def blobs(self) -> set[str]:
        with self._transaction():
            return {blob for (blob,) in self._execute(BLOBS)}

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        with translated():
            self._execute("BEGIN")
            try:
                yield
            finally:
                if self._connection.in_transaction:
                    self._execute("COMMIT")

    def _find(self, session: SessionId) -> tuple[int, int]:
        for number, head in self._execute(FIND, (session,)):
            return number, head
        raise NoSuchSession(session)

    def _meta(self, name: str) -> str:
        ((value,),) = self._execute(META, (name,)).fetchall()
        return str(value)

    def _project(self, number: int, head: int) -> Projection:
        projection = Projection(projecting.load(self._connection, number))
        projecting.catch_up(self._connection, number, projection, head)
        return projection

    def _stretch(self, number: int, start: tuple[int, int, int], limit: int) -> list[Any]:
        rows: list[Any] = []
        for span in sharing.spans(self._connection, number):
            rows += self._execute(STRETCH, (*span, *start, limit - len(rows))).fetchall()
            if len(rows) == limit:
                break
        return rows

    def _growing(self, number: int, head: int) -> list[Settled]:
        """What is not settled yet, in reading order."""
        return window.transcript(self._project(number, head).session)

    def _page(self, session: int, number: int) -> Page:
        found = self._execute(READ_PAGE, (session, number))
        return Page(number, [Settled(turn, window.load_item(body)) for turn, body in found])


def _walk(query: Query) -> str:
    """The way through the list on which the fewest are met that were not asked for."""
    if query.on_top:
        return ON_TOP
    if query.tags:
        return BY_TAG
    return BY_PROJECT if query.project else BY_ACTIVITY


def _size(name: str, body: bytes, size: int) -> SessionSize:
    overview = _decode_overview(body)
    return SessionSize(SessionId(name), overview.title, size, bool(overview.deleted))


def _row(name: str, change: int, body: bytes) -> Row:
    return Row(SessionId(name), change, _decode_overview(body))
