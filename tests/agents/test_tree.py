"""Ending a run's processes: all of them, and no other."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.agents.tree import HOME, MARK, born, end_tree, tree
from tests.agents.audience import TURN, Audience, opened
from tests.journeys.patience import wait_until

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="only Linux can find a tree by its mark"
)


@contextmanager
def sleeper(**environment: str) -> Generator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(["sleep", "600"], env={**os.environ, **environment}, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def alive(process: "subprocess.Popen[bytes]") -> bool:
    return process.poll() is None


class YoungestFirst(set[int]):
    """What is found in the worst order: every command before the shell that waits for it."""

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(super().__iter__(), reverse=True))


def test_no_shell_goes_on_because_its_command_was_killed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing begins while a run is being ended: `make; rm -r build` must not come to its second half by a cancel."""
    tag = f"{tmp_path.name}:1"
    command = f"sleep 600; touch {tmp_path}/went-on"
    shells = [
        subprocess.Popen(["sh", "-c", command], env={**os.environ, MARK: tag}, start_new_session=True)
        for _ in range(20)
    ]
    wait_until(lambda: len(tree(tag)) == 2 * len(shells), "every command to run")
    monkeypatch.setattr("holdfast.agents.tree.tree", lambda *args, **kwargs: YoungestFirst(tree(*args, **kwargs)))
    assert end_tree(tag) == set()
    assert [shell.wait() for shell in shells] == [-signal.SIGKILL] * len(shells)
    assert not (tmp_path / "went-on").exists()


def test_only_the_named_run_is_ended(tmp_path: Path) -> None:
    name = tmp_path.name
    with (
        sleeper(**{MARK: f"{name}:1"}) as mine,
        sleeper(**{MARK: f"{name}:2"}) as next_epoch,
        sleeper(**{MARK: f"{name}:11"}) as eleventh,
        sleeper(**{MARK: f"x{name}:1"}) as other,
        sleeper(**{f"X{MARK}": f"{name}:1"}) as misnamed,
        sleeper() as plain,
    ):
        assert end_tree(f"{name}:1") == set()
        assert [alive(each) for each in (mine, next_epoch, eleventh, other, misnamed, plain)] == [False, *[True] * 5]


def test_a_tag_that_ends_in_a_colon_means_every_epoch(tmp_path: Path) -> None:
    name = tmp_path.name
    with (
        sleeper(**{MARK: f"{name}:1"}) as first,
        sleeper(**{MARK: f"{name}:2"}) as second,
        sleeper(**{MARK: f"{name}2:1"}) as other,
    ):
        assert end_tree(f"{name}:") == set()
        assert [alive(each) for each in (first, second, other)] == [False, False, True]


def test_a_session_of_the_same_name_in_another_home_is_left_alone(tmp_path: Path) -> None:
    tag = f"{tmp_path.name}:1"
    with sleeper(**{MARK: tag, HOME: "/a"}) as mine, sleeper(**{MARK: tag, HOME: "/ab"}) as other:
        assert end_tree(tag, home="/a") == set()
        assert [alive(mine), alive(other)] == [False, True]


def test_a_group_is_killed_only_for_its_leader_or_a_marked_member(tmp_path: Path) -> None:
    tag = f"{tmp_path.name}:1"
    with sleeper() as unmarked:
        assert end_tree(tag, unmarked.pid) == set()
        assert end_tree(tag, unmarked.pid, leader_born=born(unmarked.pid) + 1) == set()
        assert alive(unmarked)
        assert end_tree(tag, unmarked.pid, leader_born=born(unmarked.pid)) == set()
        assert not alive(unmarked)


def test_a_member_of_the_group_that_lost_the_mark_is_ended_with_it(tmp_path: Path) -> None:
    tag = f"{tmp_path.name}:1"
    script = "env -i sleep 600 & exec sleep 600"
    with subprocess.Popen(["sh", "-c", script], env={**os.environ, MARK: tag}, start_new_session=True) as shell:
        found = set[int]()
        while len(found) < 2:
            found = tree(tag, group=shell.pid)
        assert end_tree(tag, shell.pid) == set()
        assert tree(tag, group=shell.pid, leader_born=born(shell.pid)) == set()


def test_a_tree_that_grows_while_it_is_ended_is_ended(tmp_path: Path) -> None:
    tag = f"{tmp_path.name}:1"
    grow = """
import os, time
for _ in range(40):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    time.sleep(0.01)
"""
    with subprocess.Popen(
        [sys.executable, "-c", grow], env={**os.environ, MARK: tag}, start_new_session=True
    ) as process:
        while len(tree(tag)) < 3:
            assert process.poll() is None
        assert end_tree(tag, process.pid) == set()
        assert tree(tag) == set()


def test_our_own_process_is_never_ended(tmp_path: Path) -> None:
    tag = f"{tmp_path.name}:1"
    program = f"from holdfast.agents.tree import end_tree; end_tree({tag!r}); print('alive')"
    run = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, MARK: tag}, capture_output=True, text=True, check=True
    )
    assert run.stdout == "alive\n"


def test_a_zombie_does_not_hold_up_the_end(tmp_path: Path) -> None:
    tag = f"{tmp_path.name}:1"
    with sleeper(**{MARK: tag}) as process:
        os.kill(process.pid, 9)
        assert end_tree(tag, process.pid, leader_born=born(process.pid)) == set()


def test_born_tells_processes_apart() -> None:
    assert born(os.getpid()) > 0
    with sleeper() as process:
        assert born(process.pid) >= born(os.getpid())
        pid = process.pid
    assert born(pid) == 0


@pytest.mark.contract("X10")
async def test_x10_a_tool_in_its_own_session_is_ended_with_its_agent(tmp_path: Path) -> None:
    audience = Audience()
    with sleeper() as bystander:
        async with opened(audience, tmp_path) as agent:
            await agent.prompt(TURN, "!spawn")
            tool = int(audience.text.removeprefix("spawned:"))
            assert os.getsid(tool) == tool
            wait_until(lambda: tool in tree(f"{tmp_path.name}:1"), "the tool to show its mark")
        assert tree(f"{tmp_path.name}:1") == set()
        assert alive(bystander)


def test_the_agent_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    program = f"""
import asyncio, os, sys
from pathlib import Path
from holdfast.agents.child import Child
async def main():
    child = await Child.start(["sleep", "600"], tag="{tmp_path.name}:1", cwd=Path("/"))
    print(child.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        wait_until(lambda: tree(f"{tmp_path.name}:1") == {pid}, "the child to show its mark")
        parent.kill()
    while tree(f"{tmp_path.name}:1"):  # the kernel tells it; a test that hangs here has found it alive
        pass


def test_where_there_is_no_proc_the_group_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.agents.tree.PROC", tmp_path / "none")
    with sleeper() as leader, sleeper() as other:
        assert born(leader.pid) == 0
        assert end_tree("any:1", leader.pid) == set()
        assert leader.wait(60) == -9
        assert alive(other)
    assert end_tree("any:1", leader.pid) == set()
