"""The store in a dict: the contract of `protocol` with nothing else in the way.

It is the reference that SQLite is compared with, and what tests use that need a store and no disk. It runs the same
projections (`pages`), because they are ours and not the database's; `tests/store` compares both with a plain fold.
"""

import asyncio
import contextlib
import copy
import secrets
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from time import time_ns
from typing import Any, Literal

import msgspec

from holdfast.core import codec, window
from holdfast.core.errors import BadCommand, Fenced, KeyTaken, NoSuchSession, NotNow, SessionExists
from holdfast.core.events import AnyFact, AnyIntent, Event, SessionCreated, TurnSubmitted
from holdfast.core.figures import Figures, Tally
from holdfast.core.ids import HOUSE, SessionId, TurnId
from holdfast.core.outline import tells
from holdfast.core.overview import Overview
from holdfast.core.records import Late, Position, Record
from holdfast.core.session import Session
from holdfast.core.window import Settled
from holdfast.store.memory.log import HOUSE_NUMBER, Log
from holdfast.store.protocol import (
    Appended,
    Claimed,
    DailyFigures,
    Finds,
    Hit,
    Label,
    Labels,
    Listing,
    Opened,
    Owner,
    Page,
    Query,
    Row,
    SessionSize,
    before,
    begun_by,
    check_fork,
)
from holdfast.store.search import below, found, hit, holds, indexed, newest, words


