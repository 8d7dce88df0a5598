"""Forking a long session after its last turn, and opening what came of it: nothing is copied, so it does not matter how
long it is."""

from statistics import median
from time import perf_counter

from bench.measure import Number
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from holdfast.store.sqlite.store import SqliteStore

MANY = SessionId("many")
GOAL = 500
"""Milliseconds."""
FORKS = 9


async def run(workshop: Workshop) -> list[Number]:
    messages, folder = workshop.size(20_000), workshop.folder / "forking"
    with writer(folder) as writing:
        many = Author(writing, MANY, "Many")
        many.begin()
        for _ in range(messages // 200):
            many.fill(workshop.material.exchanges(100, together=20))
    store = await SqliteStore.open_folder(folder)
    try:
        last = (await store.open(MANY)).page.items[-1].item.turn
        took = [await _fork(store, SessionId(f"fork{number}"), last) for number in range(FORKS)]
    finally:
        await store.close()
    value = median(took) * 1000
    return [
        Number(
            group="fork",
            name=f"{messages:,} messages",
            value=value,
            unit="ms",
            goal=f"<= {GOAL} ms",
            met=value <= GOAL,
            note=f"made, on the disk and opened; the longest of {FORKS}: {max(took) * 1000:,.0f} ms",
        )
    ]


async def _fork(store: SqliteStore, fork: SessionId, turn: TurnId) -> float:
    began = perf_counter()
    await store.fork(fork, MANY, lambda _: [e.SessionForked(source=MANY, turn=turn)])
    await store.open(fork)
    return perf_counter() - began
