"""What goes wrong with models and their servers, and what is left of a conversation."""

import asyncio
import json
from pathlib import Path

import pytest

from holdfast.agents.acp.client import AcpAgent, Result
from holdfast.agents.builtin import turn
from holdfast.core.events import NoticeRaised, UsageReported
from holdfast.core.ids import TurnId
from holdfast.core.plausible import MOST
from holdfast.endpoints import Endpoint, remove_endpoint, save_endpoint
from holdfast.settings import Settings
from tests.agents.audience import TURN, Audience
from tests.agents.builtin.conftest import KEY
from tests.agents.builtin.inside import opened
from tests.agents.builtin.model import USAGE, Model

NEXT = TurnId("t2")


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "PAUSES", (0.01, 0.01))


def notices(audience: Audience) -> list[str]:
    return [fact.text for fact in audience.facts if isinstance(fact, NoticeRaised)]


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("!error 401", "mock refused the key. Check its key in Settings, then send the message again."),
        ("!error 404", "mock has no model 'mock-1', or its address is wrong. Choose another model in Settings."),
        ("!error 429", "mock gets too many requests right now. Wait a little, then send the message again."),
        ("!error 500", "mock failed. Try again in a moment, or choose another model."),
        ("!error 503", "mock failed. Try again in a moment, or choose another model."),
        ("!error 400 Bad idea", "mock refused the request. It said: Bad idea (400)"),
        (f"!error 401 Wrong key {KEY}", "It said: Wrong key [key] (401)"),
    ],
)
async def test_an_error_is_a_sentence_that_says_what_to_do(agent: AcpAgent, script: str, sentence: str) -> None:
    result = await agent.prompt(TURN, script)
    assert result.outcome == "failed"
    assert sentence in result.error
    assert KEY not in result.error
    assert await agent.prompt(NEXT, "!say Still here.") == Result("completed")


async def test_a_passing_failure_is_tried_again_and_said(agent: AcpAgent, audience: Audience, model: Model) -> None:
    assert await agent.prompt(TURN, "!flaky 2 500\n!say At last.") == Result("completed")
    assert audience.text == "At last."
    assert len(model.requests) == 3
    assert [text.endswith("Trying again in 0 s.") for text in notices(audience)] == [True, True]


async def test_what_lasts_is_not_tried_again(agent: AcpAgent, model: Model) -> None:
    await agent.prompt(TURN, "!error 401")
    assert len(model.requests) == 1


async def test_a_provider_says_how_long_to_wait(agent: AcpAgent, audience: Audience) -> None:
    assert await agent.prompt(TURN, "!flaky 1 429\n!say At last.") == Result("completed")
    assert notices(audience)[0].endswith("Trying again in 1 s.")


@pytest.mark.parametrize("how", ["drop", "reset"])
async def test_what_was_said_before_the_connection_broke_stays(
    agent: AcpAgent, audience: Audience, model: Model, how: str
) -> None:
    result = await agent.prompt(TURN, f"!say One two three\n!wait 200\n!{how}")
    assert result.outcome == "failed"
    assert "broke off" in result.error
    assert "What had been said until then is kept." in result.error
    assert audience.text == "One two three"
    await agent.prompt(NEXT, "Go on.")
    assert model.heard("assistant") == ["One two three"]


async def test_a_server_that_is_not_there_is_a_sentence(agent: AcpAgent, settings: Settings) -> None:
    save_endpoint(settings, Endpoint(name="mock", base_url="http://127.0.0.1:9/v1", models=("m",)))
    result = await agent.prompt(TURN, "Hello")
    assert "mock can't be reached at http://127.0.0.1:9/v1. Check that it runs." in result.error


async def test_without_any_endpoint_it_says_what_to_do(agent: AcpAgent, settings: Settings) -> None:
    remove_endpoint(settings, "mock")
    result = await agent.prompt(TURN, "Hello")
    assert result.error.startswith("No model is set up yet. Add a model endpoint in Settings")


async def test_an_answer_that_is_cut_for_want_of_tokens_says_so(agent: AcpAgent, audience: Audience) -> None:
    assert await agent.prompt(TURN, "!say Once upon a\n!length") == Result("completed")
    assert notices(audience) == ["The answer was cut off: the model reached its limit of tokens."]


# Length.


