"""A runner as a process of its own: how it comes, waits, and goes, with no server at all."""
# ruff: noqa: N802  tests name the rule they show

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.agents.tree import tree
from holdfast.core.events import RunnerStopped, SessionChanged
from holdfast.core.items import End
from holdfast.ownership import probe
from tests.journeys.patience import wait_until
from tests.runner.stage import PARROT, S, Stage, staged

pytestmark = pytest.mark.slow  # most of these start a process of their own

PATIENCE = 30
TAKEN = 75


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as stage:
        yield stage


@contextmanager
def runner(stage: Stage, *arguments: str) -> Generator["subprocess.Popen[str]"]:
    """A runner, ended by its id if it does not end by itself."""
    home = stage.settings.home
    command = [sys.executable, "-W", "error", "-P", "-m", "holdfast.runner", *(arguments or (S,)), "--home", str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


async def wait(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Its exit code, and what it complained of."""
    code = await asyncio.to_thread(process.wait, PATIENCE)
    assert process.stderr is not None
    return code, process.stderr.read()


async def stopped(stage: Stage) -> list[str]:
    return [record.event.reason for record in await stage.records() if isinstance(record.event, RunnerStopped)]


async def test_a_runner_with_nothing_to_do_ends_by_itself(stage: Stage) -> None:
    """It leaves no process, no lock and no reserved space; nothing was interrupted."""
    (stage.settings.home / "config.toml").write_text("[runners]\nidle_minutes = 0.01\n")
    await stage.say("a", "!spawn\n!say done")
    with runner(stage) as process:
        assert await wait(process) == (0, "")
    await stage.until_ended("a")
    assert await stopped(stage) == ["idle"]
    assert probe(stage.settings.locks, S) is None
    assert tree(f"{S}:", home=str(stage.settings.home)) == set()
    assert list(stage.settings.spools.iterdir()) == []
    assert not (await stage.session()).alive


@pytest.mark.parametrize("script", ["!say begun\n!sleep 600000", "!spawn\n!say begun\n!hang"], ids=["polite", "deaf"])
async def test_a_runner_that_is_asked_to_end_interrupts_its_turn_and_leaves_nothing(stage: Stage, script: str) -> None:
    """The end is stored, the agent and its tools are gone, and it does not take its agent's time for its own."""
    await stage.say("a", script)
    await stage.say("b", "!say later")
    with runner(stage) as process:
        await stage.until_said("a", "begun")
        process.send_signal(signal.SIGTERM)
        assert await wait(process) == (0, "")
    await stage.until_ended("a", "interrupted")
    end = (await stage.items("a"))[-1]
    assert isinstance(end, End)
    assert (end.error, end.recovery) == ("Holdfast was asked to end this run.", "")
    assert await stopped(stage) == ["stopped"]
    assert tree(f"{S}:", home=str(stage.settings.home)) == set()
    session = await stage.session()
    assert (session.alive, session.running, list(session.queue)) == (False, None, ["b"])
    assert session.turns[session.queue[0]].held


async def test_a_second_runner_is_turned_away(stage: Stage) -> None:
    """It says so by its exit code, and the first goes on."""
    await stage.say("a", "!stream 200 10")
    with runner(stage) as first:
        await stage.until_said("a", "word5")
        with runner(stage) as second:
            assert await wait(second) == (TAKEN, "")
        await stage.until_ended("a")
        holder = probe(stage.settings.locks, S)
        assert holder is not None
        assert holder.pid == first.pid
    assert (await stage.kinds()).count("RunnerStarted") == 1


async def test_a_spare_waits_for_the_name_of_its_session(stage: Stage) -> None:
    """It holds nothing until then."""
    await stage.say("a", "!say done")
    with runner(stage, "--spare") as process:
        assert process.stdin is not None
        await asyncio.sleep(0.5)
        assert (await stage.kinds()).count("RunnerStarted") == 0
        process.stdin.write(f"{S}\n")
        process.stdin.close()
        process.stdin = None
        await stage.until_ended("a")
        holder = probe(stage.settings.locks, S)
        assert holder is not None
        assert holder.pid == process.pid


async def test_a_spare_goes_when_its_server_does(stage: Stage) -> None:
    """Its input ends without a name."""
    with runner(stage, "--spare") as process:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
        assert await wait(process) == (0, "")


async def test_a_runner_whose_session_was_claimed_by_another_writes_no_more(stage: Stage) -> None:
    """It notices with its next word, and ends without an error."""
    await stage.say("a", "!stream 1000 10")
    with runner(stage) as process:
        await stage.until_said("a", "word5")
        claimed = await stage.store.claim(S, lambda _: [])
        assert (await wait(process))[0] == 0
    late = [
        record for record in await stage.records() if record.seq > claimed.head and 0 < record.epoch < claimed.epoch
    ]
    assert late == []


@pytest.mark.contract("X10")
async def test_X10_a_signal_cancels_the_running_turn(stage: Stage) -> None:
    """Though nothing in the log asks for it: the way of a cancel that could not be stored."""
    await stage.say("a", "!say begun\n!sleep 600000")
    await stage.say("b", "!say next")
    with runner(stage) as process:
        await stage.until_said("a", "begun")
        process.send_signal(signal.SIGUSR1)
        await stage.until_ended("a", "cancelled")
        await stage.until_ended("b")
        process.send_signal(signal.SIGUSR1)  # nothing runs: harmless
        await asyncio.sleep(0.1)
        await stage.say("c", "!say still here")
        await stage.until_ended("c")


async def early(stage: Stage, process: "subprocess.Popen[str]") -> set[int]:
    """The agent that a spare has started, once it has."""
    deadline = time.monotonic() + PATIENCE
    while not (found := tree(f"spare:{process.pid}", home=str(stage.settings.home))):
        assert time.monotonic() < deadline, "the spare has started no agent"
        await asyncio.sleep(0.01)
    return found


def hand_over(process: "subprocess.Popen[str]", line: str) -> None:
    """Tell a spare its session; an empty line of it: that there will be none."""
    assert process.stdin is not None
    process.stdin.write(line)
    process.stdin.close()
    process.stdin = None


async def test_a_spare_gives_the_agent_that_it_has_started_to_its_session(stage: Stage) -> None:
    """What the agent starts belongs to the run, though the agent itself began before it."""
    await stage.say("a", "!spawn\n!say done")
    with runner(stage, "--spare", "--agent", "tour") as process:
        agents = await early(stage, process)
        hand_over(process, f"{S}\n")
        await stage.until_ended("a")
        opened = (await stage.session()).process
        assert opened is not None
        assert {opened.pid} == agents
        ours = await asyncio.to_thread(
            wait_until, lambda: tree(f"{S}:", home=str(stage.settings.home)), "the tool's mark"
        )
        assert len(ours) == 1, "the tool carries the mark of the run, and nothing else does"
        process.terminate()
        await wait(process)
    assert not tree(f"{S}:", home=str(stage.settings.home))
    assert not early_ones(stage, process)


async def test_a_spare_whose_agent_is_not_the_one_that_is_wanted_ends_it(stage: Stage) -> None:
    (stage.settings.home / "config.toml").write_text(
        f"[agents.parrot]\ncommand = {[sys.executable, str(PARROT), 'p']!r}\n"
    )
    await stage.append(SessionChanged(agent="parrot"))
    await stage.say("a", "hello")
    with runner(stage, "--spare", "--agent", "tour") as process:
        await early(stage, process)
        hand_over(process, f"{S}\n")
        await stage.until_ended("a")
        assert not early_ones(stage, process)


@pytest.mark.parametrize("agent", ["tour", "builtin", "nobody"])
async def test_an_early_agent_goes_with_its_spare(stage: Stage, agent: str) -> None:
    with runner(stage, "--spare", "--agent", agent) as process:
        if agent != "nobody":
            await early(stage, process)
        hand_over(process, "")
        assert await wait(process) == (0, "")
        assert not early_ones(stage, process)


def early_ones(stage: Stage, process: "subprocess.Popen[str]") -> set[int]:
    return tree(f"spare:{process.pid}", home=str(stage.settings.home))


@pytest.mark.parametrize("spare", [True, False])
async def test_a_runner_can_open_its_agent_before_there_is_a_turn(stage: Stage, *, spare: bool) -> None:
    with runner(stage, *(["--spare"] if spare else [S, "--open"])) as process:
        if spare:
            hand_over(process, f"{S} open\n")
        session = await stage.until(lambda session: session.process is not None, "an open agent")
        assert session.running is None
        assert session.process is not None
        await stage.say("a", "!say done")
        await stage.until_ended("a")
        assert (await stage.session()).process == session.process


async def test_a_runner_that_opens_its_agent_can_be_stopped(stage: Stage) -> None:
    """An agent that never becomes ready holds up nobody."""
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    (stage.settings.home / "config.toml").write_text(f"[agents.sleeper]\ncommand = {command!r}\n")
    await stage.append(SessionChanged(agent="sleeper"))
    with runner(stage, S, "--open") as process:
        await stage.until(lambda session: session.opening is not None, "an agent that is being opened")
        process.terminate()
        assert await wait(process) == (0, "")
    assert not tree(f"{S}:", home=str(stage.settings.home))
