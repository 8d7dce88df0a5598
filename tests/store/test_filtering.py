"""The filtered list on the disk: true after an upgrade, whoever writes, and read along an index."""

from pathlib import Path

import pytest

from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.store.protocol import Labels, Query
from holdfast.store.sqlite import projecting, reading
from holdfast.store.sqlite.connection import connect
from holdfast.store.sqlite.store import DATABASE, Options, SqliteStore
from tests.store.children import look
from tests.store.labels import THIRD_FORMAT
from tests.store.stage import Clock, Run, created, names, submit

QUERIES = (
    Query(),
    Query(project="p"),
    Query(tags=("x",)),
    Query(tags=("y", "x"), project="p"),
    Query(tags=("x",), archived=True),
    Query(on_top=True),
    Query(on_top=True, tags=("x",)),
)


async def filled(store: SqliteStore) -> None:
    for number in range(6):
        name = await created(store, SessionId(f"a{number}"), project="p" if number % 2 else "")
        await store.append(name, [e.SessionChanged(tags=("x", "y")[: number % 3])])
    await store.append(SessionId("a4"), [e.SessionChanged(archived=True)])
    await store.append(SessionId("a3"), [e.SessionChanged(pinned=True)])
    await Run.claim(store, SessionId("a1"))
    await submit(store, session=SessionId("a2"))


async def told(store: SqliteStore) -> tuple[list[list[str]], Labels]:
    return [await names(store, query) for query in QUERIES], await store.labels(9)


async def test_a_store_of_the_third_format_is_listed_as_before(folder: Path, clock: Clock) -> None:
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    await filled(store)
    before = await told(store)
    assert before[0][3] == ["a5"]
    await store.close()
    look(folder / DATABASE, f"{THIRD_FORMAT}; SELECT 1")
    store = await SqliteStore.open_folder(folder, Options(now=clock))
    assert await told(store) == before
    await submit(store, session=SessionId("a5"))
    assert (await names(store, Query(tags=("x",))))[0] == "a5"
    await store.close()


async def test_what_a_program_of_the_third_format_writes_is_in_its_place(sqlite: SqliteStore, folder: Path) -> None:
    """It wrote the line of a session first, then its tags by name alone: just what is written now."""
    await filled(sqlite)
    assert projecting.TAG == "INSERT OR IGNORE INTO tags (tag, session) VALUES (?, ?)"
    rows = look(
        folder / DATABASE,
        "SELECT count(*) FROM tags t JOIN overviews o ON o.session = t.session "
        "WHERE (t.place, t.active_at) = (o.place, o.active_at)",
    )
    assert rows == look(folder / DATABASE, "SELECT count(*) FROM tags")
    assert rows != [[0]]


@pytest.mark.usefixtures("sqlite")
@pytest.mark.parametrize("walk", ["BY_ACTIVITY", "ON_TOP", "BY_PROJECT", "BY_TAG"])
async def test_no_list_walks_or_sorts_what_it_does_not_show(folder: Path, walk: str) -> None:
    """It goes along an index of its own from the cursor on, in the order of the list."""
    sql = str(getattr(reading, walk))
    connection = connect(folder / DATABASE)
    values = {
        "place": 0,
        "active_at": 9,
        "session": 9,
        "project": "p",
        "tag": "x",
        "tags": "[]",
        "text": "",
        "limit": 9,
    }
    plan = [str(line[3]) for line in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    connection.close()
    outer = [step for step in plan if "json_each" not in step and "w VIRTUAL" not in step]
    assert plan[0].startswith("SEARCH")
    assert "active_at" in plan[0]
    assert not [step for step in outer if "TEMP B-TREE" in step or step.startswith("SCAN")], plan
