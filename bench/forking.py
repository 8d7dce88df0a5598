"""Forking a long session after its last turn: its log is read, told anew and taken in."""

from time import perf_counter

from bench.measure import Number
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import SqliteStore
from holdfast.transfer.fork import forked, read_log

MANY, FORK = SessionId("many"), SessionId("fork")
GOAL = 500
"""Milliseconds."""


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
        began = perf_counter()
        told = forked(await read_log(store, MANY), MANY, last, ())
        made = perf_counter()
        await store.admit(FORK, told)
        taken = perf_counter()
    finally:
        await store.close()
    return [
        Number(
            group="fork",
            name=f"{messages:,} messages",
            value=(taken - began) * 1000,
            unit="ms",
            goal=f"<= {GOAL} ms",
            met=(taken - began) * 1000 <= GOAL,
            note=f"of that, {(taken - made) * 1000:,.0f} ms in the store, for {len(told):,} records",
        )
    ]
