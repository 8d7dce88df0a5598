"""Figures on the disk: kept by whoever writes, and counted anew from the log where somebody did not keep them."""

from pathlib import Path

import pytest

from holdfast.core import events as e
from holdfast.core.ids import TurnId
from holdfast.store.sqlite.store import DATABASE, Options, SqliteStore
from tests.store.children import look
from tests.store.labels import THIRD_FORMAT
from tests.store.stage import S1, T1, T2, Clock, Run, created


async def worked(store: SqliteStore) -> Run:
    run = await Run.claim(store)
    for turn in (T1, T2):
        await run.start(turn)
        await run.write(e.UsageReported(turn=turn, input=3, output=4, cost=5, model="m"))
        for _ in range(3):
            await run.say("words " * 10, turn)
        await run.end(turn, "completed" if turn == T1 else "failed")
    return run


# What a store of the first format has, and what a runner of the first program leaves, which goes on through an upgrade.
LOST = {
    "no figures": "DELETE FROM figures; DELETE FROM counts; SELECT 1",
    "an end that was not counted": "UPDATE counts SET seq = seq - 1, bytes = 1; DELETE FROM figures; SELECT 1",
}

FIRST_FORMAT = f"""
{THIRD_FORMAT};
DROP VIEW transcripts; DROP TABLE shared_records; DROP TABLE shared_items;
DROP TABLE figures; DROP TABLE counts; DROP INDEX checkpoints_by_seq; PRAGMA user_version = 1; SELECT 1
"""


@pytest.mark.parametrize("lost", LOST)
async def test_figures_that_are_missing_are_counted_anew(sqlite: SqliteStore, folder: Path, lost: str) -> None:
    """The same as if they had been kept from the first event on, and they go on from there."""
    run = await worked(sqlite)
    figures, sizes = await sqlite.figures(0), await sqlite.sizes(9)
    assert [(day.figures.turns, day.figures.failures, day.figures.cost) for day in figures if day.figures.cost] == [
        (0, 0, 10)
    ]
    look(folder / DATABASE, LOST[lost])
    assert await sqlite.figures(0) == figures
    assert await sqlite.sizes(9) == sizes
    look(folder / DATABASE, LOST[lost])
    third = TurnId("t3")
    await run.start(third)
    await run.write(e.UsageReported(turn=third, cost=7, model="m"))
    await run.end(third)
    assert sum(day.figures.cost for day in await sqlite.figures(0)) == 17
    assert sum(day.figures.turns for day in await sqlite.figures(0)) == 3


async def test_a_store_of_the_first_format_is_counted_when_it_is_looked_at(folder: Path, clock: Clock) -> None:
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await created(store)
    await worked(store)
    figures, sizes = await store.figures(0), await store.sizes(9)
    await store.close()
    look(folder / DATABASE, FIRST_FORMAT)
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    assert (await store.figures(0), await store.sizes(9)) == (figures, sizes)
    await store.close()


async def test_two_processes_count_one_session_once(sqlite: SqliteStore, folder: Path, clock: Clock) -> None:
    """A server appends what a person said while a runner appends what the agent did: both may write the checkpoint."""
    other = await SqliteStore.open_folder(folder, Options(now=clock))
    try:
        run = await Run.claim(sqlite)
        for number in range(6):
            turn = TurnId(f"t{number}")
            run.store = other if number % 2 else sqlite
            await run.start(turn)
            await run.write(e.UsageReported(turn=turn, cost=1, model="m"))
            run.store = sqlite if number % 2 else other
            await run.end(turn)
        kept, sizes = await other.figures(0), await sqlite.sizes(1)
        assert sum(day.figures.cost for day in kept) == sum(day.figures.turns for day in kept) == 6
        look(folder / DATABASE, LOST["no figures"])
        assert (await sqlite.figures(0), await other.sizes(1)) == (kept, sizes)
        assert sizes[0].session == S1
    finally:
        await other.close()
