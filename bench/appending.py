"""Appending: batches of 20 against bare rows of the same sizes, inside the writer's thread and awaited.

`words` is text alone, one word in a record. `run` is what a run streams: words, thoughts, tools with their output,
diffs, plans. Neither holds anything that must be synced, nor does the raw limit sync. `turns` is whole turns with what
a person did and what permits an effect; there the raw limit syncs the same batches. The goals are for `turns`, which is
what a store really gets; the other two show the extremes. Eight batches wait at any time, which the writer puts into
one transaction; the raw limit has one for each batch of 20.
"""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from bench.material import Material, batches
from bench.measure import Number, Pairs
from bench.raw import BareTable, bare_table
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core import codec
from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Position
from holdfast.store.sqlite.connection import RUNNER_AUTOCHECKPOINT
from holdfast.store.sqlite.store import Options, SqliteStore
from holdfast.store.sqlite.writing import Writing

BATCH = 20
CHUNK = 100
"""Batches in one half of a pair: a few milliseconds of work."""
IN_FLIGHT = 8
SESSION = SessionId("s1")


class Job(NamedTuple):
    """One append, made ready."""

    events: list[e.Event]
    position: Position | None


class Stream(NamedTuple):
    """Events to append, after those that must be there first."""

    name: str
    first: list[e.Event]
    events: list[e.Event]
    synced: bool = False


async def run(workshop: Workshop) -> list[Number]:
    total = workshop.pairs * CHUNK * BATCH
    numbers: list[Number] = []
    for stream in (_words(workshop.material, total), _run(workshop.material, total), _turns(workshop.material, total)):
        numbers.append(_inside(workshop, stream))
        numbers.append(await _awaited(workshop, stream))
    return numbers


def _words(material: Material, total: int) -> Stream:
    turn = TurnId(material.name())
    texts = chain.from_iterable(material.words(turn, material.text()) for _ in iter(int, 1))
    return Stream("words", _beginning(turn), list(islice(texts, total)))


def _run(material: Material, total: int) -> Stream:
    turn = TurnId(material.name())
    work = chain.from_iterable(chain(material.run(turn), material.answer(turn)) for _ in iter(int, 1))
    return Stream("run", _beginning(turn), list(islice(work, total)))


def _turns(material: Material, total: int) -> Stream:
    turns: Iterator[e.Event] = chain.from_iterable(material.turn() for _ in iter(int, 1))
    return Stream("turns", [e.RunnerStarted()], list(islice(turns, total)), synced=True)


def _beginning(turn: TurnId) -> list[e.Event]:
    return [e.RunnerStarted(), e.TurnSubmitted(turn=turn, text="Begin."), e.TurnStarted(turn=turn)]


def _inside(workshop: Workshop, stream: Stream) -> Number:
    folder = workshop.folder / f"append-{stream.name}"
    pairs = Pairs()
    with writer(folder) as writing, bare_table(folder / "raw.db") as bare:
        author = Author(writing, SESSION)
        author.fill(stream.first)
        for chunk in _chunks(stream.events):
            jobs = [Job(events, author.take(events)) for events in chunk]
            raw = Raw(bare, jobs, synced=stream.synced)
            pairs.measure(lambda jobs=jobs: _append(writing, jobs), raw)
    return _number(stream, f"in the writer's thread, {IN_FLIGHT} waiting", pairs, 0.6)


async def _awaited(workshop: Workshop, stream: Stream) -> Number:
    folder = workshop.folder / f"await-{stream.name}"
    pairs = Pairs()
    with writer(folder) as writing:
        author = Author(writing, SESSION)
        author.fill(stream.first)
    store = await SqliteStore.open_folder(folder, Options(autocheckpoint=RUNNER_AUTOCHECKPOINT))
    try:
        with bare_table(folder / "raw.db") as bare:
            for chunk in _chunks(stream.events):
                jobs = [Job(events, author.take(events)) for events in chunk]
                raw = Raw(bare, jobs, synced=stream.synced)

                async def bare_rows(raw: "Raw" = raw) -> None:
                    raw()

                await pairs.measure_awaited(lambda jobs=jobs: _append_awaited(store, jobs), bare_rows)
    finally:
        await store.close()
    return _number(stream, f"awaited, {IN_FLIGHT} in flight", pairs, 0.45)


def _chunks(events: Sequence[e.Event]) -> Iterator[list[list[e.Event]]]:
    groups = batches(events, BATCH)
    for first in range(0, len(groups) - CHUNK + 1, CHUNK):
        yield groups[first : first + CHUNK]


class Raw:
    """The same bytes in the same batches, into a bare table."""

    def __init__(self, bare: BareTable, jobs: Sequence[Job], *, synced: bool) -> None:
        self._bare = bare
        self._rows = [bare.number([codec.encode(event) for event in job.events]) for job in jobs]
        self._syncs = [any(event.synced for event in job.events) for job in jobs] if synced else None

    def __call__(self) -> None:
        if self._syncs is None:
            self._bare.insert(self._rows)
        else:
            self._bare.insert_synced(self._rows, self._syncs)


def _append(writing: Writing, jobs: Sequence[Job]) -> None:
    """As the writer's thread does it while that many batches wait: they share a transaction."""
    for first in range(0, len(jobs), IN_FLIGHT):
        with writing.transaction(sync=False):
            for job in jobs[first : first + IN_FLIGHT]:
                writing.append(SESSION, job.events, position=job.position, key=None)


async def _append_awaited(store: SqliteStore, jobs: Sequence[Job]) -> None:
    waiting = iter(jobs)

    async def append_next() -> None:
        for job in waiting:
            await store.append(SESSION, job.events, position=job.position)

    async with asyncio.TaskGroup() as group:
        for _ in range(IN_FLIGHT):
            group.create_task(append_next())


def _number(stream: Stream, where: str, pairs: Pairs, goal: float) -> Number:
    events = len(stream.events) / max(1, len(batches(stream.events, BATCH))) * CHUNK
    share = 1 / pairs.ratio
    return Number(
        group="append",
        name=f"{stream.name}, {where}",
        value=events / pairs.ours,
        unit="events/s",
        raw=events / pairs.raw,
        raw_name="bare rows, same syncs" if stream.synced else "bare rows",
        ratio=share,
        goal=f">= {goal:.0%} of raw" if stream.synced else "",
        met=share >= goal if stream.synced else None,
    )
