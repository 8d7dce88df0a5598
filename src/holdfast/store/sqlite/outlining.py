"""A stretch of a log in outline, by statements that pass over most of its records: they are looked at, not decoded.

A body begins with its kind, because `codec` writes it so; and in JSON a quote within a text is escaped, so what is
looked for can only be found as a field.
"""

from collections.abc import Iterator
from typing import get_args

from holdfast.core.events import Known, NoticeRaised, ToolChanged
from holdfast.core.outline import SHOWS
from holdfast.core.records import Record
from holdfast.store.sqlite import sharing
from holdfast.store.sqlite.connection import Database
from holdfast.store.sqlite.projecting import SPAN, record_of


def _is(kind: type[Known]) -> str:
    begins = f'{{"kind":"{kind.__struct_config__.tag}"'.encode()
    return f"substr(body, 1, {len(begins)}) = x'{begins.hex()}'"


def _has(field: bytes) -> str:
    return f"instr(body, x'{field.hex()}')"


_PASSED_OVER = " OR ".join(_is(kind) for kind in get_args(SHOWS))
TELLING = f"""
SELECT id, time, epoch, n, late, body FROM records WHERE id > ? AND id <= ?
AND NOT ({_PASSED_OVER})
AND (NOT {_is(ToolChanged)} OR {_has(b'"status":"failed"')})
AND (NOT {_is(NoticeRaised)} OR {_has(b'"level":"error"')})
ORDER BY id LIMIT ?
"""  # noqa: S608  made of the names of our own kinds
TIMES = "SELECT group_concat(time) FROM (SELECT time FROM records WHERE id > ? AND id <= ? ORDER BY id)"


def telling(connection: Database, number: int, after: int, head: int, limit: int) -> list[Record]:
    found: list[Record] = []
    for holder, first, last in _stretches(connection, number, after, head):
        base = holder * SPAN
        rows = connection.execute(TELLING, (base + first, base + last, limit - len(found)))
        found += [record_of(base, *row) for row in rows]
    return found


def times(connection: Database, number: int, after: int, until: int) -> list[int]:
    found: list[int] = []
    for holder, first, last in _stretches(connection, number, after, until):
        ((told,),) = connection.execute(TIMES, (holder * SPAN + first, holder * SPAN + last)).fetchall()
        found += [int(time) for time in told.split(",")] if told else []
    return found


def _stretches(connection: Database, number: int, after: int, until: int) -> Iterator[tuple[int, int, int]]:
    """Who holds the records after `after`, and from where to where: some lie with another session."""
    after = max(0, after)
    for last, holder in sharing.places(connection, number, after):
        yield holder, after, min(last, until)
        after = max(after, last)
    yield number, after, until
