"""Which agents there are, while the looks go on: at once what is known, and nothing for longer than it is true."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from holdfast.agents import catalog
from holdfast.agents.acp.client import AcpAgent
from holdfast.agents.acp.listener import AgentUnusable
from holdfast.agents.hermes.find import Found, spec
from holdfast.agents.spec import AgentSpec
from holdfast.agents.survey import Hint, Survey, Surveyed
from holdfast.server.roster import Roster
from holdfast.settings import Settings
from tests.agents.hermes.installed import LACKING, MODULES, install_hermes
from tests.journeys.patience import wait_until

OTHER = Surveyed(name="opencode", title="OpenCode", installed=True, ready=True)
HERMES = Surveyed(name="hermes", title="Hermes", family="hermes", installed=True, ready=True)
WORK = Surveyed(name="hermes-work", title="Hermes (work)", family="hermes", installed=True, ready=True)
TOUR = Surveyed(name="tour", title="Tour", family="tour", installed=True, ready=True)


@asynccontextmanager
async def looking(roster: Roster) -> AsyncGenerator[None]:
    task = asyncio.create_task(roster.run())
    yield
    task.cancel()
    await asyncio.wait([task])


async def looked(roster: Roster) -> Survey:
    """What is known when no look goes on."""
    await asyncio.to_thread(wait_until, lambda: not roster.looking, "the end of the look", 60)
    return roster.survey


async def test_nobody_waits_for_what_is_asked_of_programs(tmp_path: Path) -> None:
    """A program that hangs when it is asked for its version holds up neither the list nor the agent of a session."""
    hangs = threading.Event()

    def look() -> Iterator[Survey]:
        yield Survey(agents=(HERMES, TOUR), default="hermes")
        hangs.wait()
        yield Survey(agents=(HERMES, TOUR, OTHER), default="hermes")

    roster = Roster(Settings(home=tmp_path), look, catalog.find)
    async with looking(roster):
        assert await roster.default() == "hermes"
        assert roster.looking
        assert [agent.name for agent in roster.survey.agents] == ["hermes", "tour"]
        hangs.set()
        assert OTHER in (await looked(roster)).agents


async def test_what_a_check_found_counts_until_a_later_look_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person may have mended it meanwhile. What the agent said of itself is still known."""

    async def refuse(*_: object, **__: object) -> AcpAgent:
        raise AgentUnusable("OpenCode", "nobody has signed in.")

    monkeypatch.setattr(AcpAgent, "open", refuse)
    roster = Roster(Settings(home=tmp_path), lambda: [Survey(agents=(OTHER, TOUR))], catalog.find)
    async with looking(roster):
        await looked(roster)
        await roster.check("opencode")
        refused = next(agent for agent in roster.survey.agents if agent.name == "opencode")
        assert (refused.ready, refused.reason) == (False, "OpenCode can't be used: nobody has signed in.")
        roster.look_again()
        assert OTHER in (await looked(roster)).agents


async def test_a_hermes_that_can_not_be_imported_is_not_ready(tmp_path: Path) -> None:
    """With all its profiles; nobody is offered it, and no session gets it by itself. Mended, it is back."""
    python = install_hermes(tmp_path / "venv", run_agent=LACKING)
    offered = Hint(what="agent", name="hermes", title="Hermes")
    found = Survey(agents=(HERMES, WORK, TOUR), hints=(offered,), default="hermes")

    def find(_name: str) -> AgentSpec:
        return spec(Found(python=str(python), version="0.19.0", home=tmp_path))

    roster = Roster(Settings(home=tmp_path), lambda: [found], find)
    async with looking(roster):
        survey = await looked(roster)
        assert [agent.ready for agent in survey.agents] == [False, False, True]
        assert "run_agent can't be imported" in survey.agents[0].reason
        assert (survey.hints, survey.default, await roster.default()) == ((), "tour", "tour")
        (module,) = (tmp_path / "venv").rglob("run_agent.py")
        module.write_text(MODULES["run_agent"])
        roster.look_again()
        survey = await looked(roster)
        assert [agent.ready for agent in survey.agents] == [True, True, True]
        assert (survey.hints, survey.default) == ((offered,), "hermes")
