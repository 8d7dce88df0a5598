"""Twenty processes on one store: four append intents to one session, sixteen run a session each.

Beside their commits a file is synced every tenth of a second, so that a slow disk is seen as such.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import msgspec

from bench.measure import Number, percentile
from bench.raw import sync_once
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core.ids import SessionId

PEOPLE, RUNNERS = 4, 16
GOAL_S = 1.0
MEETING = SessionId("meeting")


def run(workshop: Workshop) -> list[Number]:
    duration = workshop.size(10)
    return [
        *_contend(workshop.folder / "paced", "20 commits/s each", duration, pause=0.05),
        *_contend(workshop.folder / "flat-out", "as fast as they can", duration, pause=0.0),
    ]


def _contend(folder: Path, name: str, duration: int, *, pause: float) -> list[Number]:
    with writer(folder) as writing:
        Author(writing, MEETING, "Meeting")
    ends = (str(duration), str(pause))
    people = [_start(str(folder), MEETING, "person", *ends) for _ in range(PEOPLE)]
    runners = [_start(str(folder), f"r{number}", "runner", *ends) for number in range(RUNNERS)]
    for process in people + runners:
        _read(process)
    for process in people + runners:
        _go(process)
    synced = _sync_meanwhile(folder / "synced", duration)
    took = [seconds for process in people + runners for seconds in _took(process)]
    return [
        Number(
            group="contention",
            name=f"worst commit, {name}",
            value=max(took) * 1000,
            unit="ms",
            raw=max(synced) * 1000,
            raw_name="worst write + fsync",
            ratio=max(took) / max(synced),
            goal=f"< {GOAL_S * 1000:,.0f} ms",
            met=max(took) < GOAL_S,
            note=f"{len(took):,} commits by {PEOPLE + RUNNERS} processes in {duration} s",
        ),
        Number(
            group="contention",
            name=f"p99 commit, {name}",
            value=percentile(took, 0.99) * 1000,
            unit="ms",
            raw=percentile(synced, 0.99) * 1000,
            raw_name="p99 write + fsync",
            ratio=percentile(took, 0.99) / percentile(synced, 0.99),
            note=f"median {median(took) * 1000:.1f} ms; of write + fsync {median(synced) * 1000:.1f} ms",
        ),
    ]


def _start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bench.contender", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _read(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def _go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _took(process: subprocess.Popen[str]) -> list[float]:
    with process:
        took = msgspec.json.decode(_read(process), type=list[float])
    if process.returncode:
        raise RuntimeError("A process of the contention failed.")
    return took


def _sync_meanwhile(path: Path, duration: int) -> list[float]:
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    took: list[float] = []
    until = time.monotonic() + duration
    while time.monotonic() < until:
        took.append(sync_once(fd))
        time.sleep(0.1)
    os.close(fd)
    return took
