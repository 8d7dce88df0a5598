"""The spare runner has the agent that the next session will most likely want."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.agents import catalog
from holdfast.agents.survey import Survey, Surveyed
from holdfast.core.events import DefaultsChosen
from holdfast.core.ids import HOUSE
from holdfast.server import spare as module
from holdfast.server.roster import Roster
from holdfast.server.spare import Spare
from holdfast.server.supervisor import Supervisor
from holdfast.settings import Settings
from holdfast.store.memory.store import MemoryStore

HERMES = Surveyed(name="hermes", title="Hermes", family="hermes", ready=True)
WAITING = [sys.executable, "-c", "import sys; sys.stdin.read()"]


class Started:
    """Stands for the processes of spares: each ends when its input does."""

    def __init__(self) -> None:
        self.agents: list[str] = []
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, agent: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(WAITING, stdin=subprocess.PIPE, text=True)
        self.agents.append(agent)
        self.processes.append(process)
        return process


@pytest.fixture
def started() -> Iterator[Started]:
    started = Started()
    yield started
    for process in started.processes:
        process.kill()
        process.wait()


def test_a_spare_with_another_agent_makes_room(started: Started) -> None:
    """One that was started before anybody knew which agent is wanted, too."""
    spare = Spare(started.start)
    for agent in ("", "hermes", "hermes", "hermes"):
        spare.keep(agent)
    assert started.agents == ["", "hermes"]
    assert started.processes[0].wait(60) == 0
    assert started.processes[1].poll() is None
    spare.dismiss()
    assert started.processes[1].poll() == 0


def test_a_spare_that_has_died_is_replaced_and_not_taken(started: Started) -> None:
    """Whoever wants one starts a runner of its own meanwhile."""
    spare = Spare(started.start)
    spare.keep("tour")
    started.processes[0].kill()
    started.processes[0].wait()
    assert spare.take("s\n") is None
    spare.keep("tour")
    assert spare.take("s\n") is started.processes[1]
    assert started.processes[1].wait(60) == 0
    assert spare.take("s\n") is None


def test_a_spare_that_does_not_hear_is_not_waited_for_for_ever(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server comes to its end all the same."""
    monkeypatch.setattr(module, "FAREWELL", 0.1)
    spare = Spare(started.start)
    for agent in ("tour", "hermes", "hermes"):
        spare.keep(agent)
    for process in started.processes:
        process.send_signal(signal.SIGSTOP)
    spare.dismiss()
    assert [process.poll() for process in started.processes] == [-signal.SIGKILL] * 2


async def test_the_spare_has_the_agent_that_a_person_chose(
    tmp_path: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It follows the choice; without one it has what suits the machine, as soon as that is known."""
    store, settings = MemoryStore(), Settings(home=tmp_path)
    roster = Roster(settings, lambda: [Survey(agents=(HERMES,))], catalog.find)
    supervisor = Supervisor(store, settings, roster.early)
    monkeypatch.setattr(supervisor, "_spare", Spare(started.start))
    await supervisor._look()
    looking = asyncio.create_task(roster.run())
    await roster.default()
    for _ in range(2):
        await supervisor._look()
    await store.append(HOUSE, [DefaultsChosen(agent="builtin")])
    for _ in range(2):
        await supervisor._look()
    looking.cancel()
    assert started.agents == ["", "hermes", "builtin"]
    supervisor._spare.dismiss()
    await store.close()
