"""One tail for any number of viewers: a crowd is served in groups, and nobody misses or doubles a word."""

import asyncio
from collections.abc import Sequence

import msgspec
import pytest

from holdfast.core import codec
from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.core.session import replay
from holdfast.core.window import dump
from holdfast.server import hub as hubs
from holdfast.server import tails
from holdfast.server.hub import Hub, Wish
from holdfast.server.viewer import Viewer
from holdfast.server.window import Window
from holdfast.store.memory.store import MemoryStore
from tests.store.stage import S1, T1, Run, created

CROWD = tails.CROWD + 10
WORDS = 200


async def records_of(viewer: Viewer, last: int) -> tuple[list[Record], int]:
    """What a viewer is sent until seq `last`, and in how many helpings."""
    records: list[Record] = []
    helpings = 0
    async for body in viewer.bodies():
        found = [line.removeprefix(b"data: ") for line in body.split(b"\n") if line.startswith(b'data: {"seq"')]
        records += [codec.decode_record(line) for line in found]
        helpings += bool(found)
        if records and records[-1].seq >= last:
            return records, helpings
    return records, helpings


async def watched(hub: Hub, wish: Wish, last: int) -> tuple[list[Record], int]:
    async with hub.viewer(wish) as viewer:
        return await records_of(viewer, last)


async def talking(viewers: int) -> tuple[MemoryStore, Sequence[tuple[list[Record], int]]]:
    """A session that streams while so many watch, each from another cursor."""
    store = MemoryStore()
    await created(store)
    run = await Run.claim(store)
    await run.start()
    async with Hub(store) as hub, asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(watched(hub, Wish(follows=[(S1, number % 3)]), 4 + WORDS)) for number in range(viewers)
        ]
        await asyncio.sleep(0)
        for number in range(WORDS):
            await run.say(f"{number} ")
            await asyncio.sleep(0.001)
    assert hub.watched == 0
    return store, [task.result() for task in tasks]


async def test_few_viewers_get_every_record_as_it_is() -> None:
    _, seen = await talking(3)
    for number, (records, _) in enumerate(seen):
        assert [record.seq for record in records] == list(range(number % 3 + 1, 5 + WORDS))


async def test_a_crowd_gets_words_in_groups_and_sees_the_same_session() -> None:
    store, seen = await talking(CROWD)
    whole = dump(replay(await store.read(S1, 0, 1_000)))
    for number, (records, helpings) in enumerate(seen):
        before = await store.read(S1, 0, number % 3)
        assert dump(replay([*before, *records])) == whole
        assert helpings < WORDS / 4


async def test_a_tail_that_breaks_ends_its_own_viewers_and_no_others() -> None:
    class Broken(MemoryStore):
        async def read(self, session: SessionId, after: int, limit: int) -> list[Record]:
            if session == "bad":
                raise ZeroDivisionError
            return await super().read(session, after, limit)

    store = Broken()
    for name in ("bad", "good"):
        await created(store, SessionId(name))
    async with Hub(store) as hub:
        await watched(hub, Wish(follows=[(SessionId("bad"), 1)]), 99)
        records, _ = await watched(hub, Wish(follows=[(SessionId("good"), 0)]), 1)
    assert [record.seq for record in records] == [1]


async def test_a_purged_session_is_gone() -> None:
    store = MemoryStore()
    await created(store)
    async with Hub(store) as hub, hub.viewer(Wish(follows=[(S1, 0)])) as viewer:
        bodies = viewer.bodies()
        said = await anext(bodies) + await anext(bodies)
        await store.purge(S1)
        said += await anext(bodies)
        await bodies.aclose()
    assert said.endswith(b"event: gone\ndata: " + msgspec.json.encode({"session": S1}) + b"\n\n")


def test_a_window_is_bounded_and_its_chunks_lie_end_to_end() -> None:
    window = Window(10, limit=100)
    for last in range(12, 60, 2):
        window.add(last, b"x" * 30)
    assert window.head == 58
    assert window.next(10) is None
    assert window.boundary(10) == 52
    cursor = window.boundary(10)
    bodies = 0
    while chunk := window.next(cursor):
        cursor, bodies = chunk.last, bodies + len(chunk.body)
    assert cursor == window.head
    assert bodies <= 100
    assert window.boundary(53) == 54
    assert window.boundary(58) == 58
    assert window.boundary(99) == 58
    window.add(60, b"x" * 1_000)
    assert window.next(58) is not None


async def test_an_unsent_word_does_not_wait_for_another() -> None:
    """With a crowd too: the last words of a burst go out though nothing follows them."""
    store = MemoryStore()
    await created(store)
    run = await Run.claim(store)
    await run.start()
    async with Hub(store) as hub, asyncio.TaskGroup() as group:
        tasks = [group.create_task(watched(hub, Wish(follows=[(S1, 4)]), 6)) for _ in range(CROWD)]
        await asyncio.sleep(0.01)
        await run.write(e.TextAppended(turn=T1, text="a"))
        await run.write(e.TextAppended(turn=T1, text="b"))
    assert all("".join(text(record) for record in task.result()[0]) == "ab" for task in tasks)


def text(record: Record) -> str:
    return record.event.text if isinstance(record.event, e.TextAppended) else ""


async def test_memory_is_given_back_when_a_crowd_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and not for a few who come and go."""
    given: list[int] = []
    once = asyncio.Event()
    monkeypatch.setattr(hubs, "PULSE", 0.01)
    monkeypatch.setattr(hubs, "CROWD", 3)
    monkeypatch.setattr(hubs, "give_back", lambda: (given.append(1), once.set()))
    async with Hub(MemoryStore()) as hub:
        async with hub.viewer(Wish()), hub.viewer(Wish()):
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.1)
        assert given == []
        async with hub.viewer(Wish()), hub.viewer(Wish()), hub.viewer(Wish()):
            await asyncio.sleep(0.1)
        async with asyncio.timeout(30):
            await once.wait()
        await asyncio.sleep(0.1)
    assert given == [1]
