"""A child process belongs to whoever started it, or to nobody."""

import asyncio
import contextlib
import gc
import threading
from pathlib import Path

import pytest

from holdfast.agents import child as module
from holdfast.agents.child import Child
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
