"""How late the event loop is: once a second something is due, and it is noted by how much it came too late."""

import asyncio
from collections import deque

import msgspec

SECONDS = 1.0
KEPT = 60


class Lateness(msgspec.Struct, frozen=True):
    """Milliseconds: the last time, and the worst of the last minute."""

    last: float
    worst: float


class Pulse:
    """Beats while it runs."""

    def __init__(self) -> None:
        self._late: deque[float] = deque([0.0], maxlen=KEPT)

    @property
    def lateness(self) -> Lateness:
        return Lateness(round(self._late[-1], 2), round(max(self._late), 2))

    async def run(self) -> None:
        """Beat until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + SECONDS
            await asyncio.sleep(SECONDS)
            self._late.append(max(0.0, loop.time() - due) * 1000)
