"""`python -m holdfast.runner SESSION`: own a session until there is nothing left to do in it.

Everything is imported before the session is claimed: an upgrade may replace the files under a runner. With `--spare`
the name of the session comes later, as a line on standard input, from the server that keeps this process warm; if the
server goes first, so does the spare. Until then it has the store open and, if one is named by `--agent`, an agent
started. With `--open` the agent is opened at once: somebody is about to ask for something.
"""

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

import uvloop

from holdfast import faults, logs
from holdfast.agents import catalog
from holdfast.agents.catalog import added_in
from holdfast.core.errors import Fenced, HoldfastError
from holdfast.core.ids import SessionId, session_id
from holdfast.core.records import Position
from holdfast.door import door
from holdfast.ownership import Lock
from holdfast.runner.early import Early
from holdfast.runner.host import Host
from holdfast.runner.outbox import Outbox
from holdfast.runner.runner import Runner
from holdfast.salvage import take_over
from holdfast.settings import Settings, read_settings
from holdfast.store.spool import Spool, spool_path
from holdfast.store.sqlite.connection import RUNNER_AUTOCHECKPOINT
from holdfast.store.sqlite.store import Options, SqliteStore

log = logging.getLogger("holdfast.runner")

TAKEN = 75
"""Exit code: another process owns the session. Nothing is wrong."""
STOP_SECONDS = 5.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="holdfast-runner")
    parser.add_argument("session", nargs="?")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--spare", action="store_true")
    parser.add_argument("--agent", default="")
    parser.add_argument("--open", action="store_true")
    arguments = parser.parse_args()
    settings = read_settings(os.environ, home=arguments.home)
    faults.arm(settings.faults)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if arguments.spare:
            return runner.run(wait(settings, arguments.agent))
        return runner.run(own(settings, session_id(arguments.session), ready=arguments.open))


async def wait(settings: Settings, agent: str) -> int:
    """Be a spare: have an agent started, if one is named, and wait for a session."""
    find_agent = partial(catalog.find, added=added_in(settings))
    early = Early.of(agent, settings, find_agent) if agent else None
    store = await _open_early(settings)
    name, *words = (await asyncio.to_thread(sys.stdin.readline)).split() or [""]
    if name:
        return await own(settings, session_id(name), early, store, ready="open" in words)
    if early is not None:
        await early.dismiss()
    if store is not None:
        await store.close()
    return 0


async def _open_early(settings: Settings) -> SqliteStore | None:
    """The store, if it can be opened now. If not, whoever has a session says why."""
    try:
        return await SqliteStore.open_folder(settings.store, Options(autocheckpoint=RUNNER_AUTOCHECKPOINT))
    except HoldfastError:
        return None


async def own(
    settings: Settings,
    session: SessionId,
    early: Early | None = None,
    store: SqliteStore | None = None,
    *,
    ready: bool = False,
) -> int:
    """Take the session, run it, and let it go. `ready` says to open the agent before there is a turn."""
    with contextlib.closing(logs.start(settings.logs / "runners", settings.file.log.level, name=f"{session}.log")):
        try:
            return await _own(settings, session, early, store, ready=ready)
        except HoldfastError as exc:
            log.exception("runner.failed", extra={"session": session})
            print(f"holdfast runner: {exc}", file=sys.stderr)
            return 1
        finally:
            if early is not None:
                await early.dismiss()
            if store is not None:
                await store.close()


async def _own(
    settings: Settings, session: SessionId, early: Early | None, store: SqliteStore | None, *, ready: bool
) -> int:
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)  # whoever sees the lock may signal its holder, who may not be ready
    lock = Lock.take(settings.locks, session)
    if lock is None:
        return TAKEN
    faults.point("ownership.locked")
    if store is None:
        store = await SqliteStore.open_folder(settings.store, Options(autocheckpoint=RUNNER_AUTOCHECKPOINT))
    store.hear_of(session, settings.bells)
    try:
        await _run(settings, store, lock, early, ready=ready)
    finally:
        await store.close()
        lock.release()
    return 0


async def _run(settings: Settings, store: SqliteStore, lock: Lock, early: Early | None, *, ready: bool) -> None:
    owned = await take_over(store, lock, settings, time.time_ns() // 1_000_000)
    spool = Spool.reserve(spool_path(settings.spools, lock.session, owned.epoch))
    position = Position(epoch=owned.epoch, n=owned.n)
    outbox = Outbox(store, lock.session, position, spool, tell=lock.tell)
    find_agent = partial(catalog.find, added=added_in(settings))
    host = Host(lock.session, owned.epoch, store, outbox, settings, find_agent, early)
    runner = Runner(
        store=store,
        lock=lock,
        owned=owned,
        outbox=outbox,
        host=host,
        settings=settings,
        ready=ready,
    )
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, runner.stop)
    loop.add_signal_handler(signal.SIGINT, runner.stop)
    loop.add_signal_handler(signal.SIGUSR1, runner.cancel)
    loop.add_signal_handler(signal.SIGUSR2, runner.retire)
    log.info("runner.claimed", extra={"session": lock.session, "epoch": owned.epoch, "pid": os.getpid()})
    try:
        async with door(settings.doors, lock.session, host.take_secret):
            await runner.run()
    except* Fenced as fenced:
        log.warning("runner.fenced", extra={"session": lock.session, "error": str(fenced.exceptions[0])})
    if spool.empty:
        spool.remove()
    else:
        spool.seal()


if __name__ == "__main__":
    sys.exit(main())
