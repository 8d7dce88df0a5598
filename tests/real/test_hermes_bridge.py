"""The bridge by itself, under real Hermes: with a client that others wrote, and where Hermes is not as it should be."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import acp
import acp.schema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.acp.client import AcpAgent
from holdfast.agents.acp.listener import AgentUnusable, Deaf
from holdfast.agents.catalog import AgentSpec
from holdfast.agents.hermes import bridge
from holdfast.agents.hermes.find import BRIDGE, Found, spec
from holdfast.agents.hermes.sessions import list_sessions
from holdfast.core.events import Diff
from holdfast.core.policy import digest
from tests.real.desk import Desk, hermes_home, tool
from tests.real.model import Model

pytestmark = pytest.mark.agents
Json = dict[str, Any]


class Editor:
    """As much of `acp.Client` as is called. It knows nothing of our extensions."""

    def __init__(self) -> None:
        self.said = ""
        self.calls: list[str] = []
        self.asked: list[str] = []

    async def session_update(self, update: Any, **_: Any) -> None:
        match update:
            case acp.schema.AgentMessageChunk(content=acp.schema.TextContentBlock(text=text)):
                self.said += text
            case acp.schema.ToolCallStart(title=title):
                self.calls.append(title)
            case _:
                pass

    async def request_permission(
        self, tool_call: Any, options: list[acp.schema.PermissionOption], **_: Any
    ) -> acp.schema.RequestPermissionResponse:
        self.asked.append(tool_call.title)
        allow = next(option for option in options if option.kind == "allow_once")
        outcome = acp.schema.AllowedOutcome(outcome="selected", option_id=allow.option_id)
        return acp.schema.RequestPermissionResponse(outcome=outcome)

    async def ext_notification(self, method: str, params: Json) -> None:
        """It is told, and understands nothing."""


@asynccontextmanager
async def speaking(python: Path, home: Path, editor: Any) -> AsyncGenerator[Any]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "HERMES_HOME": str(home)}
    async with acp.spawn_agent_process(editor, str(python), "-P", str(BRIDGE), env=environment) as (agent, _):
        await agent.initialize(protocol_version=1)
        yield agent


async def test_a_client_made_with_the_official_sdk(python: Path, model: Model, tmp_path: Path) -> None:
    home, workspace = hermes_home(tmp_path / "hermes", model), tmp_path / "workspace"
    (workspace / "x").mkdir(parents=True)
    editor = Editor()
    async with speaking(python, home, editor) as agent:
        opened = await agent.new_session(cwd=str(workspace), mcp_servers=[])
        assert [mode.id for mode in opened.modes.available_modes] == ["default", "ask", "smart"]
        script = f"@say I clean up.\n{tool('terminal', command=f'rm -rf {workspace}/x')}\n@say Clean."
        ended = await agent.prompt(session_id=opened.session_id, prompt=[acp.text_block(script)])
        assert ended.stop_reason == "end_turn"
        assert editor.said == "I clean up.Clean."
        assert editor.calls == editor.asked == [f"rm -rf {workspace}/x"]
        assert not (workspace / "x").exists()
        with pytest.raises(acp.RequestError):
            await agent.prompt(session_id=opened.session_id, prompt=[acp.text_block("@error 500")])


async def test_what_hermes_did_elsewhere_can_be_gone_on_with(desk: Desk, python: Path, tmp_path: Path) -> None:
    """A conversation that Hermes had without us is listed, and a session of ours goes on with it."""
    editor = Editor()
    async with speaking(python, desk.hermes, editor) as agent:
        opened = await agent.new_session(cwd=str(tmp_path), mcp_servers=[])
        await agent.prompt(session_id=opened.session_id, prompt=[acp.text_block("@say The word is xylophone.")])
    listed = list_sessions(Found(python=str(python), version="0.19.0", home=desk.hermes))
    assert opened.session_id in [session.id for session in listed]
    session, _ = desk.begin(reference=opened.session_id)
    desk.say(session, "@say I remember. 6022")
    told = desk.model.received("I remember. 6022")[0]["messages"]
    assert "The word is xylophone." in [message["content"] for message in told]


@pytest.mark.parametrize(
    ("module", "sentence"),
    [
        ("class AIAgent:\n    def __init__(self, model): pass\n", "its agent takes no provider"),
        ("class Agent: pass\n", "run_agent.AIAgent is missing"),
        ("1 / 0\n", "run_agent can't be imported"),
    ],
)
async def test_a_hermes_that_is_not_as_it_should_be_says_why(
    python: Path, tmp_path: Path, module: str, sentence: str
) -> None:
    """Another Hermes than the one that the bridge was made for: found out at once, and said in a sentence."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "run_agent.py").write_text(module)
    found = spec(Found(python=str(python), version="0.19.0", home=tmp_path))
    broken = AgentSpec(name="hermes", title="Hermes", command=found.command, env={"PYTHONPATH": str(other)})
    with pytest.raises(AgentUnusable, match=sentence):
        await AcpAgent.open(broken, workspace=tmp_path, tag="s:1.1", listener=Deaf())


async def test_a_python_without_hermes_says_so(tmp_path: Path) -> None:
    import sys

    nothing = AgentSpec(name="hermes", title="Hermes", command=(sys.executable, "-P", str(BRIDGE)))
    with pytest.raises(AgentUnusable, match="This Python has no Hermes"):
        await AcpAgent.open(nothing, workspace=tmp_path, tag="s:1.1", listener=Deaf())


WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


@given(
    command=WORDS, directory=WORDS, arguments=st.dictionaries(WORDS, WORDS | st.integers(0, 9) | st.none()), old=WORDS
)
def test_the_bridge_names_what_is_asked_as_we_do(command: str, directory: str, arguments: Json, old: str) -> None:
    """What a person approves is bound by a digest that both sides reckon for themselves."""
    shown = [bridge.diff_of("a", old, "new"), bridge.diff_of("b", None, command)]
    diffs = (Diff(path="a", old=old, new="new"), Diff(path="b", new=command))
    sent = bridge.spelled({"rawInput": arguments})
    received = bytes(msgspec.json.decode(sent, type=dict[str, msgspec.Raw])["rawInput"]).decode()
    assert bridge.digest_of(command, arguments, directory, shown) == digest(command, received, directory, diffs)
