"""The bridge's session at moments that real Hermes can't be held at: while it is built, as it fails or dies."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from holdfast.agents.hermes import bridge
from tests.agents.hermes.stand_in import Agent, Heard, StandIn

Json = dict[str, Any]
PROMPT, WORDS, NEXT = 1, 2, 3


def done(_agent: Agent, _message: str) -> Json:
    return {}


def opened(hermes: StandIn, pipe: Heard, workspace: Path) -> bridge.Session:
    session = bridge.Session(pipe, cast("bridge.Hermes", hermes), "h1", str(workspace), forms=True)
    session.begin()
    return session


def say(session: bridge.Session, text: str, request: int = PROMPT) -> None:
    session.prompt(request, {"prompt": [{"type": "text", "text": text}]})


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A session takes its process with it to where it works."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERMINAL_CWD", "")


@pytest.fixture
def pipe() -> Heard:
    return Heard()


# Words that steer.


def test_words_that_come_while_hermes_is_built_are_told_when_it_is_there(pipe: Heard, tmp_path: Path) -> None:
    """Whoever sent them is told so only then."""
    hermes = StandIn(done)
    hermes.building.clear()
    session = opened(hermes, pipe, tmp_path)
    say(session, "Begin.")
    assert session.steer(WORDS, "To the left.") is None
    assert pipe.said == []
    hermes.building.set()
    assert pipe.answer(PROMPT)["result"] == {"stopReason": "end_turn"}
    assert pipe.answer(WORDS)["result"] == {"accepted": True}
    assert hermes.agents[0].asked == ["Begin.", "To the left."]


def test_words_for_a_hermes_that_can_not_be_built_are_refused_before_the_turn_ends(pipe: Heard, tmp_path: Path) -> None:
    """So that they can be said again with the next turn."""
    hermes = StandIn(done)
    hermes.building.clear()
    hermes.problem = "There is no model."
    session = opened(hermes, pipe, tmp_path)
    say(session, "Begin.")
    assert session.steer(WORDS, "To the left.") is None
    hermes.building.set()
    assert pipe.answer(PROMPT)["error"]["message"] == "There is no model."
    assert pipe.answer(WORDS)["result"] == {"accepted": False}
    order = [message["id"] for message in pipe.said if "id" in message]
    assert order == [WORDS, PROMPT]


@pytest.mark.parametrize("left", ["in the result", "in the agent"])
def test_words_of_a_run_that_failed_are_heard_with_the_next_one(pipe: Heard, tmp_path: Path, left: str) -> None:
    """Hermes took them and came to nothing; they are in its own history then, which outlives its process."""

    def run(agent: Agent, message: str) -> Json:
        if message != "Begin.":
            return {}
        agent.steer("To the left.")
        pending = {"pending_steer": agent._drain_pending_steer()} if left == "in the result" else {}
        return {"failed": True, "error": "The model is broken.", **pending}

    hermes = StandIn(run)
    session = opened(hermes, pipe, tmp_path)
    say(session, "Begin.")
    assert pipe.answer(PROMPT)["error"]["message"] == "The model is broken."
    assert hermes.rows.rows == [{"role": "user", "content": "To the left."}]
    say(session, "Again.", NEXT)
    pipe.answer(NEXT)
    assert hermes.agents[0].asked == ["Begin.", "Again."]


def test_words_that_come_at_the_last_moment_get_an_answer_of_their_own(pipe: Heard, tmp_path: Path) -> None:
    """Hermes has looked for them for the last time, and the turn is not over yet."""

    def run(_agent: Agent, message: str) -> Json:
        if message == "Begin.":
            assert session.steer(WORDS, "To the left.") == {"accepted": True}
        return {}

    hermes = StandIn(run)
    session = opened(hermes, pipe, tmp_path)
    say(session, "Begin.")
    pipe.answer(PROMPT)
    assert hermes.agents[0].asked == ["Begin.", "To the left."]
    assert session.steer(WORDS, "Too late.") == {"accepted": False}


# Memory.


def test_only_the_turn_that_was_given_up_is_taken_back_from_memory(pipe: Heard, tmp_path: Path) -> None:
    """A cancel that comes after the end of a turn that failed says nothing about the one before."""

    def run(_agent: Agent, message: str) -> Json:
        return {"failed": True, "error": "No."} if message == "Fail." else {}

    hermes = StandIn(run)
    session = opened(hermes, pipe, tmp_path)
    say(session, "My name is Ada.")
    pipe.answer(PROMPT)
    say(session, "Fail.", WORDS)
    pipe.answer(WORDS)
    session.cancel()
    session.commit(NEXT, {"token": "t", "from": 1, "to": 1})
    assert pipe.answer(NEXT)["result"] == {"committed": True}
    assert hermes.agents[0].committed == ["My name is Ada."]


def test_a_turn_that_was_given_up_as_it_ended_is_not_remembered(pipe: Heard, tmp_path: Path) -> None:
    """For the client it is cancelled, and nobody remembers a cancelled turn."""
    hermes = StandIn(done)
    session = opened(hermes, pipe, tmp_path)
    say(session, "My name is Ada.")
    pipe.answer(PROMPT)
    session.cancel()
    session.commit(NEXT, {"token": "t", "from": 1, "to": 1})
    pipe.answer(NEXT)
    assert hermes.agents[0].committed == []


def test_what_a_turn_cost_is_what_was_added_since_the_last_look() -> None:
    """Hermes counts dollars from the start of its agent on; a report holds millionths of one, of this turn alone."""
    meter, agent = bridge.Meter(), SimpleNamespace(session_estimated_cost_usd=0.25, session_output_tokens=20)
    first = meter.read(agent)
    agent.session_estimated_cost_usd, agent.session_output_tokens = 0.375, 50
    second = meter.read(agent)
    reports = [report["_meta"]["holdfast"] for report in (first, second) if report is not None]
    assert [(report["cost"], report["output"]) for report in reports] == [(250_000, 20), (125_000, 30)]
    assert meter.read(agent) is None, "nothing was used"


# Taking up a conversation.


@pytest.mark.parametrize("unfinished", ["", "I begin."])
def test_a_call_that_has_no_result_is_told_to_be_in_doubt(pipe: Heard, tmp_path: Path, unfinished: str) -> None:
    """Whether or not anything was said before it."""
    hermes = StandIn(done)
    calls = [{"id": "c1", "function": {"name": "terminal"}}]
    hermes.rows.rows = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": unfinished, "tool_calls": calls},
    ]
    session = bridge.Session(pipe, cast("bridge.Hermes", hermes), "h1", str(tmp_path), forms=True)
    assert session.resume(unfinished)
    assert len(session.history) == 3
    assert (session.history[-1]["role"], session.history[-1]["tool_call_id"]) == ("tool", "c1")
    assert "may or may not have happened" in session.history[-1]["content"]


# Sub-agents.


def delegated(session: bridge.Session, tool: Any) -> None:
    """Have a sub-agent use a tool, in a thread that inherits nothing, as Hermes does."""

    def delegate(_arguments: Json) -> Json:
        session._subagent_started(child_session_id="child")
        about = {"tool_call_id": "below", "session_id": "child"}

        def work() -> None:
            with pytest.raises(RuntimeError) if tool is broken else pytest.MonkeyPatch.context():
                session._carry_out(tool_name="terminal", args={"command": "ls"}, next_call=tool, **about)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return {}

    about = {"tool_call_id": "above", "session_id": "h1"}
    session._carry_out(tool_name="delegate_task", args={"goal": "x"}, next_call=delegate, **about)


def broken(_arguments: Json) -> Json:
    raise RuntimeError("It fell over.")


def test_a_sub_agents_tool_that_raises_is_shown_as_failed(pipe: Heard, tmp_path: Path) -> None:
    """It does not look as if it ran for ever."""
    session = opened(StandIn(done), pipe, tmp_path)
    delegated(session, broken)
    (shown,) = pipe.updates("tool_call_update")
    assert (shown["toolCallId"], shown["status"]) == ("below", "failed")
    assert shown["_meta"]["holdfast"]["parent"] == "above"
    assert "It fell over." in shown["_meta"]["holdfast"]["error"]


def test_a_sub_agents_sudo_asks_for_the_password(pipe: Heard, tmp_path: Path) -> None:
    """Hermes looks in the very thread for whom to ask."""
    hermes, here, found = StandIn(done), threading.local(), []

    def use(_arguments: Json) -> Json:
        found.append(getattr(here, "asking", None))
        return {}

    hermes.parts["tools.terminal_tool", "set_sudo_password_callback"] = lambda ask: setattr(here, "asking", ask)
    session = opened(hermes, pipe, tmp_path)
    delegated(session, use)
    assert found == [session._password_wanted]


def test_what_is_known_of_sub_agents_ends_with_the_turn(pipe: Heard, tmp_path: Path) -> None:
    """A session of a thousand turns does not remember a thousand sub-agents."""

    def run(_agent: Agent, _message: str) -> Json:
        delegated(session, lambda _: {})
        return {}

    session = opened(StandIn(run), pipe, tmp_path)
    say(session, "Begin.")
    pipe.answer(PROMPT)
    assert session._parents == {}
