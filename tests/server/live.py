"""A live connection as a browser has it: server-sent events, parsed, with patience."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
import msgspec

PATIENCE = 20.0  # a limit against hanging, not a measure of speed


class Heard(NamedTuple):
    """One event: its name, its id, its data. A comment has the name `:`."""

    name: str
    id: str
    data: Any


class Live:
    """What a connection says, one event after the other."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._events = self._parsed()

    async def _parsed(self) -> AsyncIterator[Heard]:
        fields: dict[str, str] = {}
        async for line in self.answer.aiter_lines():
            if line.startswith(":"):
                yield Heard(":", "", line[1:].strip())
            elif line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif fields:
                yield Heard(fields["event"], fields.get("id", ""), msgspec.json.decode(fields["data"]))
                fields = {}

    async def any(self) -> Heard:
        """The next event or comment."""
        async with asyncio.timeout(PATIENCE):
            return await anext(self._events)

    async def next(self, *names: str) -> Heard:
        """The next event with one of these names; without a name, the next that is no comment."""
        async with asyncio.timeout(PATIENCE):  # signs of life must not pass for what is waited for
            while True:
                heard = await self.any()
                if heard.name in names or (not names and heard.name != ":"):
                    return heard

    async def records(self, count: int) -> list[Heard]:
        return [await self.next("record") for _ in range(count)]

    async def ends(self) -> bool:
        """Whether the connection ends, whatever is said before."""
        async with asyncio.timeout(PATIENCE):
            async for _ in self._events:
                pass
        return True


@asynccontextmanager
async def live(api: httpx.AsyncClient, *follows: str, **others: str | int) -> AsyncGenerator[Live]:
    """Watch, for the length of the block."""
    params = [("follow", follow) for follow in follows] + [(name, str(value)) for name, value in others.items()]
    async with listening(api, "/api/stream", *params) as stream:
        yield stream


@asynccontextmanager
async def listening(api: httpx.AsyncClient, path: str, *params: tuple[str, str]) -> AsyncGenerator[Live]:
    """Hear what any streaming address says, for the length of the block."""
    async with api.stream("GET", path, params=params) as answer:
        assert answer.status_code == 200, await answer.aread()
        yield Live(answer)


def seqs(heard: list[Heard]) -> list[int]:
    return [int(event.id.partition(":")[2]) for event in heard]
