"""Appends that wait together share a transaction, and nobody can tell."""

import asyncio
from pathlib import Path

import pytest

from holdfast import faults
from holdfast.core.errors import Fenced, KeyTaken, NoSuchSession, StoreFull
from holdfast.core.events import SessionCreated, SessionRenamed, TextAppended, TurnSubmitted
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Position
from holdfast.store.protocol import Appended, Query
from holdfast.store.sqlite.store import SqliteStore
from tests.store.stage import untimed

S, OTHER = SessionId("s"), SessionId("other")


@pytest.fixture
async def store(tmp_path: Path):  # noqa: ANN201  a generator of SqliteStore
    opened = await SqliteStore.open_folder(tmp_path)
    await opened.create(S, SessionCreated(title="One"))
    await opened.create(OTHER, SessionCreated(title="Two"))
    yield opened
    faults.arm("")
    await opened.close()


def turn(name: str, text: str = "hello") -> TurnSubmitted:
    return TurnSubmitted(turn=TurnId(name), text=text)


async def test_each_gets_its_own_place(store: SqliteStore) -> None:
    """In the order in which they were asked for."""
    jobs = [store.append(S, [turn(f"t{i}")], key=f"turn:t{i}") for i in range(100)]
    assert [untimed(each) for each in await asyncio.gather(*jobs)] == [Appended(i + 2, i + 2, 1) for i in range(100)]
    records = await store.read(S, 0, 1_000)
    assert [record.seq for record in records] == list(range(1, 102))
    assert (await store.open(S)).session.queue == [f"t{i}" for i in range(100)]


async def test_a_refusal_spoils_nothing_for_the_others(store: SqliteStore) -> None:
    """A key with other content, a stale owner and an unknown session are told so, and the rest is stored."""
    results = await asyncio.gather(
        store.append(S, [turn("a")], key="turn:a"),
        store.append(S, [turn("a", "other words")], key="turn:a"),
        store.append(S, [turn("a")], key="turn:a"),
        store.append(S, [TextAppended(turn=TurnId("a"), text="x")], position=Position(epoch=7, n=1)),
        store.append(SessionId("none"), [turn("b")]),
        store.append(OTHER, [SessionRenamed(title="Three")]),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [Appended, KeyTaken, Appended, Fenced, NoSuchSession, Appended]
    assert isinstance(results[0], Appended)
    assert untimed(results[0]) == Appended(2, 2, 1)
    assert results[2] == Appended(2, 2, 0)
    assert [record.seq for record in await store.read(S, 0, 10)] == [1, 2]
    titles = {row.id: row.overview.title for row in (await store.sessions(Query())).rows}
    assert titles == {S: "One", OTHER: "Three"}


async def test_a_failure_stores_nothing_of_any_and_a_retry_stores_all_once(store: SqliteStore) -> None:
    """The disk is full once, while several wait."""
    faults.arm("store.written=enospc:1")
    jobs = [store.append(S, [turn(f"t{i}")], key=f"turn:t{i}") for i in range(5)]
    failed = await asyncio.gather(*jobs, return_exceptions=True)
    assert any(isinstance(result, StoreFull) for result in failed)
    stored = [result for result in failed if isinstance(result, Appended)]
    assert len(await store.read(S, 0, 100)) == 1 + len(stored)
    again = await asyncio.gather(*(store.append(S, [turn(f"t{i}")], key=f"turn:t{i}") for i in range(5)))
    assert len({result.first for result in again}) == 5
    assert sorted((await store.open(S)).session.queue) == [f"t{i}" for i in range(5)]
