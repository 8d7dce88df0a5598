"""An agent written with the official SDK that has the client do its work: files and terminals.

A message is lines of `WORD ARGUMENT`, carried out one by one; what comes of each is said as a line.
"""

import asyncio
from typing import Any

import acp
from acp import schema

OPTIONS = [
    schema.PermissionOption(option_id="y", name="Yes", kind="allow_once"),
    schema.PermissionOption(option_id="n", name="No", kind="reject_once"),
]


class Worker:
    """As much of `acp.Agent` as is called."""

    def __init__(self) -> None:
        self._client: Any = None
        self._session = ""
        self._cwd = ""
        self._terminal = ""
        self._calls = 0

    def on_connect(self, conn: acp.Client) -> None:
        self._client = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, **_: Any
    ) -> acp.InitializeResponse:
        assert client_capabilities.terminal
        assert client_capabilities.fs.read_text_file
        assert client_capabilities.fs.write_text_file
        return acp.InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: Any) -> acp.NewSessionResponse:
        self._session, self._cwd = f"worker:{cwd}", cwd
        return acp.NewSessionResponse(session_id=self._session)

    async def prompt(self, prompt: list[Any], **_: Any) -> acp.PromptResponse:
        for line in prompt[0].text.splitlines():
            word, _, argument = line.partition(" ")
            try:
                said = await getattr(self, f"do_{word}")(argument)
            except acp.RequestError as exc:
                said = f"refused {exc}"
            text = acp.update_agent_message(acp.text_block(f"{word}: {said}\n"))
            await self._client.session_update(self._session, text)
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, **_: Any) -> None:
        pass

    async def do_read(self, path: str) -> str:
        answer = await self._client.read_text_file(session_id=self._session, path=f"{self._cwd}/{path}")
        return repr(answer.content)

    async def do_lines(self, path: str) -> str:
        answer = await self._client.read_text_file(
            session_id=self._session, path=f"{self._cwd}/{path}", line=2, limit=1
        )
        return repr(answer.content)

    async def do_write(self, argument: str) -> str:
        path, _, content = argument.partition(" ")
        await self._client.write_text_file(session_id=self._session, path=f"{self._cwd}/{path}", content=content)
        return "written"

    async def do_run(self, command: str) -> str:
        """Start a command, and show its terminal in a tool call."""
        answer = await self._client.create_terminal(session_id=self._session, command=command, cwd=self._cwd)
        self._terminal = answer.terminal_id
        self._calls += 1
        content = [schema.TerminalToolCallContent(type="terminal", terminal_id=self._terminal)]
        call = acp.start_tool_call(f"call-{self._calls}", command, kind="execute", content=content)
        await self._client.session_update(self._session, call)
        return self._terminal

    async def do_short(self, command: str) -> str:
        """Start a command of whose output ten bytes are wanted."""
        answer = await self._client.create_terminal(
            session_id=self._session, command=command, cwd=self._cwd, output_byte_limit=10
        )
        self._terminal = answer.terminal_id
        return self._terminal

    async def do_environment(self, value: str) -> str:
        env = [schema.EnvVariable(name="COLOUR", value=value)]
        answer = await self._client.create_terminal(
            session_id=self._session, command="printenv", args=["COLOUR"], env=env
        )
        self._terminal = answer.terminal_id
        return self._terminal

    async def do_leave(self, command: str) -> str:
        """Ask for leave to run a command."""
        call = schema.ToolCallUpdate(tool_call_id="asked", title=command, raw_input={"command": command})
        answer = await self._client.request_permission(session_id=self._session, tool_call=call, options=OPTIONS)
        return getattr(answer.outcome, "option_id", "none")

    async def do_wait(self, _: str) -> str:
        answer = await self._client.wait_for_terminal_exit(session_id=self._session, terminal_id=self._terminal)
        return f"{answer.exit_code} {answer.signal}"

    async def do_output(self, _: str) -> str:
        answer = await self._client.terminal_output(session_id=self._session, terminal_id=self._terminal)
        ended = answer.exit_status and (answer.exit_status.exit_code, answer.exit_status.signal)
        return f"{answer.output!r} {answer.truncated} {ended}"

    async def do_kill(self, _: str) -> str:
        await self._client.kill_terminal(session_id=self._session, terminal_id=self._terminal)
        return "killed"

    async def do_release(self, _: str) -> str:
        await self._client.release_terminal(session_id=self._session, terminal_id=self._terminal)
        return "released"


agent: Any = Worker()
asyncio.run(acp.run_agent(agent))
