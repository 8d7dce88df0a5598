"""The reads under way, by who makes them, so that they can be ended at once.

Law: a read lasts no longer than the right to it. Only reads are cut off: they change nothing, and a live connection is
one that does not end by itself. A command is judged when the last of it has come, and is over at once.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Ended(Exception):
    """Whoever reads is not signed in any more."""


class Visits:
    """Which device reads what now. The token's own reads go under the empty name."""

    def __init__(self) -> None:
        self._open: dict[str, set[asyncio.Timeout]] = {}

    @asynccontextmanager
    async def visit(self, device: str) -> AsyncGenerator[None]:
        """A read, for the length of the block. Raise `Ended` in it as soon as the device is signed out."""
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._open.setdefault(device, set()).add(limit)
                try:
                    yield
                finally:
                    self._part(device, limit)
        except TimeoutError:
            if limit.expired():
                raise Ended from None
            raise

    def _part(self, device: str, limit: asyncio.Timeout) -> None:
        self._open[device].discard(limit)
        if not self._open[device]:
            del self._open[device]

    def end(self, device: str) -> None:
        for limit in self._open.get(device, ()):
            if limit.when() is None:  # not on its way out already
                limit.reschedule(asyncio.get_running_loop().time())

    def end_all(self, *, but: str | None = None) -> None:
        for device in list(self._open):
            if device != but:
                self.end(device)
