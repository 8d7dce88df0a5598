"""The built-in agent's end of the pipe: what it says, and what it asks and waits for.

Writing never waits; `drain` does, and whoever says much calls it. A request that is called off by cancelling whoever
waits for it is forgotten: its answer, should it come, is nobody's.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol, cast

import msgspec

from holdfast.agents.acp.jsonrpc import INTERNAL_ERROR, Failure, Id, Message, Peer, Request, Response

Json = dict[str, Any]


class Outlet(Protocol):
    """Where lines go: an asyncio.StreamWriter, or a list in a test."""

    def write(self, data: bytes, /) -> None: ...
    async def drain(self) -> None: ...


class Link:
    def __init__(self, outlet: Outlet) -> None:
        self._peer = Peer()
        self._outlet = outlet
        self._waiting: dict[Id, asyncio.Future[Json | None]] = {}
        self.forms = False
        """Whether the client can show a form."""
        self.live = False
        """Whether the client takes a command's output in pieces."""

    def feed(self, data: bytes) -> list[Message]:
        """What the client said, in reading order, without the answers that somebody here waits for."""
        return [message for message in self._peer.feed(data) if not self._answered(message)]

    def _answered(self, message: Message) -> bool:
        if not isinstance(message, Response | Failure):
            return False
        waiting = self._waiting.pop(message.id, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(as_object(message.result) if isinstance(message, Response) else None)
        return True

    async def request(self, method: str, params: Mapping[str, Any]) -> Json | None:
        """The client's answer; None if it answered with an error."""
        number, line = self._peer.request(method, params)
        future: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._outlet.write(line)
        try:
            return await future
        finally:
            self._waiting.pop(number, None)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._outlet.write(self._peer.notify(method, params))

    def respond(self, request: Id, result: Any) -> None:
        self._outlet.write(self._peer.respond(request, result))

    def refuse(self, request: Id, message: str, code: int = INTERNAL_ERROR) -> None:
        self._outlet.write(self._peer.refuse(request, code, message))

    def unknown(self, request: Request) -> None:
        self._outlet.write(self._peer.unknown(request))

    async def drain(self) -> None:
        """Return when the client has read enough for more to be said."""
        await self._outlet.drain()


class Voice:
    """What one turn of one conversation says to its client."""

    def __init__(self, link: Link, session: str, turn: str = "") -> None:
        self._link = link
        self._session = session
        self._mark: Json = {"_meta": {"holdfast": {"turn": turn}}} if turn else {}

    def update(self, what: str, /, **fields: Any) -> None:
        mark = {} if "_meta" in fields else self._mark
        body = {"sessionUpdate": what, **fields, **mark}
        self._link.notify("session/update", {"sessionId": self._session, "update": body})

    def say(self, text: str, message: str) -> None:
        self.update("agent_message_chunk", content={"type": "text", "text": text}, messageId=message)

    def think(self, text: str, message: str) -> None:
        self.update("agent_thought_chunk", content={"type": "text", "text": text}, messageId=message)

    def notice(self, text: str, level: str = "info", code: str = "") -> None:
        body = {"sessionId": self._session, "text": text, "level": level, "code": code}
        self._link.notify("_holdfast/notice", body)

    async def ask(self, method: str, **params: Any) -> Json | None:
        return await self._link.request(method, {"sessionId": self._session, **params})

    async def drain(self) -> None:
        await self._link.drain()

    @property
    def forms(self) -> bool:
        return self._link.forms

    @property
    def live(self) -> bool:
        return self._link.live


def as_object(raw: msgspec.Raw) -> Json:
    value = msgspec.json.decode(raw)
    return cast("Json", value) if isinstance(value, dict) else {}


def at(value: Any, *path: str) -> Any:
    """What lies at `path` in something that a client sent; None if nothing does."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = cast("Json", value).get(name)
    return value
