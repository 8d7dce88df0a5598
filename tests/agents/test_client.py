"""Our client against agents that are not ours, among them badly behaved ones."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from holdfast.agents.acp.client import AcpAgent, AgentUnusable, CommitFailed, Result
from holdfast.agents.lines import LIMIT
from holdfast.agents.spec import AgentSpec
from holdfast.agents.tree import tree
from holdfast.core.events import Attachment, NoticeRaised, TextAppended
from holdfast.core.ids import TurnId
from tests.agents.audience import PATIENCE, TURN, Audience, opened

PROGRAM = Path(__file__).parent / "programs" / "echo.py"


def foreign(act: str, **options: object) -> AgentSpec:
    return AgentSpec(name=act, title="Foreign", command=(sys.executable, str(PROGRAM), act), **options)  # pyright: ignore[reportArgumentType]


async def test_what_is_no_message_for_us_is_passed_over(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("babbles")) as agent:
        assert await agent.prompt(TURN, "hi") == Result("completed")
    assert audience.facts == [TextAppended(turn=TURN, text="hello")]
    assert audience.ends == []


async def test_a_request_that_says_nothing_is_refused_and_an_unknown_one_is_unknown(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("wants_files")) as agent:
        await agent.prompt(TURN, "hi")
    assert audience.text == "-32602 -32602 -32601 "


async def test_a_loaded_session_keeps_its_reference_and_its_replay_is_not_told(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("loads"), reference="old") as agent:
        assert agent.reference == "old"
        await agent.prompt(TURN, "hi")
    assert audience.text == "a new answer"


async def test_a_session_that_the_agent_has_lost_is_begun_anew(tmp_path: Path) -> None:
    async with opened(Audience(), tmp_path, spec=foreign("forgets"), reference="old") as agent:
        assert agent.reference == "s"


async def test_resuming_is_preferred_to_replaying(tmp_path: Path) -> None:
    async with opened(Audience(), tmp_path, spec=foreign("resumes"), reference="old") as agent:
        assert agent.reference == "old"


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        ("signs_in", "Sign in with a browser"),
        ("speaks_another", "version 7"),
        ("silent", "not ready within"),
        ("no_such_act", "ended before it was ready"),
    ],
)
async def test_an_agent_that_can_not_be_opened_says_why(act: str, sentence: str, tmp_path: Path) -> None:
    audience, tag = Audience(), f"{tmp_path.name}:1"
    with pytest.raises(AgentUnusable, match=sentence) as failed:
        await AcpAgent.open(foreign(act), workspace=tmp_path, tag=tag, listener=audience, patience=3)
    assert ("KeyError" in failed.value.stderr) == (act == "no_such_act")
    assert tree(tag) == set()
    assert audience.ends == []


async def test_a_program_that_does_not_exist_is_named(tmp_path: Path) -> None:
    spec = AgentSpec(name="gone", title="Gone", command=("/no/such/program",))
    with pytest.raises(AgentUnusable, match="/no/such/program"):
        await AcpAgent.open(spec, workspace=tmp_path, tag="x:1", listener=Audience())


async def test_an_agent_that_dies_in_a_turn_ends_it_once_with_its_last_words(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("dies")) as agent:
        result = await agent.prompt(TURN, "hi")
        await audience.until(lambda: audience.ends)
        assert not agent.alive
        assert (await agent.prompt(TURN, "again")).outcome == "failed"
        assert not await agent.steer("left")
        with pytest.raises(CommitFailed):
            await agent.commit_memory("t", 1, 1)
    assert result.outcome == "failed"
    assert result.error == "The agent's process ended (3)."
    assert result.stderr.splitlines() == [f"Traceback line {number}" for number in range(60, 100)]
    assert audience.text == "half a sen"
    assert audience.ends == [(3, result.stderr)]


async def test_an_agent_that_closes_its_output_is_ended(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("deafens")) as agent:
        result = await agent.prompt(TURN, "hi")
    assert (result.outcome, audience.text) == ("failed", "last words")
    assert "closed its output" in result.error


@pytest.mark.slow
async def test_a_line_without_an_end_ends_the_agent_with_a_sentence(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("endless")) as agent:
        result = await agent.prompt(TURN, "hi")
        await audience.until(lambda: audience.ends)
    assert result.outcome == "failed"
    assert f"{LIMIT:,} bytes" in result.error
    assert tree(f"{tmp_path.name}:1") == set()


async def test_output_is_read_while_the_agent_does_not_read_its_input(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("floods")) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, "hi"))
        await audience.until(lambda: audience.facts)
        agent._connection.notify("_big", {"text": "z" * 8_000_000})  # more than any pipe holds
        assert (await prompting).outcome == "completed"
    assert audience.text.endswith("read 8000055")
    assert len(audience.text) == 400 * 20_000 + len("read 8000055")


async def test_nothing_is_read_while_there_is_no_room(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("floods")) as agent:
        audience.open.clear()
        prompting = asyncio.create_task(agent.prompt(TURN, "hi"))
        await audience.until(lambda: audience.facts)
        await asyncio.sleep(0.2)
        heard = len(audience.facts)
        await asyncio.sleep(0.2)
        assert len(audience.facts) == heard < 400
        audience.open.set()
        agent._connection.notify("_go", {})
        assert (await prompting).outcome == "completed"
    assert len(audience.facts) == 401


async def test_an_agent_can_be_ended_while_there_is_no_room(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("floods")) as agent:
        audience.open.clear()
        prompting = asyncio.create_task(agent.prompt(TURN, "hi"))
        await audience.until(lambda: audience.facts)
        await agent.end()
        assert (await prompting).outcome == "failed"
    assert audience.ends == []


async def test_each_reason_to_stop_has_its_outcome(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("stops")) as agent:
        results = [await agent.prompt(TurnId(f"t{number}"), "hi") for number in range(5)]
    assert [result.outcome for result in results] == ["completed", "completed", "failed", "cancelled", "completed"]
    assert "refused" in results[2].error
    notices = [fact.text for fact in audience.facts if isinstance(fact, NoticeRaised)]
    assert len(notices) == 2
    assert "tokens" in notices[0]


@pytest.mark.contract("X9")
async def test_x9_what_a_cancelled_turn_still_says_belongs_to_nobody(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("fails_when_cancelled")) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, "hi"))
        await audience.until(lambda: audience.facts)
        agent.cancel()
        agent.cancel()
        assert await prompting == Result("cancelled")
        agent.cancel()
        assert (await agent.prompt(TurnId("t2"), "hi")).outcome == "completed"
    assert [(fact.turn, fact.text) for fact in audience.facts if isinstance(fact, TextAppended)] == [
        ("t1", "before"),
        ("t1", " meanwhile"),
        ("t2", "next"),
    ]


async def test_leave_that_is_asked_for_after_the_turn_is_not_given(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("asks_late")) as agent:
        await agent.prompt(TURN, "hi")
        await audience.until(lambda: audience.text == "done cancelled")
    assert audience.permissions == []


@pytest.mark.contract("A8")
async def test_a8_more_than_once_is_never_allowed(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=foreign("offers_always")) as agent:
        audience.on_permission = lambda request: agent.answer_permission(request.id, allow=True)
        await agent.prompt(TURN, "hi")
    assert audience.text == "cancelled"
    assert any(isinstance(fact, NoticeRaised) and fact.level == "warning" for fact in audience.facts)


async def test_the_environment_is_scrubbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("HOLDFAST_HOME", "/elsewhere")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("WANTED", "yes")
    monkeypatch.setenv("HOLDFAST_RUN", "outer:1")
    audience = Audience()
    spec = foreign("environment", env={"ADDED": "1"}, keep=("WANTED",))
    async with opened(audience, tmp_path, spec=spec) as agent:
        await agent.prompt(TURN, "hi")
    seen = json.loads(audience.text)
    assert {"OPENAI_API_KEY", "HOLDFAST_HOME", "PYTEST_CURRENT_TEST"} & seen.keys() == set()
    assert (seen["LC_TIME"], seen["WANTED"], seen["ADDED"]) == ("C", "yes", "1")
    assert seen["HOLDFAST_RUN"] == f"{tmp_path.name}:1"
    assert "PATH" in seen


async def test_an_owner_that_turns_away_hears_no_more(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, "!stream 1000 5"))
        await audience.until(lambda: audience.facts)
        prompting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await prompting
        heard = len(audience.facts)
        await asyncio.sleep(0.1)
        assert len(audience.facts) == heard


async def test_attachments_are_linked(tmp_path: Path) -> None:
    sent: list[object] = []
    audience = Audience()
    path = tmp_path / "blob"
    path.write_text("words")
    async with opened(audience, tmp_path) as agent:
        agent._conversation._blobs = lambda _: path
        ask = agent._connection.ask
        agent._connection.ask = lambda method, params, answer: (
            sent.append(params["prompt"]),
            ask(method, params, answer),
        )[1]
        await agent.prompt(TURN, "!say hi", [Attachment(name="a.txt", blob="b", media_type="text/plain", size=5)])
    link = {"type": "resource_link", "name": "a.txt", "uri": path.as_uri(), "mimeType": "text/plain", "size": 5}
    assert sent == [[{"type": "text", "text": "!say hi"}, link]]


async def test_an_agent_that_is_killed_ends_its_turn_and_its_tools(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, "!spawn\n!sleep 100000"))
        await audience.until(lambda: audience.facts)
        os.kill(agent.pid, signal.SIGKILL)
        assert await prompting == Result("failed", "The agent's process was killed (signal 9).")
        await audience.until(lambda: audience.ends)
        assert tree(f"{tmp_path.name}:1") == set()
    assert audience.ends == [(-signal.SIGKILL, "")]


async def test_an_agent_that_has_just_died_is_asked_nothing_more(tmp_path: Path) -> None:
    """A message that comes in that moment would fail with it, though a new agent could take it."""
    async with opened(Audience(), tmp_path) as agent:
        assert agent.answers
        os.kill(agent.pid, signal.SIGKILL)
        while agent.pid in tree(f"{tmp_path.name}:1"):  # the event loop gets no turn, so that nobody has read of it
            pass
        assert not agent.answers
        assert agent.alive, "its last words are still to be read"


@pytest.mark.contract("G4")
async def test_g4_what_was_never_written_was_read_by_nobody(tmp_path: Path) -> None:
    """A message for an agent that is known to be dead can be given to another one."""
    async with opened(Audience(), tmp_path) as agent:
        assert (await agent.prompt(TURN, "!say hello")).outcome == "completed"
        os.kill(agent.pid, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE):
            while agent.alive:  # noqa: ASYNC110  nobody says so
                await asyncio.sleep(0.005)
        result = await agent.prompt(TurnId("t2"), "!say again")
        assert (result.outcome, result.unheard) == ("failed", True)
