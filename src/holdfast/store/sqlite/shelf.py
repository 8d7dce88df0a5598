"""A session's settled items as rows. Their words are left for the index, which is brought up to date apart."""

from holdfast.core import window
from holdfast.core.ids import CallId, TurnId
from holdfast.core.items import END, Item, ToolCall
from holdfast.core.window import Settled
from holdfast.store.search import indexed
from holdfast.store.sqlite import sharing
from holdfast.store.sqlite.connection import Database

PUT = """
INSERT INTO items (session, number, k, part, page, turn, call, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session, number, k, part) DO UPDATE SET body = excluded.body RETURNING id
"""
LEAVE = "INSERT OR IGNORE INTO unindexed (item) VALUES (?)"
FIND_TURN = "SELECT number FROM transcripts WHERE reader = ? AND turn = ? AND k = 0 ORDER BY number DESC LIMIT 1"
READ_TURN = "SELECT page, body FROM transcripts WHERE reader = ? AND number = ? ORDER BY k, part"
FIND_CALL = """
SELECT number, body FROM transcripts WHERE reader = ? AND call = ? AND turn = ? ORDER BY number DESC, k DESC LIMIT 1
"""
CUT_WORDS = "DELETE FROM words WHERE rowid IN (SELECT id FROM items WHERE session = ? AND number >= ?)"
CUT_UNINDEXED = "DELETE FROM unindexed WHERE item IN (SELECT id FROM items WHERE session = ? AND number >= ?)"
CUT_ITEMS = "DELETE FROM items WHERE session = ? AND number >= ?"
LAST_OWN = "SELECT max(page) FROM items WHERE session = ?"
LAST_SHARED = """
SELECT page FROM items WHERE session = ? AND number BETWEEN ? AND ? ORDER BY number DESC, k DESC, part DESC LIMIT 1
"""
FILLED = "SELECT count(*), coalesce(sum(length(body)), 0) FROM transcripts WHERE reader = ? AND page = ?"
READ_PAGE = "SELECT number, body FROM transcripts WHERE reader = ? AND page = ? ORDER BY number, k, part"


class SqlShelf:
    """The shelf of session `number`, within the writer's transaction."""

    def __init__(self, connection: Database, number: int) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._session = number
        self._alone: int | None = None
        """From this turn on nobody shares our items, nor we theirs."""

    def put(self, page: int, settled: Settled) -> None:
        self._part(settled.number)
        item = settled.item
        call = item.call if isinstance(item, ToolCall) else None
        body = window.dump_item(item)
        place = (self._session, settled.number, item.k, settled.part, page, item.turn, call, body)
        for (row,) in self._execute(PUT, place):
            if indexed(item):
                self._execute(LEAVE, (row,))

    def turn(self, turn: TurnId) -> tuple[int, int, list[Item]] | None:
        found = self._execute(FIND_TURN, (self._session, turn)).fetchall()
        if not found:
            return None
        number: int = found[0][0]
        last_parts: dict[int, Item] = {}
        end_page = 0
        for page, body in self._execute(READ_TURN, (self._session, number)):
            item = window.load_item(body)
            last_parts[item.k] = item
            end_page = page if item.k == END else end_page
        return number, end_page, list(last_parts.values())

    def call(self, turn: TurnId, call: CallId) -> Settled | None:
        for number, body in self._execute(FIND_CALL, (self._session, call, turn)):
            return Settled(number, window.load_item(body))
        return None

    def cut(self, first: int) -> None:
        sharing.cut(self._connection, self._session, first)
        self._execute(CUT_WORDS, (self._session, first))
        self._execute(CUT_UNINDEXED, (self._session, first))
        self._execute(CUT_ITEMS, (self._session, first))

    def last(self) -> tuple[int, int, int]:
        page = self._execute(LAST_OWN, (self._session,)).get or 1
        for shared in sharing.spans(self._connection, self._session)[1:2]:
            page = max(page, self._execute(LAST_SHARED, shared).get or 1)
        ((items, size),) = self._execute(FILLED, (self._session, page)).fetchall()
        return page, items, size

    def _part(self, number: int) -> None:
        if self._alone is None or number < self._alone:
            sharing.part(self._connection, self._session, number)
            self._alone = number
