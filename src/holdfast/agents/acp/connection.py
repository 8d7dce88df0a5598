"""A child process and a JSON-RPC peer, joined: what comes out of one goes into the other, in reading order.

`run` reads until the child's output ends and returns then; whoever waits for an answer is told that none will come.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Raw

from holdfast.agents.acp import wire
from holdfast.agents.acp.jsonrpc import Failure, Id, Malformed, Notification, Overlong, Peer, Request, Response
from holdfast.agents.child import Child

log = logging.getLogger(__name__)

LAST_WORDS = 1.0
"""Seconds that a child gets to exit after it has closed its output."""

Answer = Callable[[Response | Failure | None], None]


class Rejected(Exception):
    """The agent answered a request with an error."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(explain(failure))
        self.code = failure.code


class Gone(Exception):
    """The agent's process ended before it answered."""


class Receiver(Protocol):
    """Who gets what the agent says. Called in reading order; must not wait, except in `room`."""

    def requested(self, request: Request) -> None: ...
    def notified(self, notification: Notification) -> None: ...
    async def room(self) -> None:
        """Return when more may be read."""
        ...


class Connection:
    def __init__(self, child: Child, receiver: Receiver) -> None:
        self._child = child
        self._receiver = receiver
        self._peer = Peer()
        self._waiting: dict[Id, Answer] = {}
        self.over = False
        """Whether the child is known to be dead: nothing more is heard, and nothing it is asked is answered."""
        self.fault = ""
        """Why we ended the child, if it was our decision."""

    def ask(self, method: str, params: Mapping[str, Any], answer: Answer) -> None:
        """Send a request; `answer` is called with its response in reading order, or with None at the child's end."""
        if self.over:
            answer(None)
            return
        number, line = self._peer.request(method, params)
        self._waiting[number] = answer
        self._child.write(line)

    async def request(self, method: str, params: Mapping[str, Any]) -> Raw:
        """Return the result. Raise `Rejected` or `Gone`."""
        future: asyncio.Future[Response | Failure | None] = asyncio.get_running_loop().create_future()
        self.ask(method, params, lambda said: None if future.done() else future.set_result(said))
        match await future:
            case Response(result=result):
                return result
            case Failure() as failure:
                raise Rejected(failure)
            case None:
                raise Gone

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._child.write(self._peer.notify(method, params))

    def respond(self, request: Id, result: Any) -> None:
        self._child.write(self._peer.respond(request, result))

    def refuse(self, request: Id, code: int, message: str) -> None:
        self._child.write(self._peer.refuse(request, code, message))

    def unknown(self, request: Request) -> None:
        self._child.write(self._peer.unknown(request))

    async def run(self) -> int | None:
        """Read until the child's output ends, end what is left of its tree, and return its exit code."""
        try:
            while not self.fault and (data := await self._child.read()):
                for message in self._peer.feed(data):
                    self._receive(message)
                await self._receiver.room()
            await self._await_exit()
        finally:
            self.over = True
            waiting, self._waiting = self._waiting, {}
            for answer in waiting.values():
                answer(None)
        return self._child.code

    async def _await_exit(self) -> None:
        try:
            async with asyncio.timeout(0 if self.fault else LAST_WORDS):
                await self._child.wait()
        except TimeoutError:
            self.fault = self.fault or "The agent closed its output, so nothing more could come of it."
        await self._child.end()
        await self._child.wait()

    def _receive(self, message: Request | Notification | Response | Failure | Malformed | Overlong) -> None:
        match message:
            case Notification():
                self._receiver.notified(message)
            case Request():
                self._receiver.requested(message)
            case Response() | Failure():
                self._waiting.pop(message.id)(message)
            case Malformed():
                log.warning("agent.malformed", extra={"reason": message.reason, "line": message.line})
            case Overlong():
                self.fault = f"The agent sent a line of more than {message.limit:,} bytes; it was ended."


def explain(failure: Failure) -> str:
    """An agent's error as a sentence: its message, and the details that some put beside it."""
    data = wire.read(failure.data, wire.ErrorData)
    more = (data.details or data.message) if data else wire.read(failure.data, str)
    message = failure.message.strip() or f"error {failure.code}"
    return f"{message}: {more}" if more and more not in message else message
