"""The contract of following: wait, and the tail that is written over it."""

import asyncio

import pytest

from holdfast.core import events as e
from holdfast.core.errors import NoSuchSession
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Record
from holdfast.store import tail as tailing
from holdfast.store.protocol import Store
from holdfast.store.tail import tail
from tests.store.stage import S1, Run, created, submit

PATIENCE = 30.0
"""Far more than anything here takes."""


async def test_wait_returns_at_once_when_there_is_more(store: Store) -> None:
    """The head is above `after` already: nobody waits."""
    async with asyncio.timeout(PATIENCE):
        assert await store.wait(S1, 0, PATIENCE * 2) == 1


async def test_wait_gives_up_after_its_time(store: Store) -> None:
    """Nothing came: it returns the head as it is."""
    async with asyncio.timeout(PATIENCE):
        assert await store.wait(S1, 1, 0.02) == 1
        assert await store.wait(S1, 9, 0) == 1


async def test_wait_wakes_when_the_log_grows(store: Store) -> None:
    """Whoever waits gets the new head, and so does everybody else who waits."""
    waiting = [asyncio.create_task(store.wait(S1, 1, PATIENCE * 2)) for _ in range(3)]
    await asyncio.sleep(0.01)
    await submit(store)
    async with asyncio.timeout(PATIENCE):
        assert await asyncio.gather(*waiting) == [2, 2, 2]


@pytest.mark.parametrize("verb", ["append", "claim", "adopt"])
async def test_whatever_grows_the_log_wakes_who_waits(store: Store, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the poll but the writer wakes: with a poll of an hour it still comes at once."""
    monkeypatch.setattr("holdfast.store.sqlite.store.POLL", 3600.0)
    dead = await Run.claim(store)
    await dead.start()
    heir = await Run.claim(store)
    head = await store.wait(S1, 0, 0)
    waiting = asyncio.create_task(store.wait(S1, head, 3600.0))
    await asyncio.sleep(0.01)
    match verb:
        case "append":
            await submit(store, TurnId("t2"))
        case "claim":
            await Run.claim(store)
        case _:
            late = e.TextAppended(turn=TurnId("t1"), text="late")
            dead.n += 1
            await store.adopt(S1, [(dead.next, late)], turn=TurnId("t1"), epoch=heir.epoch)
    async with asyncio.timeout(PATIENCE):
        assert await waiting > head


async def test_another_sessions_growth_is_not_ours(store: Store) -> None:
    """A wait is over only for a reason of its own."""
    other = await created(store, SessionId("s2"))
    waiting = asyncio.create_task(store.wait(S1, 1, 0.3))
    await asyncio.sleep(0.01)
    await submit(store, session=other)
    async with asyncio.timeout(PATIENCE):
        assert await waiting == 1


async def test_waiting_for_a_session_that_is_not_there_is_refused(empty: Store) -> None:
    """Nothing will ever come."""
    with pytest.raises(NoSuchSession):
        await empty.wait(S1, 0, PATIENCE)


async def test_a_cancelled_wait_leaves_nothing_behind(store: Store) -> None:
    """Browsers come and go; those that stay are still woken."""
    gone = asyncio.create_task(store.wait(S1, 1, PATIENCE))
    staying = asyncio.create_task(store.wait(S1, 1, PATIENCE * 2))
    await asyncio.sleep(0.01)
    gone.cancel()
    await asyncio.wait([gone])
    await submit(store)
    async with asyncio.timeout(PATIENCE):
        assert await staying == 2


async def follow(store: Store, until: int, after: int = 0) -> list[Record]:
    records: list[Record] = []
    async with asyncio.timeout(PATIENCE):
        async for batch in tail(store, S1, after):
            records += batch
            if records[-1].seq >= until:
                break
    return records


async def test_a_tail_has_no_gap_and_no_double_while_appends_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three readers that begin at different places, and four writers: each reads every record once, in order."""
    monkeypatch.setattr(tailing, "BATCH", 7)
    readers = [asyncio.create_task(follow(store, 201, after)) for after in (0, 0, 50)]

    async def write(name: str) -> None:
        for number in range(50):
            await store.append(S1, [e.SessionRenamed(title=f"{name}{number}")])

    await asyncio.gather(*(write(name) for name in "abcd"))
    whole = await store.read(S1, 0, 1_000)
    assert len(whole) == 201
    assert await asyncio.gather(*readers) == [whole, whole, whole[50:]]


async def test_a_lost_bell_costs_a_poll_and_no_record(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader whom nobody rings finds by itself what was appended."""
    monkeypatch.setattr(tailing, "POLL", 0.05)
    monkeypatch.setattr("holdfast.store.sqlite.store.SqliteStore._wake", lambda *_: None)
    monkeypatch.setattr("holdfast.store.sqlite.store.POLL", 0.05)
    reader = asyncio.create_task(follow(store, 3))
    await submit(store)
    await asyncio.sleep(0.1)
    await store.append(S1, [e.SessionRenamed(title="New")])
    assert [record.seq for record in await reader] == [1, 2, 3]
