"""A fresh process that opens the store: how long until it can answer, and what it weighs."""

import subprocess
import sys
from statistics import median

import msgspec

from bench.measure import Number, Pairs
from bench.workshop import Workshop

PROGRAM = """
import asyncio, sys, time
from pathlib import Path
started = time.perf_counter()
from holdfast.store.protocol import Query
from holdfast.store.sqlite.store import SqliteStore
imported = time.perf_counter()
async def main():
    store = await SqliteStore.open_folder(Path(sys.argv[1]))
    listing = await store.sessions(Query())
    opened = time.perf_counter()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    await store.close()
    print(f"[{imported - started}, {opened - imported}, {pages * 4096 / 1e6}]")
asyncio.run(main())
"""
BARE = "import asyncio, apsw, msgspec; asyncio.run(asyncio.sleep(0))"


def run(workshop: Workshop) -> list[Number]:
    pairs = Pairs()
    seen: list[tuple[float, float, float]] = []
    crowd = str(workshop.crowd)

    def ours() -> None:
        found = subprocess.run([sys.executable, "-c", PROGRAM, crowd], capture_output=True, check=True)
        seen.append(msgspec.json.decode(found.stdout, type=tuple[float, float, float]))

    def bare() -> None:
        subprocess.run([sys.executable, "-c", BARE], capture_output=True, check=True)

    for _ in range(max(5, workshop.size(20))):
        pairs.measure(ours, bare)
    imported, opened, weight = (median(column) for column in zip(*seen, strict=True))
    sessions = f"{workshop.size(10_000):,} sessions"
    return [
        Number(
            group="start",
            name=f"a process that opens the store and lists, {sessions}",
            value=pairs.ours * 1000,
            unit="ms",
            raw=pairs.raw * 1000,
            raw_name="Python with apsw, msgspec, asyncio",
            ratio=pairs.ratio,
        ),
        Number(group="start", name="of that: importing the store", value=imported * 1000, unit="ms"),
        Number(group="start", name="of that: opening, and the first page", value=opened * 1000, unit="ms"),
        Number(group="start", name="resident memory then", value=weight, unit="MB"),
    ]
