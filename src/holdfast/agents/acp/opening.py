"""The first words with an agent: which protocol, what it can do, and which session."""

from pathlib import Path
from typing import Any

import msgspec

from holdfast import __version__
from holdfast.agents.acp import wire
from holdfast.agents.acp.connection import Connection, Gone, Rejected
from holdfast.agents.acp.jsonrpc import AUTH_REQUIRED

CAPABILITIES: dict[str, Any] = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "elicitation": {"form": {}},
    "_meta": {"terminal_output": True},  # some agents stream a command's output only if this is said
}


class Strange(Exception):
    """The agent answered, but not as the protocol says."""


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent turned out to be. `fresh` says that its session is a new one."""

    name: str
    reference: str
    fresh: bool
    capabilities: wire.AgentCapabilities


async def shake_hands(connection: Connection, workspace: Path, reference: str) -> Opened:
    """Raise `Rejected`, `Gone` or `Strange` if it comes to nothing."""
    hello = await _initialize(connection)
    capabilities = hello.agent_capabilities or wire.AgentCapabilities()
    about = hello.agent_info or wire.AgentInfo()
    fresh = not (reference and await _take_up(connection, capabilities, workspace, reference))
    if fresh:
        reference = await _begin(connection, hello, workspace)
    return Opened(name=about.title or about.name, reference=reference, fresh=fresh, capabilities=capabilities)


def why(error: Exception, connection: Connection, seconds: float) -> str:
    """A sentence for what went wrong."""
    match error:
        case TimeoutError():
            return f"it was not ready within {seconds:.0f} seconds."
        case Gone():
            return connection.fault or "its process ended before it was ready."
        case _:
            return str(error)


async def _initialize(connection: Connection) -> wire.Initialized:
    params = {
        "protocolVersion": wire.VERSION,
        "clientCapabilities": CAPABILITIES,
        "clientInfo": {"name": "holdfast", "title": "Holdfast", "version": __version__},
    }
    hello = wire.read(await connection.request("initialize", params), wire.Initialized)
    if hello is None:
        raise Strange("its first answer is not what the Agent Client Protocol says.")
    if hello.protocol_version != wire.VERSION:
        raise Strange(
            f"it speaks version {hello.protocol_version} of the Agent Client Protocol, and Holdfast {wire.VERSION}."
        )
    return hello


async def _take_up(
    connection: Connection, capabilities: wire.AgentCapabilities, workspace: Path, reference: str
) -> bool:
    """Return whether the agent goes on with an earlier session. One that it has lost is no failure."""
    sessions = capabilities.session_capabilities
    if sessions is not None and sessions.resume is not None:
        method = "session/resume"
    elif capabilities.load_session:
        method = "session/load"
    else:
        return False
    try:
        await connection.request(method, {"sessionId": reference, "cwd": str(workspace), "mcpServers": []})
    except Rejected:
        return False
    return True


async def _begin(connection: Connection, hello: wire.Initialized, workspace: Path) -> str:
    try:
        result = await connection.request("session/new", {"cwd": str(workspace), "mcpServers": []})
    except Rejected as exc:
        if exc.code != AUTH_REQUIRED:
            raise
        ways = ", ".join(method.name for method in hello.auth_methods or () if method.name)
        raise Strange(f"it wants you to sign in first ({ways or exc}). Do that in a terminal, then try again.") from exc
    opened = wire.read(result, wire.SessionOpened)
    if opened is None:
        raise Strange("it opened a session without naming it.")
    return opened.session_id
