"""What an agent says reaches the store in order and once, whatever the store does."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from holdfast.core.errors import Fenced, StoreFull
from holdfast.core.events import TextAppended, TurnEnded
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Position
from holdfast.runner import outbox as module
from holdfast.runner.outbox import Outbox
from holdfast.store.spool import Spool
from tests.runner.shelf import Shelf

S, T = SessionId("s"), TurnId("t")
FULL = StoreFull("no space")
PATIENCE = 20.0


def word(number: int, message: str = "") -> TextAppended:
    return TextAppended(turn=T, text=f"{number} ", message=message)


def words(count: int) -> str:
    return "".join(f"{number} " for number in range(1, count + 1))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at a store that failed again after a moment."""
    monkeypatch.setattr(module, "RETRY", 0.01)


class Scene:
    def __init__(self, shelf: Shelf, spool: Spool) -> None:
        self.shelf, self.spool = shelf, spool
        self.told: list[bool] = []
        self.outbox = Outbox(shelf.store, S, Position(epoch=1, n=0), spool, tell=self.tell)

    def tell(self, *, spooling: bool) -> None:
        if self.told[-1:] != [spooling]:
            self.told.append(spooling)

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110  what holds is found in fakes without events
                await asyncio.sleep(0.002)

    async def flushed(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.outbox.flush()


@asynccontextmanager
async def staged(folder: Path, reserve: int = 1 << 16) -> AsyncGenerator[Scene]:
    """An outbox at work, with a store that can fail and a spool of some bytes."""
    spool = Spool.reserve(folder / "s.1.spool", reserve)
    scene = Scene(Shelf(), spool)
    work = asyncio.create_task(scene.outbox.run())
    try:
        yield scene
    finally:
        work.cancel()
        await asyncio.wait([work])
        spool.remove()
    assert work.cancelled()


async def test_facts_are_stored_in_the_order_of_their_emission(tmp_path: Path) -> None:
    """However they were grouped, and counted without a gap."""
    async with staged(tmp_path) as scene:
        for number in range(1, 1001):
            scene.outbox.emit(word(number, message=str(number % 7)))
        await scene.flushed()
        assert scene.shelf.text == words(1000)
        assert scene.outbox.n == len(scene.shelf.facts)
        assert scene.outbox.head == len(scene.shelf.facts)
        assert scene.outbox.idle
        assert scene.told == []


async def test_what_arrives_while_a_commit_is_in_flight_goes_together_in_the_next(tmp_path: Path) -> None:
    """The first goes at once; the others wait for no clock, only for it."""
    async with staged(tmp_path) as scene:
        scene.shelf.open.clear()
        scene.outbox.emit(word(1))
        await scene.until(lambda: scene.shelf.tries == 1)
        for number in range(2, 51):
            scene.outbox.emit(word(number))
        scene.shelf.open.set()
        await scene.flushed()
        first, second = scene.shelf.appends
        assert first == [word(1)]
        assert second == [TextAppended(turn=T, text=words(50).removeprefix("1 "))], "words that go on are one fact"


async def test_a_commit_returns_when_it_is_stored_and_not_before(tmp_path: Path) -> None:
    """With all that was emitted before it. To be kept aside is not to be stored: nothing may be permitted by it."""
    async with staged(tmp_path) as scene:
        scene.shelf.fail(FULL)
        scene.outbox.emit(word(1))
        commit = asyncio.create_task(scene.outbox.commit(TurnEnded(turn=T, outcome="completed")))
        await scene.until(lambda: len(scene.spool.facts()) == 2)
        assert not commit.done()
        scene.shelf.fail(None)
        await asyncio.wait_for(commit, PATIENCE)
        assert scene.shelf.facts == [word(1), TurnEnded(turn=T, outcome="completed")]


@pytest.mark.parametrize(("limit", "value"), [("WAITING", 10), ("WAITING_WEIGHT", len(words(10)))])
async def test_there_is_room_until_too_much_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """Too many facts, or too many characters. Then the agent is not read further, until the store has taken some."""
    monkeypatch.setattr(module, limit, value)
    async with staged(tmp_path) as scene:
        scene.shelf.open.clear()
        for number in range(1, 10):
            scene.outbox.emit(word(number))
        await asyncio.wait_for(scene.outbox.room(), PATIENCE)
        scene.outbox.emit(word(10))
        room = asyncio.create_task(scene.outbox.room())
        await scene.until(lambda: scene.shelf.tries == 1)
        await asyncio.sleep(0.01)  # room that is there is found at once
        assert not room.done()
        scene.shelf.open.set()
        await asyncio.wait_for(room, PATIENCE)


async def test_long_facts_go_in_several_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One transaction never grows with what waits; a fact that is too long alone goes alone."""
    monkeypatch.setattr(module, "BATCH_WEIGHT", len(words(2)))
    async with staged(tmp_path) as scene:
        for number in range(1, 8):
            scene.outbox.emit(word(number))
        await scene.flushed()
        assert scene.shelf.text == words(7)
        assert scene.shelf.tries == 4


@pytest.mark.contract("R7")
async def test_R7_what_cant_be_stored_is_kept_aside_and_comes_first_later(tmp_path: Path) -> None:  # noqa: N802
    """Said while the store is full, and after it is back: one row of words, each once."""
    async with staged(tmp_path) as scene:
        scene.outbox.emit(word(1))
        await scene.flushed()
        scene.shelf.fail(FULL)
        for number in range(2, 101):
            scene.outbox.emit(word(number))
            await asyncio.sleep(0)
        await scene.until(lambda: scene.told == [True])
        assert not scene.outbox.idle
        scene.shelf.fail(None)
        for number in range(101, 201):
            scene.outbox.emit(word(number))
            await asyncio.sleep(0)
        await scene.flushed()
        assert scene.shelf.text == words(200)
        assert scene.told == [True, False]
        assert scene.spool.empty


@pytest.mark.contract("R7")
async def test_R7_a_full_reserve_drops_nothing(tmp_path: Path) -> None:  # noqa: N802
    """What has no room waits in memory, in its place, until the store is back."""
    async with staged(tmp_path, reserve=4096) as scene:
        scene.shelf.fail(FULL)
        for number in range(1, 201):
            scene.outbox.emit(word(number, message=str(number)))
            await asyncio.sleep(0)
        await scene.until(lambda: len(scene.spool.facts()) > 0)
        tries = scene.shelf.tries
        await scene.until(lambda: scene.shelf.tries > tries + 3)
        assert len(scene.spool.facts()) < 200
        scene.shelf.fail(None)
        await scene.flushed()
        assert scene.shelf.text == words(200)
        assert scene.outbox.n == 200


@pytest.mark.contract("R7")
async def test_R7_what_has_no_room_even_in_an_empty_spool_waits_quietly(  # noqa: N802
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told that the store can't be written, and the store is asked again from time to time, not without end."""
    monkeypatch.setattr(module, "RETRY", 0.1)
    async with staged(tmp_path, reserve=4096) as scene:
        scene.shelf.fail(FULL)
        scene.outbox.emit(TextAppended(turn=T, text="x" * 10_000))
        await scene.until(lambda: scene.told == [True])
        await asyncio.sleep(0.5)
        assert scene.shelf.tries <= 7
        scene.shelf.fail(None)
        scene.outbox.emit(word(1))
        await scene.flushed()
        assert scene.shelf.text == "x" * 10_000 + "1 "


async def test_a_commit_of_which_nobody_knows_whether_it_happened_is_not_doubled(tmp_path: Path) -> None:
    """The store had taken the facts and said that it failed: their positions say that they are there."""
    async with staged(tmp_path) as scene:
        scene.shelf.ambiguous = True
        for number in range(1, 21):
            scene.outbox.emit(word(number, message=str(number // 5)))
        await scene.until(lambda: scene.shelf.tries)
        scene.outbox.emit(word(21))
        await scene.flushed()
        assert scene.shelf.text == words(21)


async def test_an_outbox_whose_session_has_another_owner_ends(tmp_path: Path) -> None:
    """It writes no more, neither to the store nor aside."""
    spool = Spool.reserve(tmp_path / "s.1.spool", 4096)
    scene = Scene(Shelf(), spool)
    scene.shelf.fail(Fenced(S, 1, 2))
    scene.outbox.emit(word(1))
    with pytest.raises(Fenced):
        await asyncio.wait_for(scene.outbox.run(), PATIENCE)
    assert spool.empty
    assert scene.shelf.facts == []
    spool.remove()
