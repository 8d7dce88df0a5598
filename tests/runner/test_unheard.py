"""A message that no process has read is given to another agent, once; one that may have been read never is."""
# ruff: noqa: N802  tests name the rule they show

import array
import asyncio
import contextlib
import fcntl
import os
import signal
import sys
import termios
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from holdfast.core.events import SessionChanged, TextAppended, TurnCancelRequested
from holdfast.core.ids import TurnId
from tests.runner.stage import PATIENCE, Stage, staged

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what lies in a pipe unread")


@contextlib.asynccontextmanager
async def told_while_it_stands_still(stage: Stage, words: str) -> AsyncGenerator[int]:
    """Its agent stands still between two turns and is told `words`, which lie in the pipe that is given; it is killed
    at the end."""
    await stage.say("a", "hello")
    await stage.until_ended("a")
    process = (await stage.session()).process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    await asyncio.to_thread(os.waitid, os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    pipe = os.open(f"/proc/{process.pid}/fd/0", os.O_RDONLY | os.O_NONBLOCK)
    try:
        await stage.say("b", words)
        await until_told(pipe)
        yield pipe
    finally:
        os.close(pipe)
        os.kill(process.pid, signal.SIGKILL)


async def until_told(pipe: int, more_than: int = 0) -> None:
    lies = array.array("i", [0])
    async with asyncio.timeout(PATIENCE):
        while lies[0] <= more_than:
            fcntl.ioctl(pipe, termios.FIONREAD, lies)
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("words", ["again", "again " * 50_000], ids=["short", "longer than a pipe holds"])
@pytest.mark.contract("G4")
async def test_G4_a_message_that_no_process_has_read_is_given_to_another_agent(tmp_path: Path, words: str) -> None:
    """Its agent is killed before it comes to read; the turn is one turn, and no failure."""
    async with staged(tmp_path, "polly") as stage, stage.running():
        async with told_while_it_stands_still(stage, words):
            pass
        await stage.until_ended("b")
        facts = [record.event for record in await stage.records()]
        said = "".join(fact.text for fact in facts if isinstance(fact, TextAppended) and fact.turn == "b")
        assert said.endswith(words)
        assert "> hello" in said, "who comes new is told what was said before"
        kinds = await stage.kinds()
        assert [kinds.count(kind) for kind in ("AgentOpened", "TurnStarted", "TurnEnded")] == [2, 2, 2]


@pytest.mark.contract("G4")
async def test_G4_a_message_of_which_a_byte_was_read_is_not_given_again(tmp_path: Path) -> None:
    """Whoever read it may have acted on it."""
    async with staged(tmp_path, "polly") as stage, stage.running():
        async with told_while_it_stands_still(stage, "again") as pipe:
            assert len(os.read(pipe, 1)) == 1
        await stage.until_ended("b", "failed")
        assert (await stage.kinds()).count("AgentOpened") == 1


@pytest.mark.contract("G4")
async def test_G4_a_message_that_an_agent_has_read_is_not_given_again(tmp_path: Path) -> None:
    """Though it died without a word."""
    async with staged(tmp_path, "mute") as stage, stage.running():
        await stage.say("a", "work")
        await stage.until_ended("a", "failed")
        assert (await stage.kinds()).count("AgentOpened") == 1


async def test_a_message_that_nobody_reads_is_given_to_another_agent_once(tmp_path: Path) -> None:
    """Then it fails, as it would have."""
    async with staged(tmp_path, "deaf") as stage, stage.running():
        await stage.say("a", "work")
        await stage.until_ended("a", "failed")
        assert (await stage.kinds()).count("AgentOpened") == 2


async def test_who_is_given_an_unread_message_is_told_what_the_one_before_would_have_been(tmp_path: Path) -> None:
    """It takes up the conversation of an agent that had come new to the session, and had not read that either."""
    async with staged(tmp_path, "polly") as stage, stage.running():
        await stage.say("a", "My name is Ann.")
        await stage.until_ended("a")
        await stage.append(SessionChanged(agent="late"))
        await stage.say("b", "Who am I?")
        await stage.until_ended("b")
        told = await stage.text("b")
        assert "> My name is Ann." in told
        assert told.endswith("Who am I?")


async def test_a_stopped_turn_is_given_to_nobody(tmp_path: Path) -> None:
    """Also if no process had read it."""
    async with staged(tmp_path, "polly") as stage, stage.running():
        async with told_while_it_stands_still(stage, "again") as pipe:
            lies = array.array("i", [0])
            fcntl.ioctl(pipe, termios.FIONREAD, lies)
            await stage.append(TurnCancelRequested(turn=TurnId("b")))
            await until_told(pipe, more_than=lies[0])
        await stage.until_ended("b", "cancelled")
        assert (await stage.kinds()).count("AgentOpened") == 1
