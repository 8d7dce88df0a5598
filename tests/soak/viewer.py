"""A browser that follows some sessions, is cut off, reloads, and comes back: with its cursors, or from a snapshot.

Law: of every session it is sent each record once, in order, from its cursor on.
"""

import asyncio
import contextlib
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from tests.crashes.verdict import Flaw
from tests.crashes.wire import Address, Event, ask, events
from tests.soak.heard import Heard

FRESH = 0.3
"""How many of the returns begin anew."""
WHOLE = 0.1
"""How many of those read a session from its first record on."""


class Viewer:
    """Use `watch` as a task. `keeps`: it returns to its first session with its cursor always, so that of every session
    somebody has all. `where` is the living server, if there is one."""

    def __init__(
        self,
        where: Callable[[], Address | None],
        number: int,
        heard: list[Heard],
        dice: Random,
        *,
        stay: float,
        keeps: bool,
    ) -> None:
        self._where = where
        self._name = f"viewer {number}"
        self._heard = {each.name: each for each in heard}
        self._keeps = heard[0].name if keeps else ""
        self._dice = dice
        self._stay = stay
        self._lineage = ""
        self._lists = number % 3 == 0
        self.change = 0
        self.cursors = {each.name: 0 for each in heard}
        self.flaws: list[Flaw] = []
        self.bytes = 0
        self.words = 0
        self.word_bytes = 0
        self.reloads = 0
        self.returns = 0

    async def watch(self) -> None:
        """Stay for a while, again and again."""
        while True:
            address = self._where()
            if address is None:
                await asyncio.sleep(0.05)
                continue
            with contextlib.suppress(OSError, EOFError, TimeoutError):
                await self._visit(address)
            await asyncio.sleep(0.05)

    async def _visit(self, address: Address) -> None:
        if self.returns and self._dice.random() < FRESH:
            await self._begin_anew(address)
            self.reloads += 1
        async with asyncio.timeout(self._dice.uniform(0.1, 2) * self._stay):
            async for event in events(address, self._path()):
                await self.take(event)

    async def _begin_anew(self, address: Address) -> None:
        """Load every session as a browser does that knows nothing, or read one from its beginning."""
        self.change = 0
        for name in self.cursors:
            if name == self._keeps:
                continue
            if self._dice.random() < WHOLE:
                self.cursors[name] = 0
                continue
            answer = await ask(address, "GET", f"/api/sessions/{name}")
            if answer.status == 200:
                self.cursors[name] = answer.body["seq"]
            elif answer.status < 500:
                self.flaws.append(Flaw("lost", f"{self._name}: {name} answers {answer.status}"))

    def _path(self) -> str:
        follows = "&".join(f"follow={name}:{seq}" for name, seq in self.cursors.items())
        lineage = f"&lineage={self._lineage}" if self._lineage else ""
        return f"/api/stream?{follows}{lineage}" + (f"&list={self.change}" if self._lists else "")

    async def take(self, event: Event) -> None:
        """What the stream sent next."""
        self.bytes += event.size
        match event.name:
            case "record":
                name, _, seq = event.id.partition(":")
                words = await self._record(name, int(seq), event.data)
                self.words += words
                self.word_bytes += event.size if words else 0
            case "ready":
                self._lineage = _field(event.data, "lineage")
                self.returns += 1
            case "session":
                self._row(_field(event.data, "change"))
            case "reset" | "gone":
                self.flaws.append(Flaw("lost", f"{self._name} was told {event.name}: {event.data!r}"))
            case _:
                pass

    async def _record(self, name: str, seq: int, data: bytes) -> int:
        """Take it, and return how many words of the agent it holds."""
        before = self.cursors[name]
        if seq != before + 1:
            kind = "doubled" if seq <= before else "lost"
            self.flaws.append(Flaw(kind, f"{self._name} got record {seq} of {name} after {before}"))
        self.cursors[name] = seq
        return await self._heard[name].take(seq, data)

    def _row(self, change: int) -> None:
        if change <= self.change:
            self.flaws.append(Flaw("doubled", f"{self._name} got change {change} of the list after {self.change}"))
        self.change = change

    @property
    def lists(self) -> bool:
        return self._lists


def _field(data: bytes, name: str) -> Any:
    return msgspec.json.decode(data)[name]