class MemoryStore:
    """A store that ends with its process."""

    def __init__(self, now: Callable[[], int] = lambda: time_ns() // 1_000_000) -> None:
        self._now = now
        self._lineage = secrets.token_hex(8)
        self._logs: dict[SessionId, Log] = {HOUSE: Log(HOUSE_NUMBER)}
        self._numbers = HOUSE_NUMBER
        self._change = 0
        self._grown = asyncio.Condition()

    async def lineage(self) -> str:
        return self._lineage

    async def create(self, session: SessionId, event: SessionCreated) -> Appended:
        log = self._logs.get(session)
        if log is not None:
            if session == HOUSE or log.keys["created"][1] != codec.encode(event):
                raise SessionExists(session)
            return Appended(1, 1, 0)
        self._numbers += 1
        log = self._logs[session] = Log(self._numbers)
        return await self._store(log, [event], key="created")

    async def admit(
        self, session: SessionId, records: Sequence[Record], replacing: Callable[[Session], bool] = lambda _: False
    ) -> Appended:
        event = begun_by(records)
        there = self._logs.get(session)
        if there is not None and (session == HOUSE or not replacing(there.projection.session)):
            return Appended(1, len(there.records), 0)
        self._numbers += 1
        log = self._logs[session] = Log(self._numbers)
        last = max(records, key=lambda record: (record.epoch, record.n))
        log.epoch, log.position = last.epoch, last.n
        log.keys["created"] = (1, codec.encode(event))
        for seq, record in enumerate(records, 1):
            log.take(msgspec.structs.replace(record, seq=seq))
        await self._finish(log)
        return Appended(1, len(records), len(records), self._now())

    async def fork(
        self, session: SessionId, source: SessionId, goes_on: Callable[[Session], Sequence[AnyIntent]]
    ) -> Appended:
        if source == HOUSE:
            raise NotNow("The house log can't be forked.")
        if session in self._logs:
            return Appended(1, len(self._logs[session].records), 0)
        base = self._find(source)
        events = goes_on(window.load(window.dump(base.projection.session)))
        log, head, time = copy.deepcopy(base), len(base.records), self._now()
        log.settle()
        log.number, log.epoch, log.position, log.tally = self._numbers + 1, base.epoch + 1, 0, Tally()
        log.drained[base.epoch] = base.position
        for seq, event in enumerate(events, head + 1):
            log.take(Record(seq=seq, time=time, event=event))
        check_fork(events, log.projection.session, head + 1)
        log.keys = {"created": (head + 1, codec.encode(events[0]))}
        base.settle()
        self._numbers += 1
        self._logs[session] = log
        await self._finish(log)
        return Appended(head + 1, len(log.records), len(events), time)

    async def append(
        self,
        session: SessionId,
        events: Sequence[Event],
        *,
        position: Position | None = None,
        key: str | None = None,
        check: Callable[[Session], None] | None = None,
    ) -> Appended:
        if not events:
            raise BadCommand("An append needs at least one event.")
        log, head = self._find(session), len(self._find(session).records)
        fresh = list(events) if position is None else log.unstored(session, position, events)
        if not fresh:
            return Appended(head, head, 0)
        if key in log.keys:
            seq, body = log.keys[key]
            if body != codec.encode(fresh[-1]):
                raise KeyTaken(key, seq)
            log.position += len(fresh) if position is not None else 0
            return Appended(seq, seq, 0)
        if check is not None:
            check(log.projection.session)
        return await self._store(log, fresh, key=key, epoch=0 if position is None else position.epoch)

    async def claim(self, session: SessionId, loss: Callable[[Session], Sequence[AnyFact]]) -> Claimed:
        log = self._find(session)
        facts: Any = loss(log.projection.session)
        log.drained[log.epoch] = log.position
        log.epoch, log.position = log.epoch + 1, 0
        if facts:
            await self._store(log, facts, epoch=log.epoch)
        log.settle()
        state = window.load(window.dump(log.projection.session))
        return Claimed(log.epoch, len(log.records), state, log.position)

    async def adopt(
        self, session: SessionId, facts: Sequence[tuple[Position, Event]], *, turn: TurnId, epoch: int
    ) -> Appended:
        log, head = self._find(session), len(self._find(session).records)
        if epoch != log.epoch:
            raise Fenced(session, epoch, log.epoch)
        fresh: Any = [(at, fact) for at, fact in facts if at.n > log.drained.get(at.epoch, 0)]
        if not fresh:
            return Appended(head, head, 0)
        for seq, (at, fact) in enumerate(fresh, head + 1):
            late = Late(epoch=at.epoch, turn=turn)
            log.take(Record(seq=seq, time=self._now(), event=fact, epoch=epoch, n=at.n, late=late))
            log.drained[at.epoch] = at.n
        await self._finish(log)
        return Appended(head + 1, head + len(fresh), len(fresh))

    async def read(self, session: SessionId, after: int, limit: int) -> list[Record]:
        records = self._find(session).records
        first = bisect_right(records, after, key=lambda record: record.seq)
        return records[first : first + limit]

    async def telling(self, session: SessionId, after: int, limit: int) -> list[Record]:
        found = [record for record in self._find(session).records if record.seq > after and tells(record.event)]
        return found[:limit]

    async def times(self, session: SessionId, after: int, until: int) -> list[int]:
        return [record.time for record in self._find(session).records if after < record.seq <= until]

    async def keyed(self, session: SessionId, key: str) -> int:
        return self._find(session).keys.get(key, (0, b""))[0]

    async def wait(self, session: SessionId, after: int, seconds: float) -> int:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._grown:
                await self._grown.wait_for(lambda: len(self._find(session).records) > after)
        return len(self._find(session).records)

    async def open(self, session: SessionId) -> Opened:
        log = self._find(session)
        state = window.load(window.dump(log.projection.session))
        return Opened(state, self._lineage, log.shelf.page(log.projection.checkpoint.page))

    async def page(self, session: SessionId, number: int) -> Page:
        return self._find(session).shelf.page(number)

    async def sessions(self, query: Query) -> Listing:
        limit = before(query.cursor)
        found = sorted(
            ((log.overview.active_at, log.number, name) for name, log in self._logs.items() if log.asked(query)),
            reverse=True,
        )
        rest = [entry for entry in found if entry[:2] < limit]
        rows = [self._row(name) for _, _, name in rest[: query.limit]]
        last = rest[query.limit - 1] if len(rest) > query.limit else None
        return Listing(rows, None if last is None else f"{last[0]}.{last[1]}", self._change)

    async def labels(self, limit: int) -> Labels:
        rows = [log.overview for log in self._logs.values() if log.asked(Query())]
        return Labels(
            projects=_counted((row.project for row in rows if row.project), limit),
            tags=_counted((tag for row in rows for tag in set(row.tags)), limit),
        )

    async def changes(self, after: int, limit: int) -> list[Row]:
        found = sorted((log.change, name) for name, log in self._logs.items() if log.change > after)
        return [self._row(name) for _, name in found[:limit]]

    async def owners(self) -> list[Owner]:
        living = [(log.number, name, log.epoch) for name, log in self._logs.items() if log.projection.session.alive]
        return [Owner(name, epoch) for _, name, epoch in sorted(living)]

    async def claims(self, session: SessionId) -> int:
        return self._find(session).epoch

    async def search(self, text: str, *, limit: int = 20, session: SessionId | None = None) -> list[Hit]:
        hits = [
            hit(text, name, log.overview.title, item)
            for name, log in self._logs.items()
            if session in (None, name) and name != HOUSE and not log.overview.deleted
            for item in (
                *(item for _, item in log.shelf.items.values()),
                *(entry.item for entry in window.transcript(log.projection.session)),
            )
            if holds(words(indexed(item)), words(text))
        ]
        return newest(hits, limit)

    async def find(self, session: SessionId, text: str, *, cursor: str | None = None, stretch: int = 1_000) -> Finds:
        log, limit = self._find(session), below(cursor)
        growing = window.transcript(log.projection.session) if cursor is None else []
        older = log.shelf.before(limit)
        settled = [(page, Settled(place[0], item)) for place, (page, item) in older[:stretch]]
        hits = found([*((0, item) for item in reversed(growing)), *settled], text)
        return Finds(hits, ".".join(map(str, older[stretch - 1][0])) if len(older) >= stretch else None)

    async def index(self) -> None:
        pass  # everything is looked at by every search

    async def figures(self, since: int, offset: int = 0) -> list[DailyFigures]:
        sums: dict[tuple[int, str, str], Figures] = {}
        for log in self._logs.values():
            for slot, figures in log.tally.slots.items():
                key = ((slot.hour * 60 + offset) // 1440, slot.agent, slot.model)
                sums[key] = sums.get(key, Figures()) + figures
        found = [(key, figures) for key, figures in sorted(sums.items(), key=lambda row: row[0]) if key[0] >= since]
        return [
            DailyFigures(day=day, agent=agent, model=model, figures=figures) for (day, agent, model), figures in found
        ]

    async def sizes(self, limit: int) -> list[SessionSize]:
        found = [(name, log) for name, log in self._logs.items() if log.tally.bytes]
        found.sort(key=lambda entry: (-entry[1].tally.bytes, entry[1].number))
        return [
            SessionSize(name, log.overview.title, log.tally.bytes, bool(log.overview.deleted))
            for name, log in found[:limit]
        ]

    async def lying(self, place: Literal["archived", "deleted"], before: int, limit: int) -> list[SessionSize]:
        sizes = {each.session: each.bytes for each in await self.sizes(len(self._logs))}
        found = [
            SessionSize(name, row.title, sizes.get(name, 0), bool(row.deleted))
            for name, log in self._logs.items()
            if name != HOUSE and not log.projection.session.alive
            for row in [log.overview]
            if not row.uncommitted
            if (0 < row.deleted < before if place == "deleted" else _rests(row) and row.active_at < before)
        ]
        return sorted(found, key=lambda each: -each.bytes)[:limit]

    async def blobs(self) -> set[str]:
        events = [record.event for log in self._logs.values() for record in log.records]
        return {file.blob for event in events if isinstance(event, TurnSubmitted) for file in event.attachments}

    async def purge(self, session: SessionId, only_if: Callable[[Session], bool] = lambda _: True) -> bool:
        if session == HOUSE:
            raise NotNow("The house log can't be removed.")
        if not only_if(self._find(session).projection.session):
            return False
        del self._logs[session]
        return True

    async def close(self) -> None:
        pass

    def _find(self, session: SessionId) -> Log:
        if session not in self._logs:
            raise NoSuchSession(session)
        return self._logs[session]

    def _row(self, name: SessionId) -> Row:
        return Row(name, self._logs[name].change, self._logs[name].overview)

    async def _store(self, log: Log, events: Sequence[Event], *, key: str | None = None, epoch: int = 0) -> Appended:
        head, time = len(log.records), self._now()
        for i, event in enumerate(events, 1):
            n = log.position + 1 if epoch else 0
            log.take(Record(seq=head + i, time=time, event=event, epoch=epoch, n=n))
            log.position += 1 if epoch else 0
        if key is not None:
            log.keys[key] = (len(log.records), codec.encode(events[-1]))
        await self._finish(log)
        return Appended(head + 1, len(log.records), len(events), time)

    async def _finish(self, log: Log) -> None:
        if log.number != HOUSE_NUMBER:
            self._renew(log)
        async with self._grown:
            self._grown.notify_all()

    def _renew(self, log: Log) -> None:
        if log.projection.renewed() is not None:
            self._change += 1
            log.change = self._change
        if log.projection.due():
            log.settle()


def _counted(names: Iterable[str], limit: int) -> list[Label]:
    found = sorted(Counter(names).items(), key=lambda entry: (-entry[1], entry[0].encode()))
    return [Label(name, number) for name, number in found[:limit]]


def _rests(row: Overview) -> bool:
    return row.archived and not row.deleted
