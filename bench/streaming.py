"""From an agent's mouth to a live connection: how old is a word, durably stored, when a viewer has it?

Each word carries the time at which it was written to the pipe, and the viewer, another process, looks at the same clock
when it has it. Beside it the same agents stand before a bare writer of the same frames to the same viewers. The two
take turns; their rounds are pooled.
"""

from collections.abc import Sequence
from pathlib import Path

from bench.hearing import Bare, Hearing, Ours, bare, hear
from bench.house import serving
from bench.measure import Number, percentile
from bench.raw import sync_once
from bench.workshop import Workshop

ROUNDS = 4
SYNCS = 25


def run(workshop: Workshop) -> list[Number]:
    seconds = workshop.size(15)
    return [
        *_stream(workshop, "one session x 100 words/s", sessions=1, rate=100, seconds=seconds, goals=(4, 30)),
        *_stream(
            workshop,
            f"{workshop.size(50)} sessions x 20 words/s",
            sessions=workshop.size(50),
            rate=20,
            seconds=seconds,
            goals=(None, 150),
        ),
    ]


def _stream(
    workshop: Workshop, name: str, *, sessions: int, rate: int, seconds: int, goals: tuple[int | None, int]
) -> list[Number]:
    home = workshop.folder / f"latency-{sessions}"
    ours, raw, synced = Hearing(), Hearing(), list[float]()
    with serving(home, runners=sessions + 1, stamps=True) as house, bare(sessions) as floor:
        streams = Ours(house, house.begin("stamps", sessions))
        streams.prompt("stream 1 0")
        house.quiet()
        for number in range(1 if workshop.quick else ROUNDS):
            both: list[tuple[Hearing, Ours | Bare]] = [(ours, streams), (raw, floor)]
            for hearing, stream in both if number % 2 == 0 else reversed(both):
                hearing.add(hear(stream, words=rate * seconds, pause=1000 / rate), sessions)
            synced += _syncs(home)
    return _numbers(name, ours, raw, synced, goals)


def _syncs(home: Path) -> list[float]:
    with (home / "synced").open("ab") as file:
        return [sync_once(file.fileno()) for _ in range(SYNCS)]


def _numbers(
    name: str, ours: Hearing, raw: Hearing, synced: Sequence[float], goals: tuple[int | None, int]
) -> list[Number]:
    whole = f"{ours.words:,} words, {ours.complete} of {ours.viewers} viewers complete"
    disk = f"write + fsync p50 {percentile(synced, 0.5) * 1000:.1f} ms, p99 {percentile(synced, 0.99) * 1000:.1f} ms"
    notes = (f"{whole}; worst {ours.age(1):.0f} ms, of the bare writer {raw.age(1):.0f} ms", disk)
    return [
        Number(
            group="latency",
            name=f"{label}, {name}",
            value=ours.age(part),
            unit="ms",
            raw=raw.age(part),
            raw_name="a pipe into a bare SSE writer",
            ratio=ours.age(part) / raw.age(part),
            goal="" if goal is None else f"<= {goal} ms",
            met=None if goal is None else ours.age(part) <= goal and ours.complete == ours.viewers,
            note=note,
        )
        for label, part, goal, note in zip(("p50", "p99"), (0.5, 0.99), goals, notes, strict=True)
    ]