async def test_a_conversation_that_gets_long_is_summed_up(
    agent: AcpAgent, audience: Audience, model: Model, settings: Settings
) -> None:
    endpoint = Endpoint(name="mock", base_url=model.url, key=KEY, models=("mock-1",), window=10_000)
    save_endpoint(settings, endpoint)
    await agent.prompt(TURN, f"Long {'x' * 9_000}\n!say First answer.")
    model.usage["prompt_tokens"] = 9_500
    await agent.prompt(TURN, "!say Second answer.")
    assert notices(audience) == []
    model.usage["prompt_tokens"] = 500
    await agent.prompt(NEXT, "!say Third answer.")
    assert ["summed up" in text for text in notices(audience)] == [True]
    assert "A summary of all that." in model.heard("user")[0]
    assert not any("x" * 100 in text for text in model.heard("user"))
    assert model.heard("assistant") == ["First answer.", "Second answer."]
    await agent.prompt(NEXT, "!say Fourth answer.")
    assert len(notices(audience)) == 1
    assert audience.text.endswith("Fourth answer.")


async def test_a_request_that_is_too_long_is_made_shorter_and_sent_again(
    agent: AcpAgent, audience: Audience, model: Model
) -> None:
    await agent.prompt(TURN, "!say First answer.")
    result = await agent.prompt(NEXT, "!error 400 context_length_exceeded")
    assert result.outcome == "failed"
    assert "longer than mock-1 can look at" in result.error
    assert any("summed up" in text for text in notices(audience))
    assert await agent.prompt(NEXT, "!say Fine.") == Result("completed")
    assert "A summary of all that." in model.heard("user")[0]


async def test_a_person_can_have_it_summed_up(agent: AcpAgent, audience: Audience, model: Model) -> None:
    await agent.prompt(TURN, "!say First answer.")
    assert await agent.prompt(NEXT, "/compact") == Result("completed")
    assert "summed up" in audience.text
    await agent.prompt(NEXT, "!say On we go.")
    assert "A summary of all that." in model.heard("user")[0]


# After a crash.


async def test_a_conversation_is_taken_up_where_it_was(
    audience: Audience, workspace: Path, settings: Settings, model: Model
) -> None:
    async with opened(audience, workspace, settings) as agent:
        await agent._connection.request("session/set_mode", {"sessionId": agent.reference, "modeId": "ask"})
        await agent.prompt(TURN, "!say I am here.")
        reference = agent.reference
    async with opened(audience, workspace, settings, reference) as agent:
        assert agent.reference == reference
        await agent.prompt(NEXT, "Do you remember?")
    assert model.heard("assistant") == ["I am here."]


async def test_a_conversation_that_is_not_known_begins_anew(
    audience: Audience, workspace: Path, settings: Settings
) -> None:
    async with opened(audience, workspace, settings, "../../etc/passwd") as agent:
        assert agent.reference.startswith("b")


async def test_usage_is_reported_for_every_request(agent: AcpAgent, audience: Audience) -> None:
    work = json.dumps({"command": "echo hi"})
    await agent.prompt(TURN, f"!tool shell {work}\n!then\n!say Done.")
    assert [fact.output for fact in audience.facts if isinstance(fact, UsageReported)] == [20, 20]


async def test_a_turn_while_another_runs_is_refused(agent: AcpAgent, audience: Audience) -> None:
    prompting = asyncio.create_task(agent.prompt(TURN, "!stream 1000 5"))
    await audience.until(lambda: "word3" in audience.text)
    params = {"sessionId": agent.reference, "prompt": [{"type": "text", "text": "Hello"}]}
    with pytest.raises(Exception, match="still runs"):
        await agent._connection.request("session/prompt", params)
    agent.cancel()
    await prompting


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", [-5, 2**80, 1e308, float("inf"), float("nan"), "many", None, [], {}], ids=str)
async def test_a_model_that_counts_absurdly_is_heard_all_the_same(
    agent: AcpAgent, audience: Audience, model: Model, number: object
) -> None:
    """What it says was used is no reason to lose an answer, nor to forget what was said."""
    model.usage = dict.fromkeys(USAGE, number) | {"completion_tokens_details": {"reasoning_tokens": number}}
    for turn_id, words in ((TURN, "One."), (NEXT, "Two.")):
        assert await agent.prompt(turn_id, f"!say {words}") == Result("completed")
    assert audience.text == "One.Two."
    assert len(model.requests) == 2
    reports = [fact for fact in audience.facts if isinstance(fact, UsageReported)]
    assert all(0 <= report.input <= MOST and 0 <= report.reasoning <= MOST for report in reports)
