"""A child process belongs to whoever started it, or to nobody."""

import asyncio
import contextlib
import gc
from pathlib import Path

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
