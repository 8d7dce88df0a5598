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


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent turned out to be."""

    name: str
    version: str
    capabilities: wire.AgentCapabilities
    ways: tuple[str, ...]
    """How a person can sign in with it."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which session the agent is to work in. `run` is the mark of what it starts.

    `unfinished` is what it said of an answer that was cut off, for a session that is taken up.
    """

    workspace: Path
    reference: str = ""
    run: str = ""
    unfinished: str = ""

    @property
    def params(self) -> dict[str, Any]:
        ours = {name: said for name, said in (("run", self.run), ("unfinished", self.unfinished)) if said}
        meta = {"_meta": {"holdfast": ours}} if ours else {}
        return {"cwd": str(self.workspace), "mcpServers": [], **meta}


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A session of the agent's. `fresh` says that it is a new one."""

    reference: str
    fresh: bool
    choosable: wire.Choosable


async def greet(connection: Connection) -> Hello:
    """Raise `Rejected`, `Gone` or `Strange` if it comes to nothing."""
    hello = await _initialize(connection)
    about = hello.agent_info or wire.AgentInfo()
    return Hello(
        name=about.title or about.name,
        version=about.version or "",
        capabilities=hello.agent_capabilities or wire.AgentCapabilities(),
        ways=tuple(method.name for method in hello.auth_methods or () if method.name),
    )


async def enter(connection: Connection, hello: Hello, wanted: Wanted) -> Opened:
    """Take up the session that is wanted, or begin one. Raise as `greet`."""
    taken = await _take_up(connection, hello.capabilities, wanted) if wanted.reference else None
    if taken is not None:
        return Opened(reference=wanted.reference, fresh=False, choosable=_choosable(taken))
    result = await _begin(connection, hello, wanted)
    opened = wire.read(result, wire.SessionOpened)
    if opened is None:
        raise Strange("it opened a session without naming it.")
    return Opened(reference=opened.session_id, fresh=True, choosable=_choosable(result))


def _choosable(result: msgspec.Raw) -> wire.Choosable:
    return wire.read(result, wire.Choosable) or wire.Choosable()


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


async def _take_up(connection: Connection, capabilities: wire.AgentCapabilities, wanted: Wanted) -> msgspec.Raw | None:
    """What the agent says when it goes on with an earlier session; None if it can't. That is no failure."""
    sessions = capabilities.session_capabilities
    if sessions is not None and sessions.resume is not None:
        method = "session/resume"
    elif capabilities.load_session:
        method = "session/load"
    else:
        return None
    try:
        return await connection.request(method, {"sessionId": wanted.reference, **wanted.params})
    except Rejected:
        return None


async def _begin(connection: Connection, hello: Hello, wanted: Wanted) -> msgspec.Raw:
    try:
        return await connection.request("session/new", wanted.params)
    except Rejected as exc:
        if exc.code != AUTH_REQUIRED:
            raise
        ways = ", ".join(hello.ways)
        raise Strange(f"it wants you to sign in first ({ways or exc}). Do that in a terminal, then try again.") from exc
