"""Search over many messages, with FTS5 alone beside it; some of the sessions have a runner."""

from pathlib import Path

from bench.measure import Number, Pairs
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.store.search import match_expression
from holdfast.store.sqlite.connection import Database, connect
from holdfast.store.sqlite.store import DATABASE, SqliteStore

SESSIONS = 100
RUNNING = 16
"""Sessions that have a runner: as many as there may be."""
BARE = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 20"


async def run(workshop: Workshop) -> list[Number]:
    messages = workshop.size(100_000)
    folder = _build(workshop, messages)
    words = sorted(workshop.material.vocabulary[200:4_000], key=len, reverse=True)[: workshop.pairs]
    beginnings = [word[:3] for word in workshop.material.vocabulary[200 : 200 + 40 * workshop.pairs : 40]]
    store = await SqliteStore.open_folder(folder)
    bare = connect(folder / DATABASE)
    try:
        return [
            await _number(store, bare, f"a word, {messages:,} messages", words, 5),
            await _number(store, bare, "the first three letters of a word", beginnings, 50),
        ]
    finally:
        bare.close()
        await store.close()


async def _number(store: SqliteStore, bare: Database, name: str, questions: list[str], goal: int) -> Number:
    pairs = Pairs()
    hits = 0
    for question in questions:
        expression = match_expression(question)

        async def matched(expression: str = expression) -> None:
            bare.execute(BARE, (expression,)).fetchall()

        await pairs.measure_awaited(lambda question=question: store.search(question), matched)
        hits += len(await store.search(question))
    return Number(
        group="search",
        name=name,
        value=pairs.ours * 1000,
        unit="ms",
        raw=pairs.raw * 1000,
        raw_name="FTS5 alone",
        ratio=pairs.ratio,
        goal=f"<= {goal} ms",
        met=pairs.ours * 1000 <= goal,
        note=f"{hits / len(questions):.1f} hits each",
    )


def _build(workshop: Workshop, messages: int) -> Path:
    folder = workshop.folder / "search"
    with writer(folder) as writing:
        for number in range(SESSIONS):
            author = Author(writing, SessionId(f"s{number}"), workshop.material.text(20, 60))
            author.begin()
            author.fill(workshop.material.exchanges(messages // SESSIONS // 2, together=200))
            if number >= RUNNING:
                author.append([e.RunnerStopped()])
    return folder
