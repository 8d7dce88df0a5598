"""An agent of the official SDK has our client read, write and run: inside the workspace, and with leave if asked."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from holdfast.agents.acp.asks import Permission
from holdfast.agents.acp.client import AcpAgent, Result
from holdfast.agents.spec import AgentSpec
from holdfast.agents.tree import tree
from holdfast.core.events import Diff, ToolChanged
from holdfast.core.policy import digest
from tests.agents.audience import TURN, Audience, opened
from tests.journeys.patience import wait_until

PROGRAM = Path(__file__).parent / "programs" / "sdk_worker.py"
WORKER = AgentSpec(name="worker", title="Worker", command=(sys.executable, str(PROGRAM)))

pytestmark = pytest.mark.slow


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return tmp_path


def shown(audience: Audience) -> str:
    """What the tool calls show."""
    changes = [fact for fact in audience.facts if isinstance(fact, ToolChanged)]
    return "".join(change.appended for change in changes)


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def name_of(asked: Permission) -> str:
    return digest(asked.command, asked.arguments, asked.directory, asked.diffs)


async def said(workspace: Path, *lines: str) -> list[str]:
    """What the agent says of each line."""
    audience = Audience()
    async with opened(audience, workspace, spec=WORKER) as agent:
        assert await agent.prompt(TURN, "\n".join(lines)) == Result("completed")
    assert not audience.permissions
    return audience.text.splitlines()


async def test_files_are_read_and_written(workspace: Path) -> None:
    heard = await said(workspace, "read a.txt", "lines a.txt", "write b/c.txt hello", "read b/c.txt", "read missing")
    assert heard[:4] == [r"read: 'one\ntwo\nthree\n'", r"lines: 'two\n'", "write: written", "read: 'hello'"]
    assert heard[4].startswith("read: refused")
    assert "There is no file" in heard[4]
    assert (workspace / "b" / "c.txt").read_text() == "hello"


async def test_nothing_outside_the_workspace_is_touched(workspace: Path) -> None:
    (workspace / "way-out").symlink_to("/etc")
    heard = await said(workspace, "read ../x", "write way-out/holdfast x", "read way-out/passwd")
    assert all("outside of the workspace" in line for line in heard)


async def test_a_terminal_runs_shows_and_tells_how_it_ended(workspace: Path) -> None:
    audience = Audience()
    async with opened(audience, workspace, spec=WORKER) as agent:
        await agent.prompt(TURN, "run echo hi; pwd; exit 4\nwait\noutput\nrelease\noutput")
    heard, printed = audience.text.splitlines(), f"hi\n{workspace}\n"
    assert heard[1:4] == ["wait: 4 None", f"output: {printed!r} False (4, None)", "release: released"]
    assert "There is no terminal" in heard[4]
    assert shown(audience) == printed


async def test_output_is_cut_and_the_environment_set(workspace: Path) -> None:
    heard = await said(workspace, "short printf 0123456789ü", "wait", "output", "environment red", "wait", "output")
    assert heard[2] == "output: '23456789ü' True (0, None)"
    assert heard[5] == r"output: 'red\n' False (0, None)"


async def test_a_killed_terminal_keeps_what_it_printed(workspace: Path) -> None:
    audience = Audience()
    async with opened(audience, workspace, spec=WORKER) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, "run echo begun; sleep 1000\nread a.txt"))
        await audience.until(lambda: "begun" in shown(audience))
        await prompting
        await agent.prompt(TURN, "kill\nwait\noutput\nrelease")
    assert audience.text.splitlines()[2:] == [
        "kill: killed",
        "wait: None SIGKILL",
        r"output: 'begun\n' False (None, 'SIGKILL')",
        "release: released",
    ]


@pytest.mark.parametrize("ending", ["cancel", "close", "killed"])
async def test_no_command_outlives_a_cancel_or_the_agent(workspace: Path, ending: str) -> None:
    audience = Audience()
    tag = f"{workspace.name}:1"

    def running() -> set[int]:
        return tree(tag, home=str(workspace / "home"))

    async with opened(audience, workspace, spec=WORKER, tag=tag) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, "run setsid sleep 1000 & echo begun; sleep 1000\nwait"))
        await audience.until(lambda: "begun" in shown(audience))
        # One that is just becoming another program shows no mark.
        await asyncio.to_thread(wait_until, lambda: len(running()) > 2, "the agent and both of its commands")
        match ending:
            case "cancel":
                agent.cancel()
                assert await prompting == Result("cancelled")
                assert await agent.prompt(TURN, "output") == Result("completed")
                assert "SIGKILL" in audience.text
                await asyncio.to_thread(wait_until, lambda: running() == {agent.pid}, "only the agent to be left")
            case "close":
                await agent.close()
            case _:
                os.kill(agent.pid, 9)
                assert (await prompting).outcome == "failed"
                await audience.until(lambda: audience.ends)
        if ending != "cancel":
            assert not running()
            await prompting
    assert not running()


async def test_nothing_is_changed_when_no_turn_runs(workspace: Path) -> None:
    """What a cancelled turn still asks for is not done."""
    audience = Audience()
    async with opened(audience, workspace, spec=WORKER) as agent:
        lines = "run sleep 1000\nwait\nwrite late.txt x\nrun touch later.txt\nread a.txt"
        prompting = asyncio.create_task(agent.prompt(TURN, lines))
        await audience.until(lambda: "run: " in audience.text)
        agent.cancel()
        assert await prompting == Result("cancelled")
    assert names(workspace) == ["a.txt"]


# In mode "ask".


async def asked(
    workspace: Path, lines: str, *, allow: bool = True, wrong: bool = False
) -> tuple[Audience, list[Permission]]:
    """What is asked and said when a person is asked first and always gives the same answer."""
    audience = Audience()
    async with opened(audience, workspace, spec=WORKER) as agent:
        agent.asks_first = True
        audience.on_permission = lambda request: answer(agent, request, allow=allow, wrong=wrong)
        assert await agent.prompt(TURN, lines) == Result("completed")
    return audience, audience.permissions


def answer(agent: AcpAgent, request: Permission, *, allow: bool, wrong: bool) -> None:
    name = "of something else" if wrong else name_of(request)
    agent.answer_permission(request.id, allow=allow, reason="" if allow else "not today", digest=name)


@pytest.mark.contract("A10")
async def test_a_person_sees_exactly_what_is_done(workspace: Path) -> None:
    audience, (write, run) = await asked(workspace, "write a.txt new\nenvironment red\nwait\nread a.txt")
    assert (write.command, write.directory) == (f"Write {workspace}/a.txt", str(workspace))
    assert write.diffs == (Diff(path=f"{workspace}/a.txt", old="one\ntwo\nthree\n", new="new"),)
    assert (run.command, run.directory) == ("COLOUR=red printenv COLOUR", str(workspace))
    assert audience.text.splitlines()[2:] == ["wait: 0 None", "read: 'new'"]


@pytest.mark.contract("A10")
@pytest.mark.parametrize("wrong", [False, True])
async def test_what_was_not_allowed_is_not_done(workspace: Path, *, wrong: bool) -> None:
    lines = "write a.txt new\nrun touch b.txt"
    audience, permissions = await asked(workspace, lines, allow=wrong, wrong=wrong)
    assert len(permissions) == 2
    assert audience.text.count("A person did not allow this") == 2
    assert ("not today" in audience.text) is not wrong
    assert names(workspace) == ["a.txt"]
    assert (workspace / "a.txt").read_text() == "one\ntwo\nthree\n"


@pytest.mark.contract("A10")
async def test_a_leave_that_the_agent_got_is_good_for_that_command_once(workspace: Path) -> None:
    lines = "leave echo hi\nrun echo hi\nwait\nrun echo hi\nwait\nrun echo other\nwait"
    audience, permissions = await asked(workspace, lines)
    assert [permission.command for permission in permissions] == ["echo hi", "echo hi", "echo other"]
    assert [permission.call for permission in permissions] == ["asked", None, None]
    assert audience.text.count("wait: 0 None") == 3


@pytest.mark.contract("A10")
async def test_a_file_that_changed_after_it_was_shown_is_not_written(workspace: Path) -> None:
    audience = Audience()
    async with opened(audience, workspace, spec=WORKER) as agent:
        agent.asks_first = True

        def change_and_allow(request: Permission) -> None:
            (workspace / "a.txt").write_text("changed meanwhile")
            answer(agent, request, allow=True, wrong=False)

        audience.on_permission = change_and_allow
        await agent.prompt(TURN, "write a.txt new")
    assert "is not what it was" in audience.text
    assert (workspace / "a.txt").read_text() == "changed meanwhile"


async def test_an_ask_of_ours_is_called_off_with_the_turn(workspace: Path) -> None:
    audience = Audience()
    async with opened(audience, workspace, spec=WORKER) as agent:
        agent.asks_first = True
        prompting = asyncio.create_task(agent.prompt(TURN, "run touch b.txt"))
        await audience.until(lambda: audience.permissions)
        agent.cancel()
        assert await prompting == Result("cancelled")
        (request,) = audience.permissions
        answer(agent, request, allow=True, wrong=False)
        assert await agent.prompt(TURN, "read a.txt") == Result("completed")
    assert not (workspace / "b.txt").exists()
