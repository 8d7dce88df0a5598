"""Which of the processes of a runner are kept, and for how long."""

import asyncio
import sys
from pathlib import Path

import pytest

from holdfast.agents.acp.client import AcpAgent
from holdfast.agents.spec import AgentSpec
from holdfast.core.ids import TurnId
from holdfast.core.ledger import Ledger
from holdfast.runner.agents import Agents, Hosted
from tests.agents.audience import PATIENCE, TURN, Audience
from tests.runner.stage import S, Stage, staged

ECHO = Path(__file__).parents[1] / "agents" / "programs" / "echo.py"


def hosting(stage: Stage, agent: AcpAgent, workspace: Path) -> Agents:
    """The processes of a runner whose session talks to this one."""
    agents = Agents(S, 1, None, stage.settings, lambda _: None)  # pyright: ignore[reportArgumentType]  nothing is opened
    agents._hosted["1.1"] = Hosted(instance="1.1", name="leaves", model="", workspace=workspace, agent=agent)
    agents._current = "1.1"
    return agents


@pytest.mark.contract("R7")
async def test_r7_the_last_words_of_an_agent_that_has_ended_are_read_whatever_ends_meanwhile(tmp_path: Path) -> None:
    """It says its last and exits while nothing can be stored; just then a commit of memory is over, and what nobody
    needs any more is closed. All that it said is heard, and its turn is completed."""
    spec = AgentSpec(name="leaves", title="Leaves", command=(sys.executable, str(ECHO), "leaves"))
    audience = Audience()
    async with staged(tmp_path) as stage:
        agent = await AcpAgent.open(spec, workspace=tmp_path, tag="s:1.1", listener=audience, home=str(tmp_path))
        agents = hosting(stage, agent, tmp_path)
        prompting = asyncio.create_task(agent.prompt(TURN, "go on"))
        audience.open.clear()
        await audience.until(lambda: audience.text)
        agent._connection.notify("_go", {})
        async with asyncio.timeout(PATIENCE):
            while agent.answers:  # noqa: ASYNC110  nobody says so
                await asyncio.sleep(0.005)
        await agents.conclude(Ledger())
        audience.open.set()
        assert (await prompting).outcome == "completed"
        assert audience.text == "first " + "word " * 200
        assert (await agent.prompt(TurnId("t2"), "more")).outcome == "failed"
        await agents.conclude(Ledger())
        assert agents._hosted == {}, "the dead are let go of once they are heard"
