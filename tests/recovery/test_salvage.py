"""Recovery of runs that died: R1 to R5, against a real store and real spool files."""
# ruff: noqa: N802  tests name the rule they show

import time
from pathlib import Path

import pytest

from holdfast.core.events import (
    AnyFact,
    ApprovalRequested,
    RunnerStarted,
    SessionCreated,
    TextAppended,
    ThoughtAppended,
    ToolChanged,
    TurnStarted,
    TurnSubmitted,
)
from holdfast.core.ids import AskId, CallId, SessionId, TurnId
from holdfast.core.items import END, End, Item, Text, ToolCall
from holdfast.core.records import Position
from holdfast.core.recovery import DAY, LOOKS
from holdfast.core.window import transcript
from holdfast.ownership import Lock
from holdfast.salvage import Owned, anything_to_do, take_over
from holdfast.settings import Settings
from holdfast.store.spool import Spool, spool_path
from holdfast.store.sqlite.store import SqliteStore

S, T = SessionId("s"), TurnId("t")
NOW = time.time_ns() // 1_000_000


class Scene:
    """A home with one session whose runner died while it said "one two "."""

    def __init__(self, home: Path, store: SqliteStore) -> None:
        self.home, self.store = home, store
        self.settings = Settings(home=home)
        self.locks, self.spools = self.settings.locks, self.settings.spools
        self.epoch = 0
        self.n = 0

    async def die(self, *spooled: AnyFact, seal: bool = False, begin: bool = False) -> None:
        """Run a turn, spool what could not be stored, and die."""
        await self.store.create(S, SessionCreated(title="Scene"))
        await self.store.append(S, [TurnSubmitted(turn=T, text="count")], key="turn:t")
        lock = Lock.take(self.locks, S)
        assert lock is not None
        owned = await take_over(self.store, lock, self.settings, NOW)
        said = [
            RunnerStarted(),
            TurnStarted(turn=T),
            TextAppended(turn=T, text="one two "),
            ToolChanged(turn=T, call=CallId("c"), first=True, name="read", status="running"),
            ApprovalRequested(turn=T, ask=AskId("a"), command="rm"),
        ]
        await self.store.append(S, said, position=Position(epoch=owned.epoch, n=owned.n + 1))
        self.epoch, self.n = owned.epoch, owned.n + len(said)
        spool = Spool.reserve(spool_path(self.spools, S, self.epoch), 65536)
        if spooled:
            assert spool.write(self.n + 1, spooled)
        if begin:
            (spool_path(self.spools, S, self.epoch)).write_bytes(b"nothing that can be read\n")
        if seal:
            spool.seal()
        kept = (spool_path(self.spools, S, self.epoch)).read_bytes()
        spool.remove()  # lets go of it, as death does
        (spool_path(self.spools, S, self.epoch)).write_bytes(kept)
        lock.release()

    async def recover(self, now: int = NOW) -> Owned:
        lock = Lock.take(self.locks, S)
        assert lock is not None
        owned = await take_over(self.store, lock, self.settings, now)
        lock.release()
        return owned

    async def items(self) -> list[Item]:
        opened = await self.store.open(S)
        entries = [*opened.page.items, *transcript(opened.session)]
        return [entry.item for entry in sorted(entries, key=lambda entry: (entry.number, entry.item.k))]

    async def end(self) -> End:
        (end,) = [item for item in await self.items() if isinstance(item, End)]
        return end

    @property
    def spool(self) -> Path:
        return spool_path(self.spools, S, self.epoch)


@pytest.fixture
async def scene(tmp_path: Path):  # noqa: ANN201  a generator of Scene
    store = await SqliteStore.open_folder(tmp_path / "store")
    yield Scene(tmp_path, store)
    await store.close()


@pytest.mark.contract("R1")
async def test_R1_a_dead_run_is_interrupted_and_the_session_idle_at_once(scene: Scene) -> None:
    """No spool was begun: nothing is missing, so the marker is final."""
    await scene.die()
    await scene.recover()
    opened = await scene.store.open(S)
    assert (opened.session.running, opened.session.alive, dict(opened.session.asks)) == (None, False, {})
    end = await scene.end()
    assert (end.outcome, end.recovery) == ("interrupted", "")
    assert end.error.startswith("The agent's process ended. A step that had begun may or may not have run")
    assert not scene.spool.exists(), "reserved space that was never used is given back"


@pytest.mark.contract("R1")
@pytest.mark.parametrize("why", ["held", "unreadable", "unsealed"])
async def test_R1_while_output_may_arrive_the_marker_is_pending(scene: Scene, why: str) -> None:
    """Held by a living process, not readable now, or begun and neither sealed nor readable."""
    await scene.die(begin=why == "unsealed")
    held = None
    if why == "held":
        scene.spool.unlink()
        held = Spool.reserve(scene.spool, 65536)
    if why == "unreadable":
        scene.spool.unlink()
        scene.spool.mkdir()
    await scene.recover()
    end = await scene.end()
    assert (end.outcome, end.recovery, end.attempts) == ("interrupted", "pending", 0)
    opened = await scene.store.open(S)
    assert opened.session.running is None
    assert set(opened.session.recovering) == {T}
    if held is not None:
        held.remove()


