"""A workload of several real processes, recorded.

A recording is a folder: `plan.json`, `journal`, and in `store` the store as it was in the end, when nothing had been
cut. Each act starts two runners and a server; when all have closed the store, SQLite removes the WAL, and the next act
makes a new one.
"""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Literal

import msgspec

from holdfast.core.ids import HOUSE, SessionId
from holdfast.core.records import Record
from holdfast.store.sqlite.store import SqliteStore
from tests.power import journal
from tests.power.journal import Entry

ROOT = Path(__file__).parents[2]
SESSIONS = [SessionId("alpha"), SessionId("beta")]
PARTS = ("server", *SESSIONS)
LONGEST = 1 << 30
PATIENCE = 60

Sabotage = Literal["", "never full", "never by itself"]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is recorded. `sabotage` breaks the store in the children, to show that the promises are really checked."""

    seed: int
    acts: int = 2
    seconds: float = 1.5
    calm: bool = False
    sabotage: Sabotage = ""


class Recording(msgspec.Struct, frozen=True):
    """`logs` is what every session held in the end: any cut leaves a beginning of it."""

    folder: Path
    plan: Plan
    entries: list[Entry]
    logs: dict[str, list[Record]]


def record(folder: Path, plan: Plan) -> None:
    """Run the workload. Takes its seconds, and the start of its processes for each act."""
    folder.mkdir(parents=True)
    (folder / "plan.json").write_bytes(msgspec.json.encode(plan))
    for act in range(plan.acts):
        children = [_start(folder, part, act) for part in PARTS]
        try:
            for child in children:
                _end(child)
        finally:
            for child in children:
                child.kill()


def _end(child: "subprocess.Popen[str]") -> None:
    _, errors = child.communicate(timeout=PATIENCE)
    if child.returncode != 0:
        raise RuntimeError(f"A process of the workload failed:\n{errors}")


def _start(folder: Path, part: str, act: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.power.child", str(folder), part, str(act)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def load(folder: Path) -> Recording:
    plan = msgspec.json.decode((folder / "plan.json").read_bytes(), type=Plan)
    return Recording(folder, plan, journal.read(folder / "journal"), asyncio.run(_logs(folder / "store")))


async def _logs(folder: Path) -> dict[str, list[Record]]:
    store = await SqliteStore.open_folder(folder)
    logs = {str(session): await store.read(session, 0, LONGEST) for session in (HOUSE, *SESSIONS)}
    await store.close()
    return logs
