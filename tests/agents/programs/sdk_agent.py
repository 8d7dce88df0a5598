"""An agent written with the official SDK: it thinks, speaks, uses a tool and asks for leave."""

import asyncio
from typing import Any

import acp
from acp import schema


class SdkAgent:
    """As much of `acp.Agent` as is called."""

    def __init__(self) -> None:
        self._client: acp.Client | None = None
        self._cancelled = asyncio.Event()

    def on_connect(self, conn: acp.Client) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> acp.InitializeResponse:
        info = schema.Implementation(name="sdk-agent", title="SDK agent", version="1")
        return acp.InitializeResponse(protocol_version=protocol_version, agent_info=info)

    async def new_session(self, cwd: str, **_: Any) -> acp.NewSessionResponse:
        return acp.NewSessionResponse(session_id=f"sdk:{cwd}")

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> acp.PromptResponse:
        assert self._client is not None
        if prompt[0].text == "wait":
            await self._client.session_update(session_id, acp.update_agent_message(acp.text_block("waiting")))
            await self._cancelled.wait()
            return acp.PromptResponse(stop_reason="cancelled")
        await self._client.session_update(session_id, acp.update_agent_thought(acp.text_block("hm")))
        for number in range(100):
            await self._client.session_update(session_id, acp.update_agent_message(acp.text_block(f"{number} ")))
        call = acp.start_tool_call("call", "Run ls", kind="execute", status="pending", raw_input={"command": "ls"})
        await self._client.session_update(session_id, call)
        options = [
            schema.PermissionOption(option_id="a", name="Always", kind="allow_always"),
            schema.PermissionOption(option_id="y", name="Yes", kind="allow_once"),
            schema.PermissionOption(option_id="n", name="No", kind="reject_once"),
        ]
        answer = await self._client.request_permission(
            session_id=session_id, tool_call=schema.ToolCallUpdate(tool_call_id="call"), options=options
        )
        chosen = getattr(answer.outcome, "option_id", "none")
        done = acp.update_tool_call(
            "call", status="completed", content=[acp.tool_content(acp.text_block(f"chose {chosen}"))]
        )
        await self._client.session_update(session_id, done)
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, **_: Any) -> None:
        self._cancelled.set()


agent: Any = SdkAgent()
asyncio.run(acp.run_agent(agent))