@pytest.mark.contract("R2")
async def test_R2_output_that_is_found_stands_above_the_marker(scene: Scene) -> None:
    """In its right place and order, marked as recovered; it stays the turn's one marker."""
    await scene.die(
        TextAppended(turn=T, text="three"),
        ToolChanged(turn=T, call=CallId("c"), status="completed", output="ok"),
        ThoughtAppended(turn=T, text="hm"),
        ToolChanged(turn=T, call=CallId("d"), first=True, name="write", status="running"),
    )
    await scene.recover()
    items = await scene.items()
    assert [(type(item).__name__, item.recovered) for item in items] == [
        ("UserMessage", False),
        ("Text", False),
        ("ToolCall", True),
        ("Approval", False),
        ("Text", True),
        ("Thought", True),
        ("ToolCall", True),
        ("End", False),
    ]
    assert [item.text for item in items if isinstance(item, Text)] == ["one two ", "three"]
    tools = [item for item in items if isinstance(item, ToolCall)]
    assert [(tool.status, tool.output) for tool in tools] == [("completed", "ok"), ("interrupted", "")]
    assert items[-1].k == END
    assert (await scene.end()).recovery == "recovered"
    opened = await scene.store.open(S)
    assert opened.session.recovering == {}
    assert not scene.spool.exists()


@pytest.mark.contract("R2")
async def test_R2_a_later_look_recovers_and_earlier_messages_do_not_change(scene: Scene) -> None:
    """Pending first, because the spool can't be read; recovered when it can, also after another turn."""
    await scene.die(TextAppended(turn=T, text="three"))
    hidden = scene.spool.rename(scene.home / "hidden")
    scene.spool.mkdir()
    await scene.recover()
    await scene.store.append(S, [TurnSubmitted(turn=TurnId("u"), text="next")], key="turn:u")
    owned = await scene.recover()
    position = Position(epoch=owned.epoch, n=owned.n + 1)
    await scene.store.append(S, [RunnerStarted(), TurnStarted(turn=TurnId("u"))], position=position)
    before = [item for item in await scene.items() if item.turn == TurnId("u")]
    scene.spool.rmdir()
    hidden.rename(scene.spool)
    lock = Lock.take(scene.locks, S)
    assert lock is not None
    await take_over(scene.store, lock, scene.settings, NOW)
    lock.release()
    assert (await scene.store.open(S)).session.recovering == {}
    items = await scene.items()
    assert [item for item in items if item.turn == TurnId("u") and not isinstance(item, End)] == before
    texts = [item.text for item in items if isinstance(item, Text) and item.turn == T]
    assert "".join(texts) == "one two three"
    (end,) = [item for item in items if isinstance(item, End) and item.turn == T]
    assert end.recovery == "recovered"


@pytest.mark.contract("R4")
async def test_R4_looks_that_find_output_arriving_change_nothing(scene: Scene) -> None:
    """Neither count nor words, however often; and looking writes nothing."""
    await scene.die()
    scene.spool.unlink()
    held = Spool.reserve(scene.spool, 65536)
    await scene.recover()
    head = (await scene.store.open(S)).session.seq
    for _ in range(20):
        recovering = (await scene.store.open(S)).session.recovering
        assert not anything_to_do(S, scene.spools, recovering, NOW)
    assert (await scene.store.open(S)).session.seq == head
    assert (await scene.end()).attempts == 0
    held.remove()


@pytest.mark.contract("R4")
async def test_R4_the_twelfth_look_in_vain_makes_the_marker_neutral(scene: Scene) -> None:
    """A sealed, empty output counts; the last one adds no item and removes the bookkeeping."""
    await scene.die(seal=True)
    sealed = scene.spool.read_bytes()
    scene.spool.unlink()
    held = Spool.reserve(scene.spool, 65536)
    await scene.recover()
    held.remove()
    items = len(await scene.items())
    for attempt in range(1, LOOKS):
        scene.spool.write_bytes(sealed)
        await scene.recover()
        assert ((await scene.end()).recovery, (await scene.end()).attempts) == ("pending", attempt)
    scene.spool.write_bytes(sealed)
    await scene.recover()
    end = await scene.end()
    assert (end.recovery, end.attempts, end.pending_since) == ("neutral", 0, 0)
    assert len(await scene.items()) == items
    assert (await scene.store.open(S)).session.recovering == {}


@pytest.mark.contract("R4")
async def test_R4_after_a_day_the_marker_is_neutral_and_the_spool_is_kept(scene: Scene) -> None:
    """Without opening it: it can be recovered by hand."""
    await scene.die(TextAppended(turn=T, text="three"))
    kept = scene.spool.read_bytes()
    scene.spool.unlink()
    held = Spool.reserve(scene.spool, 65536)
    await scene.recover()
    held.remove()
    scene.spool.write_bytes(kept)
    pending_since = (await scene.end()).pending_since
    await scene.recover(pending_since + DAY + 1)
    assert (await scene.end()).recovery == "neutral"
    assert "".join(item.text for item in await scene.items() if isinstance(item, Text)) == "one two "
    assert scene.spool.read_bytes() == kept


@pytest.mark.contract("R5")
async def test_R5_recovery_run_twice_or_cut_half_way_gives_the_same_transcript(scene: Scene) -> None:
    """The store skips what it has: here the spool is still there after it was adopted."""
    await scene.die(TextAppended(turn=T, text="three"), TextAppended(turn=T, text=" four"))
    kept = scene.spool.read_bytes()
    lines = kept.split(b"\n")
    scene.spool.write_bytes(lines[0] + b"\n" + bytes(100))
    await scene.recover()
    first = "".join(item.text for item in await scene.items() if isinstance(item, Text))
    assert first == "one two three"
    again = await scene.store.adopt(
        S,
        [
            (Position(epoch=scene.epoch, n=scene.n + i), TextAppended(turn=T, text=text))
            for i, text in ((1, "three"), (2, " four"))
        ],
        turn=T,
        epoch=scene.epoch + 1,
    )
    assert again.written == 1
    assert "".join(item.text for item in await scene.items() if isinstance(item, Text)) == "one two three four"
    items = await scene.items()
    await scene.recover()
    await scene.recover()
    assert await scene.items() == items
