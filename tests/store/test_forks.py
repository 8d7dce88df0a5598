"""A session that shares with another is the same as one that has a copy, whatever becomes of either.

Memory copies when it forks and SQLite shares. Some sessions talk, are taken back, forked, and purged, at random but the
same on every machine; after each step both stores must say the same of everything.
"""

import itertools
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from holdfast.core import events as e
from holdfast.core import window
from holdfast.core.errors import NoSuchTurn
from holdfast.core.ids import CallId, SessionId, TurnId
from holdfast.core.session import replay
from holdfast.store.memory.store import MemoryStore
from holdfast.store.protocol import Query, Store
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.core.shelf import joined
from tests.store.children import look
from tests.store.stage import EVERYTHING, Run, created, shown

HISTORIES = 40
STEPS = 24
QUICK = Path("/dev/shm")
LIMITS = {
    "holdfast.store.pages.PAGE_ITEMS": 4,
    "holdfast.store.pages.PAGE_BYTES": 900,
    "holdfast.core.window.PART": 8,
}


class Play:
    """One history on one store. The same dice lead to the same steps."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store = store
        self.dice = random.Random(seed)
        self.names = [SessionId("s1")]
        self.made = 1
        self.turns = 0
        self.marks = set[str]()

    async def step(self) -> None:
        name = self.dice.choice(self.names)
        match self.dice.randrange(10):
            case 0 | 1 | 2:
                await self.talk(name)
            case 3 | 4:
                await self.take_back(name)
            case 5 | 6 | 7:
                await self.fork(name)
            case 8:
                await self.change_what_is_settled(name)
            case _:
                await self.purge(name)

    async def talk(self, name: SessionId) -> None:
        run = await Run.claim(self.store, name)
        for _ in range(self.dice.randrange(1, 4)):
            await run.talk(self.turn(), "ask alpha", f"beta {self.turns} and more words")
        if self.dice.randrange(3) == 0:
            await run.start(self.turn(), "ask and wait")

    async def change_what_is_settled(self, name: SessionId) -> None:
        """A step that ends after its turn did, and facts that a dead runner left of another."""
        run, turn, call = await Run.claim(self.store, name), self.turn(), CallId(f"c{self.turns}")
        await run.start(turn, "use a tool")
        await run.write(e.ToolChanged(turn=turn, call=call, first=True, title="look", status="completed"))
        await run.say("a long enough text to be cut", turn)
        if self.dice.randrange(2):
            await run.end(turn)
            await self.fork(name)
            await run.write(e.ToolChanged(turn=turn, call=call, appended="late words"))
            return
        lost = run.next
        run = await Run.claim(self.store, name)
        await self.fork(name)
        facts = [(lost, e.TextAppended(turn=turn, text="found later"))]
        await self.store.adopt(name, facts, turn=turn, epoch=run.epoch)

    async def take_back(self, name: SessionId) -> None:
        there = await self.shown(name)
        turn = self.dice.choice(there) if there and self.dice.randrange(5) else None
        await self.store.append(name, [e.HistoryTruncated(turn=turn)])

    async def fork(self, name: SessionId) -> None:
        there = await self.shown(name)
        if not there or len(self.names) > 6:
            return
        self.made += 1
        new, turn = SessionId(f"s{self.made}"), self.dice.choice(there)
        state = (await self.store.open(name)).session
        told = [e.SessionForked(source=name, turn=turn), e.SessionRenamed(title=new)]
        try:
            await self.store.fork(new, name, lambda _: told)
        except NoSuchTurn:
            self.marks.add("a turn that is not over")
            return
        self.marks.add("a fork while a turn runs" if state.running else "a fork at rest")
        self.names.append(new)
        assert (await self.shown(new))[-1] == turn

    async def purge(self, name: SessionId) -> None:
        if len(self.names) > 1:
            await self.store.purge(name)
            self.names.remove(name)

    async def shown(self, name: SessionId) -> list[TurnId]:
        return list(dict.fromkeys(TurnId(item["turn"]) for _, _, item in await shown(self.store, name)))

    def turn(self) -> TurnId:
        self.turns += 1
        return TurnId(f"t{self.turns}")

    async def found(self, name: SessionId, stretch: int) -> list[object]:
        """What is found, a stretch at a time."""
        finds = await self.store.find(name, "and more", stretch=stretch)
        found: list[object] = [finds]
        while finds.cursor is not None:
            finds = await self.store.find(name, "and more", cursor=finds.cursor, stretch=stretch)
            found.append(finds)
        return found

    async def everything(self) -> list[object]:
        """All that can be asked; what the log says of the transcript comes first."""
        found: list[object] = []
        for name in self.names:
            records = await self.store.read(name, 0, EVERYTHING)
            assert [record.seq for record in records] == list(range(1, len(records) + 1))
            assert await shown(self.store, name) == joined(window.transcript(replay(records)))
            opened = await self.store.open(name)
            found += [records, window.dump(opened.session), opened.page, await shown(self.store, name)]
            found.append([await self.store.read(name, after, 3) for after in range(0, len(records), 5)])
            hits = await self.store.search("beta", limit=EVERYTHING, session=name)
            found.append(sorted(hits, key=msgspec.json.encode))
            found += [await self.found(name, 1_000), await self.found(name, 3)]
        hits = await self.store.search("late", limit=EVERYTHING)
        found += [sorted(hits, key=msgspec.json.encode), await self.store.sessions(Query())]
        return [*found, await self.store.figures(0), await self.store.sizes(50)]


@pytest.fixture
def quick() -> Iterator[Path]:
    """A folder in memory that looks like a disk: what is compared here does not depend on when it is synced."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-forks-", dir=QUICK if QUICK.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
