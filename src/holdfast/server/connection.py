"""What a connection may cost before it is answered: its head has a size and a time, its body comes at a pace, and there
are so many at once.

Law: whoever owes us something is waited for, but not for ever, and is told why if they had begun. Where there is no
room, who has owed a head for longest goes first: who says what they want at once is always heard. Who has been answered
owes the next head, whatever is still to come of what was asked before.
"""

import asyncio
import contextlib
import resource
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Literal, Protocol, cast

import msgspec
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from holdfast.server.guard import Refusal, turn_away
from holdfast.server.schema.records import Failure

HEAD = 64_000
"""Bytes of a request's head."""
HEAD_SECONDS = 15.0
BODY = 10_000
"""Bytes of a body that have come after each `BODY_SECONDS` at least."""
BODY_SECONDS = 60.0
BODIES = (b"content-length", b"transfer-encoding")
CONNECTIONS = 4_000
OTHER_FILES = 500
"""Files that the server has open beside its connections, with room to spare."""
LINGER_SECONDS = 1.0
"""What still comes is heard for so long: a connection that is closed before loses the answer too."""

LARGE = Refusal(431, "HeadTooLarge", f"The head of the request is too large. At most {HEAD:,} bytes are taken.")
LATE = Refusal(408, "TooSlow", "The request did not come in time. Send it again.")
FULL = Refusal(503, "TooManyConnections", "Too many connections are open already. Close some, or try again later.")

Owed = Literal["head", "body"]


def make_room() -> None:
    """Have the system let us open as many files as connections need, as far as it does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + OTHER_FILES
    wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # some systems have a bound of their own
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most() -> int:
    """Connections that there may be now."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if soft == resource.RLIM_INFINITY else min(CONNECTIONS, max(soft - OTHER_FILES, soft // 2))


class Guest(Protocol):
    """Whoever has a place."""

    owes: Owed | None
    since: float

    def give_way(self, *, to: "Guest") -> None: ...


def make_way(newcomer: Guest, everybody: set[Guest]) -> None:
    """If there is no room for who has just come, somebody goes: who has owed a head for longest."""
    if len(everybody) > most():
        longest = min((each for each in everybody if each.owes == "head"), key=lambda each: each.since)
        longest.give_way(to=newcomer)


class Connection(HttpToolsProtocol):
    """One connection of uvicorn's, and what it owes us now."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.owes: Owed | None = None
        self.since = 0.0
        self._due: asyncio.TimerHandle | None = None
        self._begun = False
        """Whether a part of a head has come and the rest has not."""
        self._came = 0
        """Bytes of it, or of a body since we last looked."""
        self._loose = 0
        """Bytes since the last that were a part of a request: what frames a body has a bound, too."""
        self._leaving = False
        """Whether there is no next request: they said so."""
        self._over = False
        self.arrived: Callable[[], None] = lambda: None
        """Called before it takes a place of its own."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.arrived()
        super().connection_made(transport)
        self._owe("head")
        make_way(self, cast("set[Guest]", self.connections))

    def give_way(self, *, to: "Guest") -> None:
        """There is no room for both. Only who has just come hears why: nobody listens for an answer before asking."""
        self._owe(None)
        if to is self:
            self.transport.write(written(FULL))
            self.transport.close()
        else:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._owe(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._over:
            return
        growing = self._begun
        self._loose += len(data)
        super().data_received(data)
        if growing and self._begun:
            self._came += len(data)
            if self._came > HEAD:
                self._end(LARGE)
        elif self.owes == "body":
            self._came += len(data)
        if self._loose > HEAD and not self._over:
            self._end(LARGE)
        if not self._over and not self.transport.is_closing():
            self._look()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begun, self._came, self._loose = True, 0, 0

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._begun:  # what comes after a body is of no use to anybody
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        self._loose = 0
        super().on_body(body)

    def on_headers_complete(self) -> None:
        self._begun, self._came, self._loose = False, 0, 0
        self._owe(None)
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        app = self.app
        if size > HEAD:
            self.app = refuse_large
        super().on_headers_complete()
        self.app = app
        cycle = self._asked
        if cycle is not None and not cycle.keep_alive and any(name in BODIES for name, _ in self.headers):
            # They would lose the answer if we hung up while they are still sending.
            self._leaving = True
            cycle.keep_alive = True

    def on_message_complete(self) -> None:
        self._loose = 0
        super().on_message_complete()
        if self._leaving and self._asked is not None and self._asked.response_complete:
            self.transport.close()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        cycle = self._asked
        if self._over or self.transport.is_closing() or cycle is None or not cycle.response_complete:
            return
        if self._leaving and not cycle.more_body:
            self.transport.close()
        else:
            self._look()

    def _look(self) -> None:
        """Something has come: what is owed now? A head that is owed is not owed anew because a part of it came."""
        cycle = self._asked
        owed: Owed | None = "head" if self._begun or cycle is None or cycle.response_complete else None
        if owed is None and cycle is not None and cycle.more_body:
            owed = "body"
        if owed != self.owes:
            self._owe(owed)

    def _owe(self, owed: Owed | None) -> None:
        self.owes, self.since = owed, self.loop.time()
        if self._due is not None:
            self._due.cancel()
        match owed:
            case "head":
                self._due = self.loop.call_later(HEAD_SECONDS, self._late)
            case "body":
                self._due = self.loop.call_later(BODY_SECONDS, self._late)
            case None:
                self._due = None

    def _late(self) -> None:
        if self.owes == "body" and (self._came >= BODY or self.flow.read_paused):
            self._came = 0
            self._owe("body")
        else:
            self._end(LATE)

    def _end(self, refusal: Refusal) -> None:
        """Say why, where words have a place: a browser opens connections that it may never use."""
        self._over = True
        self._owe(None)
        cycle = self._asked
        if cycle is None or cycle.response_complete:
            speaks = self._begun
        else:
            speaks = not self._begun and not cycle.response_started
        if speaks and not self.transport.is_closing():
            self.transport.write(written(refusal))
        self.loop.call_later(LINGER_SECONDS, self.transport.close)

    @property
    def _asked(self) -> RequestResponseCycle | None:
        """The last request whose head has come, and its answer."""
        return cast("RequestResponseCycle | None", self.cycle)


def written(refusal: Refusal) -> bytes:
    """An answer for whoever has not asked yet."""
    content = msgspec.json.encode(Failure(error=refusal.sentence, code=refusal.code))
    status = f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}"
    head = [status, "content-type: application/json", f"content-length: {len(content)}", "connection: close", "", ""]
    return "\r\n".join(head).encode() + content


async def refuse_large(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001  ASGI's shape
    await turn_away(send, LARGE)
