"""What an agent lets people choose, in both styles of the protocol."""

import sys
from pathlib import Path

import pytest

from holdfast.agents.acp.client import Result
from holdfast.agents.spec import AgentSpec
from holdfast.core.events import AgentDescribed, Option, SlashCommand
from tests.agents.audience import TURN, Audience, opened

PROGRAM = Path(__file__).parent / "programs" / "chooser.py"
both = pytest.mark.parametrize("style", ["states", "options"])


def chooser(style: str, *refused: str) -> AgentSpec:
    return AgentSpec(name="chooser", title="Chooser", command=(sys.executable, str(PROGRAM), style, *refused))


@both
async def test_what_is_offered_is_told_with_what_is_chosen(tmp_path: Path, style: str) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=chooser(style)) as agent:
        await audience.until(lambda: agent.described.commands)
        prefix = "Ours: " if style == "options" else ""
        assert agent.described == AgentDescribed(
            agent="chooser",
            model="small",
            mode="ask",
            models=(Option(id="small", name=f"{prefix}Small"), Option(id="large", name=f"{prefix}Large")),
            modes=(
                Option(id="ask", name="Ask", description="Ask."),
                Option(id="go", name="Go", description="Go."),
            ),
            commands=(SlashCommand(name="init", description="Begin.", hint="where"), SlashCommand(name="stop")),
        )


@both
async def test_the_agent_works_as_the_session_wants_and_goes_back_to_its_own_choice(tmp_path: Path, style: str) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=chooser(style)) as agent:
        assert await agent.choose(model="large", mode="go") == []
        assert await agent.prompt(TURN, "hi") == Result("completed")
        assert await agent.choose(model="", mode="") == []
        await agent.prompt(TURN, "hi")
    assert audience.text == "large gosmall ask"
    told = [(fact.model, fact.mode) for fact in audience.facts if isinstance(fact, AgentDescribed) and fact.commands]
    assert told[-1] == ("small", "ask")
    assert ("large", "go") in told


@both
async def test_a_choice_that_is_refused_is_a_sentence_and_the_agent_goes_on(tmp_path: Path, style: str) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=chooser(style, "large")) as agent:
        (failure,) = await agent.choose(model="large", mode="")
        assert failure == "The agent did not take the model large and goes on with small: It costs too much."
        await agent.prompt(TURN, "hi")
    assert audience.text == "small ask"


@both
async def test_a_mode_that_the_agent_changes_itself_is_told(tmp_path: Path, style: str) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=chooser(style)) as agent:
        await agent.prompt(TURN, "mode go")
        await audience.until(lambda: agent.described.mode == "go")
    assert any(isinstance(fact, AgentDescribed) and fact.mode == "go" for fact in audience.facts)


async def test_an_agent_without_choices_says_so_when_one_is_wanted(tmp_path: Path) -> None:
    async with opened(Audience(), tmp_path) as agent:
        assert await agent.choose(model="", mode="") == []
        (failure,) = await agent.choose(model="", mode="go")
        assert failure == "This agent does not let its mode be chosen, so it is not go."
