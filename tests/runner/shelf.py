"""A store that holds one session's facts and can be made to fail in every way that a runner meets."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from holdfast.core.errors import Fenced, Hole, StoreBusy, StoreError
from holdfast.core.events import Event
from holdfast.core.ids import SessionId
from holdfast.core.records import Position
from holdfast.store.protocol import Appended, Store


class Shelf:
    """Only what an outbox uses. `appends` are the groups that arrived, `facts` what is stored, in order."""

    def __init__(self) -> None:
        self.appends: list[list[Event]] = []
        self.facts: list[Event] = []
        self.tries = 0
        self.fault: Exception | None = None
        self.ambiguous = False
        self.open = asyncio.Event()
        self.open.set()

    @property
    def store(self) -> Store:
        return cast("Store", self)

    async def append(
        self, session: SessionId, events: Sequence[Event], *, position: Position | None = None, key: str | None = None
    ) -> Appended:
        assert position is not None
        assert key is None
        self.tries += 1
        await self.open.wait()
        await asyncio.sleep(0)
        if self.fault is not None:
            raise self.fault
        last = len(self.facts)
        if position.n > last + 1:
            raise Hole(session, last + 1, position.n)
        new = list(events)[max(0, last + 1 - position.n) :]
        self.facts += new
        self.appends.append(list(events))
        if self.ambiguous:
            self.ambiguous = False
            raise StoreBusy("it was stored all the same")
        return Appended(last + 1, len(self.facts), len(new))

    def fail(self, fault: StoreError | Fenced | None) -> None:
        self.fault = fault

    @property
    def text(self) -> str:
        return "".join(cast("Any", fact).text for fact in self.facts)
