"""A program that a tool starts ends with its tool, whenever that is stopped."""

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.agents.builtin.deed import Bench
from holdfast.agents.builtin.link import Link, Voice
from holdfast.agents.builtin.tools import process
from holdfast.agents.spawning import spawn
from holdfast.workspace.files import Workspace
from tests.agents.builtin.inside import Said


async def say(_text: str) -> None:
    """Nobody listens."""


@pytest.mark.parametrize("steps", range(6))
async def test_a_program_whose_tool_is_stopped_in_its_first_steps_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Also before anybody has begun to hear what it prints."""
    started: list[subprocess.Popen[Any]] = []

    def start(*arguments: Any, **options: Any) -> "subprocess.Popen[Any]":
        started.append(spawn(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(process, "spawn", start)
    voice = Voice(Link(Said(asyncio.Queue())), "s")
    bench = Bench(workspace=Workspace(tmp_path), environ=dict(os.environ), voice=voice, call=f"c{steps}")
    running = asyncio.create_task(process.run(["sleep", "600"], 60, bench, say))
    for _ in range(steps):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    assert all(program.poll() is not None for program in started), "it goes on"
    assert len(started) == min(steps, 1)
