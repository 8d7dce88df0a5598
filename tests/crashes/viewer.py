"""A browser that watches one session through every crash: it comes back with its cursor and keeps all that it got."""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from tests.crashes.home import Home
from tests.crashes.points import PATIENCE
from tests.crashes.wire import events


class Stuck(Exception):
    """What must come did not come: the session is stuck."""


class Frame(NamedTuple):
    """A record as it came over the wire."""

    seq: int
    data: bytes
    event: dict[str, Any]

    @property
    def kind(self) -> str:
        return self.event["kind"]


class Viewer:
    """Use `watch` as a task. `frames` holds every record in the order of arrival."""

    def __init__(self, home: Home, session: str) -> None:
        self._home = home
        self.session = session
        self.frames: list[Frame] = []
        self.resets = 0
        self._lineage = ""
        self._news = asyncio.Condition()

    async def watch(self) -> None:
        while True:
            address = self._home.address()
            if address is not None:
                after = self.frames[-1].seq if self.frames else 0
                lineage = f"&lineage={self._lineage}" if self._lineage else ""
                try:
                    async for name, cursor, body, _ in events(
                        address, f"/api/stream?follow={self.session}:{after}{lineage}"
                    ):
                        await self._take(name, cursor, body)
                except (OSError, EOFError):
                    pass  # as a browser does: try again
            await asyncio.sleep(0.02)

    async def _take(self, name: str, cursor: str, body: bytes) -> None:
        match name:
            case "ready":
                self._lineage = msgspec.json.decode(body)["lineage"]
            case "reset":
                self.resets += 1
            case "record":
                frame = Frame(int(cursor.partition(":")[2]), body, msgspec.json.decode(body)["event"])
                async with self._news:
                    self.frames.append(frame)
                    self._news.notify_all()
            case _:
                pass

    async def see(self, kind: str, count: int = 1, **fields: str) -> Frame:
        """Wait for the `count`th record of a kind, from the beginning of the session."""

        await self._until(lambda: len(self._found(kind, fields)) >= count, f"{kind} {fields or ''} ({count})")
        return self._found(kind, fields)[count - 1]

    async def sees_before(self, end: str, kind: str, count: int, **fields: str) -> bool:
        """Wait for the `count`th record of a kind; return False if `end` comes first."""
        await self._until(
            lambda: len(self._found(kind, fields)) >= count or bool(self._found(end, fields)),
            f"{kind} {fields} ({count}) and no {end}",
        )
        return len(self._found(kind, fields)) >= count and not self._found(end, fields)

    def _found(self, kind: str, fields: dict[str, str]) -> list[Frame]:
        return [frame for frame in self.frames if _is(frame, kind, fields)]

    async def _until(self, true: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE), self._news:
                await self._news.wait_for(true)
        except TimeoutError:
            heard = ", ".join(frame.kind for frame in self.frames[-5:])
            raise Stuck(f"no {what} within {PATIENCE:.0f} s; last heard: {heard}") from None

    async def next(self, after: int) -> Frame:
        """The frame number `after` + 1, when it is there."""
        async with self._news:
            await self._news.wait_for(lambda: len(self.frames) > after)
            return self.frames[after]


def _is(frame: Frame, kind: str, fields: dict[str, str]) -> bool:
    kinds = kind.split("|")
    return frame.kind in kinds and all(frame.event.get(name) == value for name, value in fields.items())
