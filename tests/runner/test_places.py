"""A runner whose place is wanted goes when its work is done, and not before."""

import asyncio
import signal
from pathlib import Path

from tests.runner.stage import staged
from tests.runner.test_process import runner, stopped, wait


async def test_a_runner_that_is_asked_to_make_room_does_so_when_its_work_is_done(tmp_path: Path) -> None:
    """The turn that runs and the one that waits are finished first."""
    async with staged(tmp_path) as stage:
        await stage.say("a", "!say begun\n!sleep 300\n!say done")
        await stage.say("b", "!say more")
        with runner(stage) as process:
            await stage.until_said("a", "begun")
            process.send_signal(signal.SIGUSR2)
            assert await wait(process) == (0, "")
        assert (await stage.text("a"), await stage.text("b")) == ("begundone", "more")
        assert await stopped(stage) == ["idle"]


async def test_a_runner_that_is_not_ready_yet_survives_a_signal(tmp_path: Path) -> None:
    """Whoever sees its lock may send one before the runner has begun to listen."""
    async with staged(tmp_path) as stage:
        await stage.say("a", "!say done")
        with runner(stage) as process:
            async with asyncio.timeout(30):
                while not (tmp_path / "run" / "s.lock").exists():  # noqa: ASYNC110  another process makes it
                    await asyncio.sleep(0.001)
            for number in (signal.SIGUSR1, signal.SIGUSR2):
                process.send_signal(number)
            await stage.until_ended("a")
