"""Opening a session: last page and tail, whatever lies before them."""

from collections.abc import Iterator
from pathlib import Path

from bench.material import Material
from bench.measure import Number, Pairs
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from holdfast.store.sqlite.store import SqliteStore

SMALL, MANY, LONG = SessionId("small"), SessionId("many"), SessionId("long")


async def run(workshop: Workshop) -> list[Number]:
    messages, deltas, tools = workshop.size(20_000), workshop.size(50_000), workshop.size(2_000)
    folder = _build(workshop, messages, deltas, tools)
    store = await SqliteStore.open_folder(folder)
    try:
        return [
            await _against_small(store, workshop.pairs, MANY, f"{messages:,} messages"),
            await _against_small(
                store, workshop.pairs, LONG, f"one running turn of {deltas:,} deltas and {tools:,} tool calls"
            ),
        ]
    finally:
        await store.close()


async def _against_small(store: SqliteStore, times: int, session: SessionId, name: str) -> Number:
    pairs = Pairs()
    for _ in range(times):
        await pairs.measure_awaited(lambda: store.open(session), lambda: store.open(SMALL))
    opened = await store.open(session)
    return Number(
        group="open",
        name=name,
        value=pairs.ours * 1000,
        unit="ms",
        raw=pairs.raw * 1000,
        raw_name="a session of 200 events",
        ratio=pairs.ratio,
        goal="<= 1.3 x or + 2 ms",
        met=pairs.ratio <= 1.3 or pairs.ours - pairs.raw <= 0.002,
        note=f"record {opened.session.seq:,}, last page {opened.page.number:,} with {len(opened.page.items)} items",
    )


def _build(workshop: Workshop, messages: int, deltas: int, tools: int) -> Path:
    folder, material = workshop.folder / "opening", workshop.material
    with writer(folder) as writing:
        small = list(material.session(turns=3))
        Author(writing, SMALL, "Small").fill(small[:200], together=20)
        many = Author(writing, MANY, "Many")
        many.begin()
        for _ in range(messages // 200):
            many.fill(material.exchanges(100, together=20))
        long = Author(writing, LONG, "Long")
        long.begin()
        long.fill(_long_turn(material, deltas, tools), together=20)
    return folder


def _long_turn(material: Material, deltas: int, tools: int) -> Iterator[e.Event]:
    """Tool calls spread evenly over the words, and no end."""
    turn = TurnId(material.name())
    yield e.TurnSubmitted(turn=turn, text=material.text())
    yield e.TurnStarted(turn=turn)
    streamed = 0
    for _ in range(tools):
        for word in material.words(turn, material.text(100, 300)):
            if streamed < deltas:
                streamed += 1
                yield word
        yield from material.tool(turn)
    while streamed < deltas:
        for word in material.words(turn, material.text()):
            streamed += 1
            yield word
