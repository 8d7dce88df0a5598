"""`holdfast stop`: end the runs and the server; with `--server`, the server alone."""

import asyncio
import contextlib
import os
import signal
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for
from holdfast.core.counted import counted
from holdfast.core.errors import StoreError
from holdfast.core.ids import SessionId
from holdfast.ownership import Holder, living
from holdfast.settings import Settings

SERVER_SECONDS = 20.0
RUNNER_SECONDS = 45.0
"""A runner gives itself 30 s to commit memory; ending what is left of an agent comes on top."""
LOOK_SECONDS = 0.05


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--server", action="store_true", help="end the server alone; its runs go on")
    add_home(parser)


def run(arguments: Namespace) -> int:
    settings = settings_for(arguments)
    # The server first: it would start a new runner for every turn that waits.
    ended = stop_server(settings.home)
    if arguments.server or not ended:
        return 0 if ended else 1
    stopped = stop_runners(settings.locks)
    tell_what_is_left(settings)
    return 0 if stopped else 1


def stop_server(home: Path) -> bool:
    """Ask the server to end and wait for it. True if none is left."""
    from holdfast.server.presence import holder

    pid = holder(home)
    if pid is None:
        print("No server runs.")
        return True
    ask_to_end(pid)
    if wait_until(lambda: holder(home) is None, SERVER_SECONDS):
        print("Server stopped.")
        return True
    print(f"The server (process {pid}) has not ended within {SERVER_SECONDS:.0f} s. End it with: kill -9 {pid}")
    return False


def stop_runners(locks: Path) -> bool:
    """Ask every runner to end its run and itself, and wait for them. True if none is left."""
    found = living(locks)
    if not found:
        print("Nothing runs.")
        return True
    runners = counted(len(found), "runner")
    print(f"Ending {runners}. What they did is kept; this may take up to {RUNNER_SECONDS:.0f} s.", flush=True)
    asked: set[int] = set()
    wait_until(lambda: not ask_all(locks, asked), RUNNER_SECONDS)
    left = living(locks)
    if not left:
        print(f"Ended {counted(len(asked), 'runner')}.")
        return True
    for holder in left:
        print(f"The runner of session {holder.session} (process {holder.pid}) has not ended.")
    print(f"End what is left with: kill -9 {' '.join(str(holder.pid) for holder in left)}")
    return False


def ask_all(locks: Path, asked: set[int]) -> list[Holder]:
    """Ask whoever holds a session now, once; return them. One that waited for its session has it when another ends."""
    found = living(locks)
    # Whoever has not written its name yet is still starting, and is asked then.
    for pid in {holder.pid for holder in found if holder.pid > 0} - asked:
        ask_to_end(pid)
        asked.add(pid)
    return found


def tell_what_is_left(settings: Settings) -> None:
    """Name the sessions whose completed turns are not all committed to memory."""
    try:
        left = asyncio.run(uncommitted(settings))
    except StoreError as exc:
        print(f"What is left to commit to memory is not known: {exc}")
        return
    for session, turns in left:
        are = "is" if turns == 1 else "are"
        print(
            f"Session {session}: {counted(turns, 'turn')} {are} not committed to memory. "
            "That is done after the next start."
        )


async def uncommitted(settings: Settings) -> list[tuple[SessionId, int]]:
    """The sessions, and how many turns."""
    from holdfast.store.changed import Changed
    from holdfast.store.sqlite.store import SqliteStore

    if not settings.store.exists():
        return []
    store = await SqliteStore.open_folder(settings.store)
    try:
        left = [(row.id, row.overview.uncommitted) async for row in Changed(store).rows()]
        return [(session, turns) for session, turns in left if turns]
    finally:
        await store.close()


def ask_to_end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


def wait_until(true: Callable[[], bool], seconds: float) -> bool:
    """Whether it became true in time."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_SECONDS)
    return True


COMMAND = Command(name="stop", summary="end the runs and the server", add_options=add_options, run=run)
