"""Everything that only looks, each in one read transaction that is over when the answer is there."""

from collections.abc import Generator
from contextlib import contextmanager

import msgspec

from holdfast.core import window
from holdfast.core.errors import NoSuchSession
from holdfast.core.ids import SessionId
from holdfast.core.overview import Overview
from holdfast.core.records import Record
from holdfast.core.window import Settled
from holdfast.store.pages import Projection
from holdfast.store.protocol import DailyFigures, Hit, Listing, Opened, Owner, Page, Query, Row, SessionSize, before
from holdfast.store.search import fold, hit, match_expression
from holdfast.store.sqlite import counting, outlining, projecting
from holdfast.store.sqlite.connection import Database, translated
from holdfast.store.sqlite.shelf import READ_PAGE

FIND = "SELECT number, head FROM sessions WHERE id = ?"
KEYED = "SELECT seq FROM keys WHERE session = ? AND key = ?"
META = "SELECT value FROM meta WHERE name = ?"
SESSIONS = """
SELECT s.id, o.change, o.body, o.active_at, o.session FROM overviews o JOIN sessions s ON s.number = o.session
WHERE o.place = :place AND (o.active_at, o.session) < (:active_at, :session)
AND (:project IS NULL OR o.project = :project)
AND (:tag IS NULL OR EXISTS (SELECT 1 FROM tags t WHERE t.tag = :tag AND t.session = o.session))
AND (:text = '' OR instr(o.title, :text))
AND (NOT :on_top OR o.alive OR CAST(o.body AS TEXT) ->> '$.pinned')
ORDER BY o.active_at DESC, o.session DESC LIMIT :limit
"""
CHANGES = """
SELECT s.id, o.change, o.body FROM overviews o JOIN sessions s ON s.number = o.session
WHERE o.change > ? ORDER BY o.change LIMIT ?
"""
OWNERS = """
SELECT s.id, s.epoch FROM overviews o JOIN sessions s ON s.number = o.session WHERE o.alive ORDER BY o.session
"""
SEARCH = """
SELECT s.id, o.body, i.body FROM words w JOIN items i ON i.id = w.rowid JOIN sessions s ON s.number = i.session
JOIN overviews o ON o.session = i.session
WHERE words MATCH :expression AND o.place < 2 AND (:session IS NULL OR s.id = :session)
ORDER BY w.rowid DESC LIMIT :limit
"""
UNINDEXED = "SELECT 1 FROM unindexed LIMIT 1"
BLOBS = "SELECT DISTINCT blob FROM attachments"
_decode_overview = msgspec.json.Decoder(Overview).decode


class Reading:
    """The reader's side of the store."""

    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._execute = connection.execute

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
            checkpoint = projecting.load(self._connection, number)
            projection = Projection(checkpoint)
            projecting.catch_up(self._connection, number, projection, head)
            return Opened(projection.session, self._meta("lineage"), self._page(number, checkpoint.page))

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
            "tag": query.tag,
            "text": fold(query.text.strip()),
            "on_top": query.on_top,
            "limit": query.limit + 1,
        }
        with self._transaction():
            found = self._execute(SESSIONS, values).fetchall()
            change = int(self._meta("change"))
            rows = [_row(*line[:3]) for line in found[: query.limit]]
        more = len(found) > query.limit
        cursor = f"{found[query.limit - 1][3]}.{found[query.limit - 1][4]}" if more else None
        return Listing(rows, cursor, change)

    def changes(self, after: int, limit: int) -> list[Row]:
        with self._transaction():
            return [_row(*line) for line in self._execute(CHANGES, (after, limit))]

    def owners(self) -> list[Owner]:
        with self._transaction():
            return [Owner(SessionId(name), epoch) for name, epoch in self._execute(OWNERS)]

    def search(self, text: str, limit: int, session: SessionId | None) -> list[Hit]:
        expression = match_expression(text)
        if not expression:
            return []
        values = {"expression": expression, "session": session, "limit": limit}
        with self._transaction():
            return [
                hit(text, SessionId(name), _decode_overview(overview).title, window.load_item(body))
                for name, overview, body in self._execute(SEARCH, values)
            ]

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
            found = [
                (name, _decode_overview(body), size) for name, body, size in self._execute(counting.LARGEST, (limit,))
            ]
        return [
            SessionSize(SessionId(name), overview.title, size, bool(overview.deleted)) for name, overview, size in found
        ]

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

    def _page(self, session: int, number: int) -> Page:
        found = self._execute(READ_PAGE, (session, number))
        return Page(number, [Settled(turn, window.load_item(body)) for turn, body in found])


def _row(name: str, change: int, body: bytes) -> Row:
    return Row(SessionId(name), change, _decode_overview(body))
