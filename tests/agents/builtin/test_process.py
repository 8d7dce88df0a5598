"""The built-in agent as a process of its own, and a client of the official SDK in front of it."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any, cast

import acp
import pytest
from acp import schema

from holdfast.agents import catalog
from holdfast.agents.acp.client import AcpAgent, Result
from holdfast.agents.acp.jsonrpc import Peer, Response
from holdfast.agents.child import Child
from holdfast.core.ids import TurnId
from holdfast.settings import Settings
from tests.agents.audience import PATIENCE, TURN, Audience
from tests.agents.builtin.conftest import KEY
from tests.agents.builtin.model import Model
from tests.agents.test_sdk import SdkClient

pytestmark = pytest.mark.slow

NEXT = TurnId("t2")


def environment(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


async def start(audience: Audience, workspace: Path, settings: Settings, reference: str = "") -> AcpAgent:
    return await AcpAgent.open(
        catalog.find("builtin"),
        workspace=workspace,
        tag=f"{workspace.parent.name}:1",
        listener=audience,
        reference=reference,
        home=str(settings.home),
    )


async def test_a_process_that_is_killed_in_the_middle_is_taken_up_again(
    audience: Audience, workspace: Path, settings: Settings, model: Model
) -> None:
    agent = await start(audience, workspace, settings)
    command = json.dumps({"command": "echo begun; sleep 600"})
    prompting = asyncio.create_task(agent.prompt(TURN, f"!say On it.\n!tool shell {command}"))
    await audience.until(lambda: "begun" in str(audience.facts))
    assert KEY.encode() not in environment(agent.pid)
    os.kill(agent.pid, signal.SIGKILL)
    assert (await prompting).outcome == "failed"
    await agent.end()
    again = await start(audience, workspace, settings, agent.reference)
    try:
        assert again.reference == agent.reference
        assert await again.prompt(NEXT, "Well?") == Result("completed")
    finally:
        await again.close()
    assert model.heard("assistant")[0] == "On it."
    assert "may or may not have happened" in model.heard("tool")[0]


async def test_what_people_saw_of_an_answer_reaches_the_model_after_a_crash(
    workspace: Path, settings: Settings, model: Model
) -> None:
    """The client hands it over with the session: `_meta.holdfast.unfinished`. The run that it names marks the tools."""
    child = await Child.start(catalog.find("builtin").command, tag="spare:1", cwd=workspace, home=str(settings.home))
    peer = Peer()

    async def ask(method: str, **params: Any) -> dict[str, Any]:
        number, line = peer.request(method, params)
        child.write(line)
        while data := await child.read():
            for message in peer.feed(data):
                if isinstance(message, Response) and message.id == number:
                    return json.loads(bytes(message.result))
        raise AssertionError("it ended")

    try:
        async with asyncio.timeout(PATIENCE):
            hello = await ask("initialize", protocolVersion=1, clientCapabilities={})
            assert hello["agentCapabilities"]["_meta"]["holdfast"]["warm"]
            opened = await ask("session/new", cwd=str(workspace), mcpServers=[])
            assert opened["modes"]["currentModeId"] == "default"
            assert [each["modelId"] for each in opened["models"]["availableModels"]] == [
                "mock/mock-1",
                "mock/org/mock-2",
            ]
            meta = {"holdfast": {"unfinished": "The answer is forty-", "run": "s1:2.1"}}
            session = opened["sessionId"]
            # A conversation is on the disk as soon as anything was said in it.
            await ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": "!say Hello."}])
            await ask("session/resume", sessionId=session, cwd=str(workspace), mcpServers=[], _meta=meta)
            work = json.dumps({"command": "echo $HOLDFAST_RUN"})
            words = {"type": "text", "text": f"Go on.\n!tool shell {work}\n!then\n!say Done."}
            await ask("session/prompt", sessionId=session, prompt=[words])
    finally:
        await child.end()
    assert model.heard("assistant")[:2] == ["Hello.", "The answer is forty-"]
    assert model.heard("tool") == ["s1:2.1\n"]


class Careful(SdkClient):
    """Allows once, as a client that knows no other way does."""

    async def request_permission(
        self, tool_call: Any, options: list[schema.PermissionOption], **_: Any
    ) -> acp.RequestPermissionResponse:
        self.asked.append(tool_call)
        chosen = next(option.option_id for option in options if option.kind == "allow_once")
        return acp.RequestPermissionResponse(outcome=schema.AllowedOutcome(option_id=chosen, outcome="selected"))


async def test_it_works_under_a_client_of_the_sdk(workspace: Path, settings: Settings) -> None:
    client = Careful()
    environ = {"HOLDFAST_HOME": str(settings.home), "PATH": os.environ["PATH"]}
    command = catalog.find("builtin").command
    spawned = acp.spawn_agent_process(
        cast("Any", client), *command, cwd=workspace, env=environ, use_unstable_protocol=True
    )
    async with asyncio.timeout(PATIENCE), spawned as (agent, _):
        hello = await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(
                elicitation=schema.ElicitationCapabilities(form=schema.ElicitationFormCapabilities())
            ),
        )
        assert hello.agent_info is not None
        assert hello.agent_info.title == "Built-in"
        session = await agent.new_session(cwd=str(workspace), mcp_servers=[])
        await agent.set_session_mode(session_id=session.session_id, mode_id="ask")
        steps = [
            "!think hm\n!say words\n!tool write " + json.dumps({"path": "a.txt", "content": "hello\n"}),
            "!tool shell " + json.dumps({"command": "cat a.txt"}),
            "!tool ask " + json.dumps({"question": "Colour?", "choices": ["red"]}),
            "!quote",
        ]
        prompt: list[Any] = [acp.text_block("\n!then\n".join(steps))]
        ended = await agent.prompt(session_id=session.session_id, prompt=prompt)
        assert ended.stop_reason == "end_turn"
        await agent.load_session(session_id=session.session_id, cwd=str(workspace), mcp_servers=[])
    kinds = {update.session_update for update in client.updates}
    assert {"agent_thought_chunk", "agent_message_chunk", "tool_call", "tool_call_update", "usage_update"} <= kinds
    assert {"available_commands_update", "user_message_chunk", "session_info_update"} <= kinds
    said = "".join(update.content.text for update in client.updates if update.session_update == "agent_message_chunk")
    assert "The user answered: red" in said
    assert (workspace / "a.txt").read_text() == "hello\n"
    assert len(client.asked) == 3
