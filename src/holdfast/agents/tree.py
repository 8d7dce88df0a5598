"""A run's process tree: finding it and ending it.

Every process of a run carries `HOLDFAST_RUN=<session>:<epoch>.<agent>` in its environment, which children inherit and
a new session or group does not shake off. On Linux the tree is whoever of our user carries that mark, whatever became
of its parents, and the group that the agent led. Elsewhere only the group can be found; a tool that made its own
session outlives its run there.

Law: nothing is killed for its number alone. A process is held by a descriptor before its mark is read, so that a
number given to somebody else in between is not hit; a group is killed only while a marked process, or the very leader
that we started (same number, same start time), is in it.
"""

import os
import signal
import time
from pathlib import Path

MARK = "HOLDFAST_RUN"
HOME = "HOLDFAST_RUN_HOME"
"""Which Holdfast home the run belongs to: two homes may have a session of the same name."""

TERMINAL = "HOLDFAST_TERMINAL"
"""Which command of the run it belongs to, for those that we run on behalf of an agent."""

PATIENCE = 5.0
PROC = Path("/proc")


def born(pid: int) -> int:
    """When the process started, in ticks since boot; with its pid, a name that is never given twice. 0 if unknown."""
    fields = _stat(pid)
    return int(fields[19]) if fields else 0


def tree(tag: str, *, home: str = "", group: int = 0, leader_born: int = 0, mark: str = MARK) -> set[int]:
    """The living processes of the run `tag`, never our own. A tag that ends in a colon means every epoch.

    With another `mark`, those in whose environment that variable is `tag`.
    """
    ours = {pid for pid in _pids() if _marked(pid, tag, home, mark) and _alive(pid)}
    if group > 1 and (_led_by(group, leader_born) or any(_group(pid) == group for pid in ours)):
        ours |= {pid for pid in _pids() if _group(pid) == group and _alive(pid)}
    return ours - {os.getpid()}


def end_tree(
    tag: str,
    group: int | None = None,
    *,
    home: str = "",
    leader_born: int = 0,
    mark: str = MARK,
    patience: float = PATIENCE,
) -> set[int]:
    """Kill every process of `tree`, again and again until none is left; return those that would not die.

    Blocks for a few milliseconds as a rule, and for `patience` seconds if something can't be killed now.
    """
    if not _has_proc():
        return _end_group(group or 0)
    deadline, pause, looks = time.monotonic() + patience, 0.002, 0
    struck: dict[int, int] = {}  # with their birth: one that is dying may be known by nothing but that we hit it
    while looks < 2:  # a process that is just becoming another program shows no mark: look twice
        left = tree(tag, home=home, group=group or 0, leader_born=leader_born, mark=mark)
        left |= {pid for pid, at in struck.items() if born(pid) == at and _alive(pid)}
        struck |= {pid: born(pid) for pid in left}
        for deadly in (signal.SIGSTOP, signal.SIGKILL):  # all stand still before one dies: a shell whose command
            for pid in left:  # was killed first would go on with the next one
                _strike(pid, deadly, tag, home, group or 0, mark)
        if left and time.monotonic() > deadline:
            return left
        looks = 0 if left else looks + 1
        if looks < 2:
            time.sleep(pause)
            pause = min(0.05, pause * 2)
    return set()


def _strike(pid: int, how: signal.Signals, tag: str, home: str, group: int, mark: str) -> None:
    try:
        held = os.pidfd_open(pid)
    except OSError:
        return  # it is gone, or about to be
    try:
        if _marked(pid, tag, home, mark) or (group > 1 and _group(pid) == group):
            signal.pidfd_send_signal(held, how)
    except ProcessLookupError:
        pass  # it ended by itself
    finally:
        os.close(held)


def _end_group(group: int) -> set[int]:
    if group > 1 and group != os.getpgrp():
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return set()  # macOS says "not permitted" of a group of zombies
    return set()


def _has_proc() -> bool:
    return (PROC / "self" / "environ").exists()


def _pids() -> list[int]:
    """Every process of our user."""
    uid, found = os.getuid(), list[int]()
    with os.scandir(PROC) as entries:
        for entry in entries:
            if entry.name.isdecimal():
                try:
                    if entry.stat().st_uid == uid:
                        found.append(int(entry.name))
                except OSError:
                    continue  # it ended while we looked
    return found


def _marked(pid: int, tag: str, home: str, name: str) -> bool:
    try:
        environ = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    variables = b"\0" + environ
    mark = f"\0{name}={tag}".encode()
    if not tag.endswith(":"):
        mark += b"\0"
    return mark in variables and (not home or f"\0{HOME}={home}\0".encode() in variables)


def _led_by(group: int, leader_born: int) -> bool:
    return leader_born > 0 and born(group) == leader_born


def _group(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[2]) if fields else 0


def _alive(pid: int) -> bool:
    """Whether it can still do anything: a zombie can't."""
    fields = _stat(pid)
    return bool(fields) and fields[0] not in (b"Z", b"X", b"x")


def _stat(pid: int) -> list[bytes]:
    """The fields of /proc/<pid>/stat from the third on: the second, a name in parentheses, may hold anything."""
    try:
        return (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
