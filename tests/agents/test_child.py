"""A child process belongs to whoever started it, or to nobody."""

import asyncio
import contextlib
import errno
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from holdfast.agents import child as module
from holdfast.agents.child import Child
from holdfast.agents.pipes import End
from holdfast.agents.tree import tree

STEPS = 12
"""More than a start needs."""


async def test_a_start_that_is_given_up_leaves_nothing_wherever_it_was(tmp_path: Path) -> None:
    finished = 0
    for steps in range(STEPS):
        tag = f"given-up:{steps}"
        starting = asyncio.create_task(
            Child.start(("sleep", "1000"), tag=tag, cwd=tmp_path, home=str(tmp_path)), name="starting"
        )
        for _ in range(steps):
            await asyncio.sleep(0)
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            child = await starting
            finished += 1
            await child.end()
        assert not tree(tag, home=str(tmp_path)), steps
    assert finished < STEPS
    gc.collect()  # an open file or a process that runs on would complain now


async def test_an_end_that_nobody_waited_for_is_over_when_the_next_one_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killing that went on unseen would hit the next agent of the same run."""
    begun, go_on, killings = threading.Event(), threading.Event(), list[str]()
    end_tree = module.end_tree

    def slow(tag: str, group: int, *, home: str, leader_born: int) -> set[int]:
        begun.set()
        go_on.wait(60)
        left = end_tree(tag, group, home=home, leader_born=leader_born)
        killings.append("over")
        return left

    monkeypatch.setattr(module, "end_tree", slow)
    child = await Child.start(("sleep", "1000"), tag="cut-off:1", cwd=tmp_path, home=str(tmp_path))
    first = asyncio.create_task(child.end())
    assert await asyncio.to_thread(begun.wait, 60)
    first.cancel()
    await asyncio.wait([first])
    second = asyncio.create_task(child.end())
    done, _ = await asyncio.wait([second], timeout=0.2)
    assert not done
    go_on.set()
    assert await second == set()
    assert killings == ["over", "over"]


KEEPER = """
import os, subprocess, sys
script = "import os, pathlib, time\\n" \
    "while not os.path.exists('read'): time.sleep(0.01)\\n" \
    "found = b''\\n" \
    "while data := os.read(0, 1 << 20): found += data\\n" \
    "pathlib.Path('draft').write_bytes(found); os.rename('draft', 'found')\\n"
keep = {"env": {}, "start_new_session": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
print(subprocess.Popen([sys.executable, "-c", script], stdin=0, **keep).pid, flush=True)
__import__("time").sleep(1000)
"""


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60  # a limit against hanging, not a measure of speed
    while not true() and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what lies in a pipe unread")
@pytest.mark.contract("G4")
async def test_g4_of_what_is_called_unread_nobody_finds_a_byte(tmp_path: Path) -> None:
    """Not even a process that got away with the other end of a pipe that was full: what the loop still held must not
    follow into the room that is made."""
    child = await Child.start((sys.executable, "-c", KEEPER), tag="kept:1", cwd=tmp_path, home=str(tmp_path))
    keeper = int(await child.read())
    child.write(b"x" * 65_000 + b"\n")  # all that a pipe holds, nearly
    child.write(b"y" * 3_000 + b"\n")
    before = child.told
    child.write(b"a message that permits something\n")
    await child.end()
    assert child.heard == 0 < before < child.told
    (tmp_path / "read").touch()
    await asyncio.to_thread(until, lambda: (tmp_path / "found").exists() or not Path(f"/proc/{keeper}").exists())
    assert (tmp_path / "found").read_bytes() == b""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists what is open")
@pytest.mark.parametrize("step", [1, 2, 3])
async def test_a_start_that_fails_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Neither a process nor an open file."""
    steps = 0

    def refused(file: IO[bytes] | None) -> End:
        nonlocal steps
        steps += 1
        if steps == step:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return End(file)

    await (await Child.start(("true",), tag="first:1", cwd=tmp_path, home=str(tmp_path))).end()
    open_before = pipes()
    monkeypatch.setattr(module, "End", refused)
    with pytest.raises(OSError, match="Too many open files"):
        await Child.start(("sleep", "1000"), tag=f"half:{step}", cwd=tmp_path, home=str(tmp_path))
    assert not tree(f"half:{step}", home=str(tmp_path))
    await asyncio.sleep(0.05)  # the loop closes what it was given in its next rounds
    assert pipes() <= open_before
    gc.collect()


def pipes() -> set[str]:
    """The pipes that this process has open."""
    found: set[str] = set()
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.add(str(each.readlink()))
    return {name for name in found if name.startswith("pipe:")}
