"""Named points where a test may kill, delay or fail the program.

A point costs one look at an empty dict until somebody arms it. `ALL` lists every point with what is true there, so
that a crash test can visit each one; `point` refuses a name that is not listed.
"""

import errno
import os
import signal
import time
from typing import Literal, NamedTuple, cast, get_args

Act = Literal["kill", "stop", "delay", "raise", "enospc"]

ALL = {
    "store.locked": "the writer holds the store's lock and has not begun its transaction",
    "store.written": "the records are written and not committed",
    "store.committed": "the transaction is committed and nobody has been told",
    "store.settled": "settled items are written, in the same transaction as the records",
    "store.claimed": "a claim has raised the epoch and is not committed",
    "spool.written": "facts are in the spool because the store can't be written",
    "outbox.appending": "facts are about to be handed to the store",
    "outbox.appended": "facts are committed and the runner has not gone on",
    "ownership.locked": "the session's lock is taken and nothing is written",
    "salvage.claimed": "the session is claimed and spools have not been looked at",
    "salvage.adopted": "a dead owner's facts are in the log and its spool is still there",
    "runner.turn_started": "the turn's start is synced and the agent has not been asked",
    "runner.agent_opened": "the agent's process is recorded and has not been asked anything",
    "runner.delivered": "an answer's delivery is synced and the agent has not been told",
    "runner.steered": "a steer's delivery is synced and the agent has not been told",
    "runner.turn_ending": "the agent has ended the turn and its end is not stored",
    "runner.memory_started": "that a commit of memory begins is synced and the agent has not been told",
    "runner.memory_ending": "the agent has ended a commit of memory and its end is not stored",
    "server.appended": "a person's intent is stored and the person has not been told",
    "supervisor.spawning": "a turn waits and its runner has not been started",
    "supervisor.spawned": "a runner has been started and has not claimed yet",
    "blobs.written": "a blob's bytes are on the disk under a temporary name",
    "backup.copied": "the database is copied and the archive is not finished",
    "restore.unpacked": "a backup is unpacked beside the home and not yet in its place",
}


class InjectedFault(Exception):
    """A test asked for this failure."""


class Fault(NamedTuple):
    """What happens at a point: from visit number `visit` on, once."""

    act: Act
    visit: int = 1
    seconds: float = 0.0


_armed: dict[str, Fault] = {}
_visits: dict[str, int] = {}


def arm(spec: str) -> None:
    """Arm points from `name=act[:visit[:seconds]]`, separated by commas. An empty spec disarms all."""
    _armed.clear()
    _visits.clear()
    for part in filter(None, (part.strip() for part in spec.split(","))):
        name, _, rest = part.partition("=")
        act, *numbers = rest.split(":")
        if name not in ALL:
            raise ValueError(f"{name!r} is no fault point. Known: {', '.join(ALL)}.")
        if act not in get_args(Act):
            raise ValueError(f"{act!r} is nothing that a fault can do. Known: {', '.join(get_args(Act))}.")
        visit = int(numbers[0]) if numbers else 1
        seconds = float(numbers[1]) if len(numbers) > 1 else 0.0
        _armed[name] = Fault(cast("Act", act), visit, seconds)


def point(name: str) -> None:
    """Do nothing, unless a test armed this point."""
    if _armed:
        _visit(name)


def _visit(name: str) -> None:
    if name not in ALL:
        raise ValueError(f"{name!r} is not listed in faults.ALL.")
    fault = _armed.get(name)
    if fault is None:
        return
    _visits[name] = _visits.get(name, 0) + 1
    if _visits[name] == fault.visit:
        _happen(name, fault)


def _happen(name: str, fault: Fault) -> None:
    match fault.act:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "delay":
            time.sleep(fault.seconds)
        case "raise":
            raise InjectedFault(name)
        case "enospc":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
