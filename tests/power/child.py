"""One process of the workload: `python -m tests.power.child FOLDER PART ACT`."""

import asyncio
import random
import sys
import time
from pathlib import Path

import msgspec

from holdfast.core.ids import SessionId
from holdfast.store.sqlite.committing import Committing
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.power.journal import Journal, Opened
from tests.power.recorder import Recorder
from tests.power.recording import SESSIONS, Plan, Sabotage
from tests.power.runner import TITLED, Runner
from tests.power.server import Server
from tests.power.witness import Witness

SERVER_AUTOCHECKPOINT = 60
RUNNER_AUTOCHECKPOINT = 150
"""Small, so that a short workload checkpoints often."""
PAUSE = 3.2
"""Seconds for which a calm runner says nothing, and its last words have to be synced all the same."""


def sabotage(how: Sabotage) -> None:
    """Break the store of this process."""
    if how == "never full":
        setattr(Committing, "_set_sync", lambda _self, **_: None)  # noqa: B010  no checker lets a method be broken
    elif how == "never by itself":
        setattr(Committing, "rest", lambda _self: None)  # noqa: B010


async def play(folder: Path, part: str, act: int, plan: Plan) -> None:
    """Play the part until the act is over."""
    until = time.monotonic() + plan.seconds
    journal = Journal(folder / "journal")
    recorder = Recorder(journal, folder / "store")
    autocheckpoint = SERVER_AUTOCHECKPOINT if part == "server" else RUNNER_AUTOCHECKPOINT
    store = await SqliteStore.open_folder(folder / "store", Options(autocheckpoint=autocheckpoint))
    journal.write(Opened(await store.lineage()))
    witness = Witness(store, journal, f"{part}{act}")
    dice = random.Random(f"{plan.seed} {part} {act}")
    for session in SESSIONS:
        await witness.create(session, TITLED)
    if part == "server":
        await serve(Server(witness, SESSIONS, dice, calm=plan.calm), until)
    else:
        runner = Runner(witness, SessionId(part), dice, calm=plan.calm)
        await runner.begin()
        await (run_calmly if plan.calm else run)(runner, until)
    await store.close()
    recorder.unregister()


async def serve(server: Server, until: float) -> None:
    while time.monotonic() < until:
        await server.step()


async def run(runner: Runner, until: float) -> None:
    while time.monotonic() < until:
        await runner.step()


async def run_calmly(runner: Runner, until: float) -> None:
    """Stream, fall silent after something that should be synced and writes nothing, and stream again."""
    await run(runner, time.monotonic() + (until - time.monotonic() - PAUSE) / 2)
    await runner.repeat()
    await asyncio.sleep(PAUSE)
    await run(runner, until)


def main() -> None:
    folder, part, act = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    plan = msgspec.json.decode((folder / "plan.json").read_bytes(), type=Plan)
    sabotage(plan.sabotage)
    asyncio.run(play(folder, part, act, plan))


if __name__ == "__main__":
    main()
