"""Bytes on the disk for each byte of text that streamed, and which table holds them."""

from collections.abc import Iterator
from pathlib import Path

from bench.material import Material
from bench.measure import Number
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from holdfast.store.sqlite.connection import connect
from holdfast.store.sqlite.store import DATABASE

BY_TABLE = """
SELECT CASE WHEN s.name LIKE 'words%' THEN 'words' ELSE coalesce(m.tbl_name, s.name) END AS owner, sum(s.pgsize)
FROM dbstat s LEFT JOIN sqlite_schema m ON m.name = s.name WHERE s.aggregate = TRUE GROUP BY owner ORDER BY 2 DESC
"""


def run(workshop: Workshop) -> list[Number]:
    return [
        _number(workshop, "one word in a record", together=1),
        _number(workshop, "20 words in a record", together=20),
    ]


def _number(workshop: Workshop, name: str, *, together: int) -> Number:
    folder = workshop.folder / f"disk-{together}"
    streamed = 0
    with writer(folder) as writing:
        author = Author(writing, SessionId("s1"))
        author.begin()
        while streamed < workshop.size(10_000_000):
            text = workshop.material.text()
            streamed += len(text.encode())
            author.fill(_exchange(workshop.material, text, together), together=20)
    held = _held(folder / DATABASE)
    parts = ", ".join(f"{table} {size / streamed:.2f}" for table, size in held.items() if size / streamed >= 0.01)
    return Number(group="disk", name=name, value=sum(held.values()) / streamed, unit="MB per MB streamed", note=parts)


def _exchange(material: Material, text: str, together: int) -> Iterator[e.Event]:
    turn = TurnId(material.name())
    yield e.TurnSubmitted(turn=turn, text="Go on.")
    yield e.TurnStarted(turn=turn)
    yield from material.words(turn, text, together=together)
    yield e.TurnEnded(turn=turn, outcome="completed")


def _held(path: Path) -> dict[str, int]:
    connection = connect(path)
    try:
        return {table: int(size) for table, size in connection.execute(BY_TABLE)}
    finally:
        connection.close()
