"""Many processes on one store: real ones, appending, tailing, stopping and dying."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from holdfast import faults
from holdfast.core import codec
from holdfast.core import events as e
from holdfast.core.errors import StoreBusy
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.gate import PATIENCE
from holdfast.store.sqlite.store import DATABASE, Options, SqliteStore
from tests.store.children import Children, finish, look, report, tell, told, wait_until_stopped
from tests.store.programs import fall
from tests.store.stage import S1, T1, Run, created, events, log, shown, submit

pytestmark = pytest.mark.slow

WRITERS, INTENTS = 4, 60
RUNNERS, BATCHES = 16, 40
SHARED = SessionId("shared")
OWN = [SessionId(f"own{number}") for number in range(RUNNERS)]
RUN_LENGTH = 1 + 1 + 1 + 1 + 5 * BATCHES + 1
"""Creation, submission, the runner's start, the turn's start, the batches, the turn's end."""


async def test_four_writers_sixteen_runners_and_their_readers(
    sqlite: SqliteStore, folder: Path, bells: Path, children: Children, capsys: pytest.CaptureFixture[str]
) -> None:
    """No gap, no double, no error; each writer's order is kept; no commit waits longer than the gate lets it."""
    await created(sqlite, SHARED)
    for name in OWN:
        await created(sqlite, name)
        await submit(sqlite, T1, session=name)
    ends = [f"{SHARED}:{1 + WRITERS * INTENTS}", *(f"{name}:{RUN_LENGTH}" for name in OWN[:4])]
    readers = [children.start("follow.py", folder, bells, *ends) for _ in range(3)]
    writers = [children.start("intents.py", folder, bells, SHARED, f"w{n}", INTENTS) for n in range(WRITERS)]
    runners = [children.start("facts.py", folder, bells, name, BATCHES) for name in OWN]
    for child in [*readers, *writers, *runners]:
        tell(child)
    worst = [await asyncio.to_thread(report, child) for child in [*writers, *runners]]
    read = [await asyncio.to_thread(report, child) for child in readers]

    for name in (SHARED, *OWN[:4]):
        records = await log(sqlite, name)
        whole = [[record.seq, codec.encode(record.event).decode()] for record in records]
        assert [seq for seq, _ in whole] == list(range(1, len(whole) + 1))
        assert all(reader[name] == whole for reader in read)
    turns = [event.turn for event in await events(sqlite, SHARED) if isinstance(event, e.TurnSubmitted)]
    for n in range(WRITERS):
        assert [turn for turn in turns if turn.startswith(f"w{n}-")] == [f"w{n}-{number}" for number in range(INTENTS)]
    for name in OWN:
        facts = [record for record in await log(sqlite, name) if record.epoch]
        assert [record.n for record in facts] == list(range(1, len(facts) + 1))
        assert len(facts) == RUN_LENGTH - 2
        texts = [item["text"] for _, _, item in await shown(sqlite, name) if item["type"] == "text"]
        assert "".join(texts) == "".join(f"{n}.{word} " for n in range(BATCHES) for word in range(4))

    slowest = max(entry["worst"] for entry in worst)
    with capsys.disabled():
        print(f"\nworst commit of {len(worst)} processes: {1000 * slowest:.0f} ms")
    assert slowest < PATIENCE


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGCONT])
async def test_a_stopped_writer_blocks_nobody_for_long(
    sqlite: SqliteStore, folder: Path, children: Children, fate: signal.Signals
) -> None:
    """Whoever waits is told who holds the lock; reading goes on; once it is killed or goes on, so does writing."""
    child = children.start("fall.py", folder, "store.locked=stop", "intent")
    wait_until_stopped(child)
    began = time.monotonic()
    with pytest.raises(StoreBusy, match=f"process {child.pid}"):
        await submit(sqlite)
    assert time.monotonic() - began < 4 * PATIENCE
    assert len(await log(sqlite)) == 1
    os.kill(child.pid, fate)
    await asyncio.to_thread(finish, child)
    assert (await submit(sqlite)).written == 1
    turns = [event.turn for event in await events(sqlite) if isinstance(event, e.TurnSubmitted)]
    assert turns == (["t1"] if fate == signal.SIGKILL else ["t2", "t1"])


