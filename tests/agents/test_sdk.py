"""A foreign peer: the official SDK as the client of our scripted agent, and as an agent of our client."""

import asyncio
import sys
from pathlib import Path
from typing import Any, cast

import acp
import pytest
from acp import schema

from holdfast.agents import catalog
from holdfast.agents.acp.client import Result
from holdfast.agents.spec import AgentSpec
from holdfast.core.events import ThoughtAppended, ToolChanged
from holdfast.core.ids import CallId
from tests.agents.audience import PATIENCE, TURN, Audience, opened

PROGRAM = Path(__file__).parent / "programs" / "sdk_agent.py"
SDK = AgentSpec(name="sdk", title="SDK", command=(sys.executable, str(PROGRAM)))

pytestmark = pytest.mark.slow


async def test_an_agent_of_the_sdk_works_under_our_client(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path, spec=SDK) as agent:
        assert (agent.name, agent.reference, agent.can_steer) == ("SDK agent", f"sdk:{tmp_path}", False)
        audience.on_permission = lambda request: agent.answer_permission(request.id, allow=True)
        assert await agent.prompt(TURN, "go") == Result("completed")
        prompting = asyncio.create_task(agent.prompt(TURN, "wait"))
        await audience.until(lambda: "waiting" in audience.text)
        agent.cancel()
        assert await prompting == Result("cancelled")
    assert audience.facts[0] == ThoughtAppended(turn=TURN, text="hm")
    assert audience.text.removesuffix("waiting").split() == [str(number) for number in range(100)]
    tools = [fact for fact in audience.facts if isinstance(fact, ToolChanged)]
    assert [(tool.call, tool.first, tool.status) for tool in tools] == [
        ("call", True, "pending"),
        ("call", False, "completed"),
    ]
    assert tools[1].output == "chose y"
    (asked,) = audience.permissions
    assert (asked.call, asked.command, asked.title) == (CallId("call"), "ls", "Run ls")


class SdkClient:
    """As much of `acp.Client` as is called. Allows everything, answers every form, and remembers what it was told."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.over = asyncio.Event()
        self.asked: list[Any] = []

    async def session_update(self, update: Any, **_: Any) -> None:
        self.updates.append(update)
        if "late2" in str(update):
            self.over.set()

    async def request_permission(
        self, tool_call: Any, options: list[schema.PermissionOption], **_: Any
    ) -> acp.RequestPermissionResponse:
        self.asked.append(tool_call)
        chosen = next(option.option_id for option in options if option.kind == "allow_always")
        return acp.RequestPermissionResponse(outcome=schema.AllowedOutcome(option_id=chosen, outcome="selected"))

    async def create_elicitation(self, params: Any = None, **more: Any) -> Any:
        self.asked.append(params or more)
        return schema.AcceptElicitationResponse(action="accept", content={"answer": "red"})


SCRIPT = """\
!think hm
!say words
!tool search {"a": 1} 1 found
!plan one; two
!usage 1 2
!title T
!approve deploy key
!ask Colour? | red | blue
!thinktags
!late 2"""


@pytest.mark.parametrize("forms", [True, False], ids=["with forms", "without forms"])
async def test_our_scripted_agent_works_under_a_client_of_the_sdk(forms: bool, tmp_path: Path) -> None:  # noqa: FBT001
    client = SdkClient()
    command = catalog.find("tour").command
    spawned = acp.spawn_agent_process(cast("Any", client), *command, cwd=tmp_path, use_unstable_protocol=True)
    async with asyncio.timeout(PATIENCE), spawned as (agent, _):
        elicitation = schema.ElicitationCapabilities(form=schema.ElicitationFormCapabilities()) if forms else None
        hello = await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(elicitation=elicitation),
        )
        assert hello.agent_info is not None
        assert hello.agent_info.title == "Tour (scripted, no model)"
        session = await agent.new_session(cwd=str(tmp_path), mcp_servers=[])
        prompt: list[Any] = [acp.text_block(SCRIPT)]
        if not forms:
            with pytest.raises(acp.RequestError, match="does not offer elicitation"):
                await agent.prompt(session_id=session.session_id, prompt=prompt)
            return
        ended = await agent.prompt(session_id=session.session_id, prompt=prompt)
        assert ended.stop_reason == "end_turn"
        await client.over.wait()
    kinds = {update.session_update for update in client.updates}
    assert {"agent_thought_chunk", "agent_message_chunk", "tool_call", "tool_call_update", "plan"} <= kinds
    assert {"usage_update", "session_info_update"} <= kinds
    said = "".join(update.content.text for update in client.updates if update.session_update == "agent_message_chunk")
    assert "approved:always" in said
    assert "answer:red" in said
    assert len(client.asked) == 2
