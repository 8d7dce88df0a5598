"""The rows that say what was used, kept with the checkpoints, and counted anew from the log where they are not."""

import msgspec

from holdfast.core import window
from holdfast.core.figures import Figures, Tally
from holdfast.core.session import Session
from holdfast.store.sqlite import projecting, sharing
from holdfast.store.sqlite.connection import Database

AT_ONCE = 500

COUNTED = "SELECT seq FROM counts WHERE session = ?"
COUNT = """
INSERT INTO counts (session, seq, bytes) VALUES (?, ?, ?)
ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, bytes = bytes + excluded.bytes
"""
ADD = """
INSERT INTO figures (session, hour, agent, model,
turns, failures, approvals, run_ms, input, output, cached, reasoning, cost)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (hour, session, agent, model) DO UPDATE SET turns = turns + excluded.turns,
failures = failures + excluded.failures, approvals = approvals + excluded.approvals, run_ms = run_ms + excluded.run_ms,
input = input + excluded.input, output = output + excluded.output, cached = cached + excluded.cached,
reasoning = reasoning + excluded.reasoning, cost = cost + excluded.cost
"""
FORGET = ("DELETE FROM figures WHERE session = ?", "DELETE FROM counts WHERE session = ?")
UNCOUNTED = """
SELECT c.session FROM checkpoints c LEFT JOIN counts n ON n.session = c.session WHERE n.seq IS NOT c.seq LIMIT 1
"""
DAYS = """
SELECT (hour * 60 + :offset) / 1440 AS day, agent, model, sum(turns), sum(failures), sum(approvals), sum(run_ms),
sum(input), sum(output), sum(cached), sum(reasoning), sum(cost)
FROM figures WHERE hour >= (:since * 1440 - :offset) / 60 AND (hour * 60 + :offset) / 1440 >= :since
GROUP BY day, agent, model ORDER BY day, agent, model
"""
LARGEST = """
SELECT s.id, o.body, n.bytes FROM counts n JOIN sessions s ON s.number = n.session
JOIN overviews o ON o.session = n.session ORDER BY n.bytes DESC, n.session LIMIT ?
"""
LYING = """
SELECT s.id, o.body, coalesce(n.bytes, 0) AS bytes FROM overviews o JOIN sessions s ON s.number = o.session
LEFT JOIN counts n ON n.session = o.session
WHERE o.place = :place AND NOT o.alive AND coalesce(CAST(o.body AS TEXT) ->> '$.uncommitted', 0) = 0
AND CASE :place WHEN 2 THEN CAST(o.body AS TEXT) ->> '$.deleted' ELSE o.active_at END < :before
ORDER BY bytes DESC, o.session LIMIT :limit
"""


def add(connection: Database, number: int, before: int, seq: int, tally: Tally) -> None:
    """Add what was counted between two checkpoints, if what lies before the first is counted."""
    if (connection.execute(COUNTED, (number,)).get or 0) != before:
        return
    connection.execute(COUNT, (number, seq, tally.bytes))
    rows = [(number, *slot, *msgspec.structs.astuple(figures)) for slot, figures in tally.slots.items()]
    connection.executemany(ADD, rows)


def uncounted(connection: Database) -> int | None:
    """A session that is to be counted anew."""
    for (number,) in connection.execute(UNCOUNTED):
        return int(number)
    return None


def recount(connection: Database, number: int) -> None:
    """Count a session's log from its beginning to its checkpoint; what a fork shares is counted where it was spent."""
    for sql in FORGET:
        connection.execute(sql, (number,))
    end = projecting.saved_seq(connection, number)
    session, tally, shared = Session(), Tally(), sharing.places(connection, number, 0)
    own = shared[-1][0] if shared else 0
    while session.seq < end:
        found = projecting.read(connection, number, session.seq, min(AT_ONCE, end - session.seq))
        if not found:
            break  # records that can't be there any more: what is left is counted
        for record, size in found:
            if record.seq <= own:
                session.apply(record)
                continue
            tally.fold(session, record)
            tally.bytes += size
        window.settle(session)
    add(connection, number, 0, end, tally)


def figures_of(values: tuple[int, ...]) -> Figures:
    """Figures as they lie in a row, in the order of their fields."""
    return Figures(**dict(zip(Figures.__struct_fields__, values, strict=True)))
