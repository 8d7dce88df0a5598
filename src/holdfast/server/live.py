"""A response that does not end by itself: whatever a viewer's connection says, for as long as somebody listens."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from starlette.types import Receive, Scope, Send

from holdfast.server.hub import Hub, Wish
from holdfast.server.sse import HEADERS
from holdfast.server.viewer import Viewer


class Live:
    """One response, sent until the browser goes or the server ends. `speak` says what a viewer is sent.

    Raise `TooManyViewers` if there is no room for it.
    """

    def __init__(self, hub: Hub, wish: Wish, speak: Callable[[Viewer], AsyncGenerator[bytes]] = Viewer.bodies) -> None:
        hub.check_room()
        self._hub = hub
        self._wish = wish
        self._speak = speak

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  ASGI's shape
        headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        async with self._hub.viewer(self._wish) as viewer, asyncio.TaskGroup() as group:
            watch = group.create_task(_until_gone(receive, viewer))
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            async with aclosing(self._speak(viewer)) as bodies:
                async for body in bodies:
                    await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            watch.cancel()


async def _until_gone(receive: Receive, viewer: Viewer) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    viewer.leave()
