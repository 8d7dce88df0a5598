"""A session's live connection, said in the dialect: first what waits, then one event for each change of that.

Law: it is a fold over the native stream from the snapshot's own seq, so nothing lies between the first event and the
second, and a client that reads slowly waits at its cursor like any other viewer, missing nothing.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Generic, Literal

from starlette.types import ASGIApp

from holdfast.core import codec
from holdfast.core.askqueue import AskKind, AskQueue
from holdfast.core.ids import SessionId
from holdfast.server.dialect.addressed import named_session, opened
from holdfast.server.hub import PULSE, Wish
from holdfast.server.live import Live
from holdfast.server.schema.base import Answer
from holdfast.server.sse import ALIVE, events_in, frame
from holdfast.server.viewer import Viewer
from holdfast.server.wiring import Wiring

KEEPALIVE = b": keepalive\n\n"


class Subscription(Generic[AskKind]):
    """Says `initial`, and after it `event`, each with the `value` of the queue as it was then."""

    def __init__(
        self,
        event: Literal["approval", "clarify"],
        queue: AskQueue[AskKind],
        value: Callable[[AskQueue[AskKind]], Answer],
        clock: Callable[[], float],
    ) -> None:
        self._event: Literal["approval", "clarify"] = event
        self._queue = queue
        self._value = value
        self._clock = clock

    async def bodies(self, viewer: Viewer) -> AsyncGenerator[bytes]:
        """What to send, until the viewer leaves or its session is gone. A run that talks on is silence here."""
        yield frame("initial", self._value(self._queue))
        spoke = self._clock()
        async with aclosing(viewer.bodies()) as bodies:
            async for body in bodies:
                for name, data in events_in(body):
                    if name in ("gone", "reset"):
                        return
                    if name == "record" and self._queue.apply(codec.decode_record(data)):
                        yield frame(self._event, self._value(self._queue))
                        spoke = self._clock()
                if body == ALIVE or self._clock() - spoke >= PULSE:
                    yield KEEPALIVE
                    spoke = self._clock()


async def subscribed(
    wiring: Wiring,
    session_id: str | None,
    kind: type[AskKind],
    event: Literal["approval", "clarify"],
    value: Callable[[SessionId, AskQueue[AskKind]], Answer],
) -> ASGIApp:
    """The response that follows what waits in a session."""
    session = await named_session(wiring, session_id)
    found = await opened(wiring, session)
    wish = Wish(follows=[(session, found.session.seq)], lineage=found.lineage)
    queue = AskQueue(found.session, kind)
    return Live(wiring.hub, wish, Subscription(event, queue, lambda queue: value(session, queue), wiring.clock).bodies)