async def test_a_fork_is_as_good_as_a_copy(part: int, quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LIMITS.items():
        monkeypatch.setattr(name, value)
    marks = set[str]()
    for seed in range(part, HISTORIES, 4):
        moment = itertools.count(1_000)
        time = [next(moment)]
        disk = await SqliteStore.open_folder(quick / str(seed), Options(now=lambda time=time: time[-1]))
        both = [Play(MemoryStore(now=lambda time=time: time[-1]), seed), Play(disk, seed)]
        for play in both:
            await created(play.store)
        for _ in range(STEPS):
            time.append(next(moment))
            for play in both:
                await play.step()
            memory, sqlite = [await play.everything() for play in both]
            assert sqlite == memory
        marks |= both[0].marks
        await disk.close()
    assert marks == {"a fork at rest", "a fork while a turn runs", "a turn that is not over"}


async def forked_rows(folder: Path, turns: int) -> dict[str, int]:
    """How many rows each table has gained by the fork of a session of so many turns."""
    store = await SqliteStore.open_folder(folder)
    await created(store)
    run = await Run.claim(store, SessionId("s1"))
    for number in range(turns):
        await run.talk(TurnId(f"t{number}"), "ask alpha", f"beta {number} and more words")
    before = rows_of(folder)
    last = TurnId(f"t{turns - 1}")
    await store.fork(SessionId("s2"), SessionId("s1"), lambda _: [e.SessionForked(source=SessionId("s1"), turn=last)])
    after = rows_of(folder)
    await store.close()
    return {table: after[table] - before[table] for table in after}


def rows_of(folder: Path) -> dict[str, int]:
    (database,) = folder.glob("*.db")
    tables = [name for (name,) in look(database, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
    union = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM \"{name}\"" for name in tables)
    return {str(name): int(count) for name, count in look(database, union)}


async def test_what_a_fork_adds_does_not_grow_with_what_it_shares(tmp_path: Path) -> None:
    """No record and no item is copied: forty times the turns cost the same few rows in every table."""
    short, long = await forked_rows(tmp_path / "short", 3), await forked_rows(tmp_path / "long", 120)
    assert long == short
    assert short["records"] == 1  # that it is a fork