async def test_waiting_for_a_stopped_writer_does_not_stop_the_readers(
    sqlite: SqliteStore, folder: Path, children: Children
) -> None:
    """While an append waits at the gate, everything that only looks is answered."""
    child = children.start("fall.py", folder, "store.locked=stop", "intent")
    wait_until_stopped(child)
    waiting = asyncio.create_task(submit(sqlite))
    await asyncio.sleep(0.05)
    for _ in range(20):
        assert (await sqlite.open(S1)).session.seq == 1
    assert not waiting.done()
    child.kill()
    assert (await waiting).written == 1


VERBS = [
    ("store.locked", "intent"),
    ("store.locked", "facts"),
    ("store.locked", "claim"),
    ("store.written", "intent"),
    ("store.written", "facts"),
    ("store.written", "claim"),
    ("store.committed", "intent"),
    ("store.committed", "facts"),
    ("store.committed", "claim"),
    ("store.settled", "facts"),
    ("store.settled", "claim"),
    ("store.claimed", "claim"),
]


def test_every_fault_point_of_the_store_is_visited() -> None:
    """A point that is added is a death to be tested."""
    assert {point for point, _ in VERBS} == {point for point in faults.ALL if point.startswith("store.")}


@pytest.mark.parametrize(("point", "verb"), VERBS)
async def test_a_writer_that_is_killed_leaves_all_or_nothing(
    folder: Path, children: Children, point: str, verb: str
) -> None:
    """The store opens, what was there is there, the last write is whole or absent, and a retry makes it exactly one."""
    store = await SqliteStore.open_folder(folder)
    await created(store)
    run = await Run.claim(store)
    await run.start()
    before = await log(store)
    await store.close()

    child = children.start("fall.py", folder, f"{point}=kill", verb)
    await asyncio.to_thread(finish, child)
    assert child.returncode == -signal.SIGKILL
    assert look(folder / DATABASE, "PRAGMA integrity_check") == [["ok"]]

    store = await SqliteStore.open_folder(folder)
    after = await log(store)
    assert after[: len(before)] == before
    there = point == "store.committed"
    assert (len(after) > len(before)) == there
    await fall.write(store, verb)
    again = [record.event for record in (await log(store))[len(before) :]]
    match verb:
        case "intent":
            assert again == [fall.INTENT]
        case "facts":
            assert again == fall.FACTS
            assert [item["type"] for _, _, item in await shown(store)] == ["user", "text", "end"]
        case _:
            assert [type(event) for event in again] == [e.TurnEnded, e.RunnerLost]
            assert (await store.claim(S1, lambda _: [])).epoch == (4 if there else 3)
    await store.close()


async def test_two_processes_may_found_the_same_store_at_once(tmp_path: Path, children: Children) -> None:
    """Twenty fresh folders: both find a whole store, one of them created the session, and they agree on its lineage."""
    founders = [children.start("found.py") for _ in range(2)]
    for number in range(20):
        for child in founders:
            tell(child, str(tmp_path / f"store{number}"))
        answers = [(await asyncio.to_thread(told, child)).split() for child in founders]
        assert sorted(answer[0] for answer in answers) == ["0", "1"]
        assert answers[0][1] == answers[1][1]


async def test_an_append_in_another_process_rings_our_bell(
    folder: Path, bells: Path, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever follows a session is woken by the process that wrote, not by its own poll."""
    monkeypatch.setattr("holdfast.store.sqlite.store.POLL", 3600.0)
    store = await SqliteStore.open_folder(folder, Options(bells=bells))
    await created(store)
    child = children.start("intents.py", folder, bells, S1, "w", 1)
    waiting = asyncio.create_task(store.wait(S1, 1, 3600.0))
    await asyncio.sleep(0.05)
    tell(child)
    async with asyncio.timeout(60):
        assert await waiting == 2
    await asyncio.to_thread(report, child)
    await store.close()
    assert await asyncio.to_thread(os.listdir, bells) == []
