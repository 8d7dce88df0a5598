"""A narration as a live response: what was told before the client came, then what is told now, until it is over.

A viewer of the session is the bell: whenever it has something to send, or a sign of life is due, the log itself is read
on from where this response stands. So a slow client waits at its own place like any other.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Protocol

import msgspec

from holdfast.core.errors import NoSuchSession, StoreError
from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.server.hub import Wish
from holdfast.server.live import Live
from holdfast.server.sse import ALIVE, events_in
from holdfast.server.viewer import Viewer
from holdfast.server.wiring import Wiring

HEARTBEAT = b": heartbeat\n\n"
BATCH = 500
_encode = msgspec.json.Encoder().encode


class Teller(Protocol):
    """Says what a session's records mean to one client. `over`: nothing will be said any more."""

    over: bool

    async def open(self) -> list[bytes]:
        """What is said at once."""
        ...

    async def say(self, record: Record) -> list[bytes]:
        """What the next record means."""
        ...


def event(name: str, data: Any, cursor: str = "") -> bytes:
    """One server-sent event. JSON has no line breaks of its own, so one line holds it."""
    head = b"id: %s\n" % cursor.encode() if cursor else b""
    return b"%sevent: %s\ndata: %s\n\n" % (head, name.encode(), _encode(data))


class Following:
    """Tells the records above `after`."""

    def __init__(self, wiring: Wiring, session: SessionId, after: int, teller: Teller) -> None:
        self._wiring = wiring
        self._session = session
        self._seq = after
        self._teller = teller

    def response(self, head: int) -> Live:
        """The log reaches to `head` now."""
        return Live(self._wiring.hub, Wish(follows=[(self._session, head)]), self.bodies)

    async def bodies(self, viewer: Viewer) -> AsyncGenerator[bytes]:
        for body in await self._teller.open():
            yield body
        async with aclosing(viewer.bodies()) as bells:
            async for bell in bells:
                while records := await self._read():
                    for record in records:
                        said = await self._said(record)
                        for body in said or ():
                            yield body
                        if said is None or self._teller.over:
                            return
                if bell == ALIVE:
                    yield HEARTBEAT
                if any(name in ("gone", "reset") for name, _ in events_in(bell)):
                    return

    async def _said(self, record: Record) -> list[bytes] | None:
        """None if it can't be said now: the connection ends, and the client comes back with its cursor."""
        self._seq = record.seq
        try:
            return await self._teller.say(record)
        except NoSuchSession:
            return None
        except StoreError as exc:
            self._wiring.hub.report(exc)
            return None

    async def _read(self) -> list[Record]:
        """A store that can't be read now is read at the next sign of life."""
        try:
            return await self._wiring.store.read(self._session, self._seq, BATCH)
        except NoSuchSession:
            return []
        except StoreError as exc:
            self._wiring.hub.report(exc)
            return []
