"""What a fork shares with the session that it comes from, so that forking costs the same however long that one is.

Law: nobody can tell a session that shares from one that has a copy. Records never change, so they are only read where
they lie. Items may: whoever changes one that others show lets them take copies first, from its turn on.
"""

from holdfast.store.sqlite.connection import Database

RECORDS = "SELECT last, holder FROM shared_records WHERE session = ? AND last > ? ORDER BY last"
SHARE = """
INSERT INTO shared_records (session, last, holder)
SELECT :fork, last, holder FROM shared_records WHERE session = :source;
INSERT INTO shared_records (session, last, holder) VALUES (:fork, :head, :source);
INSERT INTO shared_items (session, first, last, holder)
SELECT :fork, first, last, holder FROM shared_items WHERE session = :source;
INSERT INTO shared_items (session, first, last, holder)
SELECT :fork, 1 + coalesce(max(last), 0), :turns, :source FROM shared_items WHERE session = :source
HAVING :turns > coalesce(max(last), 0);
INSERT INTO checkpoints (session, seq, page, page_items, page_bytes, body)
SELECT :fork, seq, page, page_items, page_bytes, body FROM checkpoints WHERE session = :source;
INSERT INTO counts (session, seq, bytes) VALUES (:fork, :head, 0);
INSERT INTO attachments (blob, session) SELECT blob, :fork FROM attachments WHERE session = :source;
INSERT INTO epochs (session, epoch, position) SELECT :fork, epoch, position FROM epochs WHERE session = :source;
INSERT OR REPLACE INTO epochs (session, epoch, position) VALUES (:fork, :epoch, :position);
"""
SPANS = "SELECT holder, first, last FROM shared_items WHERE session = ? ORDER BY first DESC"
LAST = (1 << 63) - 1
CONCERNED = """
SELECT session FROM shared_items WHERE session = :session AND last >= :number
UNION SELECT session FROM shared_items WHERE holder = :session AND last >= :number
"""
COPY = """
INSERT INTO items (session, number, k, part, page, turn, call, body)
SELECT s.session, i.number, i.k, i.part, i.page, i.turn, i.call, i.body
FROM shared_items s JOIN items i ON i.session = s.holder AND i.number BETWEEN max(s.first, :number) AND s.last
WHERE s.session = :session AND s.last >= :number RETURNING id
"""
LEAVE = "INSERT OR IGNORE INTO unindexed (item) VALUES (?)"
SHRINK = (
    "DELETE FROM shared_items WHERE session = :session AND first >= :number",
    "UPDATE shared_items SET last = :number - 1 WHERE session = :session AND last >= :number",
)
HELD_ITEMS = "SELECT session, min(first) FROM shared_items WHERE holder = ? GROUP BY session"
HELD_RECORDS = "SELECT session, last FROM shared_records WHERE holder = ? AND session <> holder"
BEFORE = "SELECT coalesce(max(last), 0) FROM shared_records WHERE session = ? AND last < ?"
COPY_RECORDS = """
INSERT INTO records (id, time, epoch, n, late, body)
SELECT id + :shift, time, epoch, n, late, body FROM records WHERE id > :after AND id <= :last
"""
KEEP_RECORDS = "UPDATE shared_records SET holder = session WHERE session = ? AND last = ?"
FORGET = ("DELETE FROM shared_records WHERE session = ?", "DELETE FROM shared_items WHERE session = ?")


def share(connection: Database, values: dict[str, int]) -> None:
    """Let `fork` begin as `source` is at its `head`, where its checkpoint is; `turns` have entered its transcript."""
    connection.execute(SHARE, values).fetchall()


def places(connection: Database, session: int, after: int) -> list[tuple[int, int]]:
    """Where the records after seq `after` lie that others hold: up to which seq, and with whom."""
    return connection.execute(RECORDS, (session, after)).fetchall()


def spans(connection: Database, session: int) -> list[tuple[int, int, int]]:
    """Who holds the session's items, from which turn to which, the newest first."""
    shared: list[tuple[int, int, int]] = connection.execute(SPANS, (session,)).fetchall()
    return [(session, 1 + (shared[0][2] if shared else 0), LAST), *shared]


def part(connection: Database, session: int, number: int) -> None:
    """The items of turn `number` and of its followers are about to change: nobody shares them any more."""
    concerned = connection.execute(CONCERNED, {"session": session, "number": number}).fetchall()
    for (sharer,) in concerned:
        _take(connection, sharer, number)


def cut(connection: Database, session: int, number: int) -> None:
    """The session has no turn `number` any more, and none after it; those who share them keep them."""
    for sql in SHRINK:
        connection.execute(sql, {"session": session, "number": number})
    part(connection, session, number)


def give_up(connection: Database, session: int, span: int) -> None:
    """The session is about to go for good: who shares something of it takes it over."""
    for sharer, first in connection.execute(HELD_ITEMS, (session,)).fetchall():
        _take(connection, sharer, first)
    for sharer, last in connection.execute(HELD_RECORDS, (session,)).fetchall():
        after = connection.execute(BEFORE, (sharer, last)).get
        shift = (sharer - session) * span
        values = {"shift": shift, "after": session * span + after, "last": session * span + last}
        connection.execute(COPY_RECORDS, values)
        connection.execute(KEEP_RECORDS, (sharer, last))
    for sql in FORGET:
        connection.execute(sql, (session,))


def _take(connection: Database, sharer: int, number: int) -> None:
    values = {"session": sharer, "number": number}
    copied = connection.execute(COPY, values).fetchall()
    connection.executemany(LEAVE, copied)
    for sql in SHRINK:
        connection.execute(sql, values)
