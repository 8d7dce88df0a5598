"""The session list: the first page of many."""

from itertools import count

from bench.measure import Number, Pairs
from bench.workshop import Workshop
from holdfast.core.events import SessionRenamed
from holdfast.core.ids import SessionId
from holdfast.store.protocol import Query
from holdfast.store.sqlite.connection import connect
from holdfast.store.sqlite.store import DATABASE, SqliteStore

GOAL_MS = 5
BARE = "SELECT body FROM overviews ORDER BY session LIMIT 50"


async def run(workshop: Workshop) -> list[Number]:
    store = await SqliteStore.open_folder(workshop.crowd)
    bare = connect(workshop.crowd / DATABASE)
    plain, renamed = Pairs(), Pairs()
    names = count()

    async def listed() -> None:
        await store.sessions(Query())

    async def selected() -> None:
        bare.execute(BARE).fetchall()

    try:
        for _ in range(workshop.pairs):
            await plain.measure_awaited(listed, selected)
        for _ in range(workshop.pairs):
            number = next(names)
            await store.append(SessionId(f"s{number * 7}"), [SessionRenamed(title=f"Renamed {number}")])
            await renamed.measure_awaited(listed, selected)
    finally:
        bare.close()
        await store.close()
    total = f"{workshop.size(10_000):,}"
    return [_number(f"first page of {total} sessions", plain), _number("the same after a rename", renamed)]


def _number(name: str, pairs: Pairs) -> Number:
    return Number(
        group="list",
        name=name,
        value=pairs.ours * 1000,
        unit="ms",
        raw=pairs.raw * 1000,
        raw_name="50 rows by key, not decoded",
        ratio=pairs.ratio,
        goal=f"<= {GOAL_MS} ms",
        met=pairs.ours * 1000 <= GOAL_MS,
    )
