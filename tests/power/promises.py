"""Hold a store that went through a power cut to what it had promised."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import apsw

from holdfast.core import codec, window
from holdfast.core.errors import NoSuchSession
from holdfast.core.events import Event, SessionCreated
from holdfast.core.ids import HOUSE, SessionId
from holdfast.core.overview import overview
from holdfast.core.records import Position, Record
from holdfast.core.session import replay
from holdfast.core.window import Settled
from holdfast.store.protocol import Appended, Query
from holdfast.store.sqlite.store import DATABASE, SqliteStore
from holdfast.store.sqlite.writing import CREATED
from tests.core.shelf import joined
from tests.power.journal import Asked
from tests.power.promised import Kept, Promised
from tests.power.recording import LONGEST, SESSIONS

NEXT_BOOT = "the boot after the cut"
RETRIED = 5
"""Acknowledged appends that are asked for once more: the last so many."""

Logs = dict[str, list[Record]]


class Broken(Exception):
    """The store did not keep a promise."""


def expect(claim: object, sentence: str) -> None:
    if not claim:
        raise Broken(sentence)


def check(folder: Path, promised: Promised, whole: Logs) -> None:
    """Raise `Broken`, or whatever keeps the store from opening. `whole` is what the logs would have become."""
    asyncio.run(_check(folder, promised, whole))


async def _check(folder: Path, promised: Promised, whole: Logs) -> None:
    with patch("holdfast.store.sqlite.store.boot_id", return_value=NEXT_BOOT):
        store = await SqliteStore.open_folder(folder)
        try:
            _check_database(folder)
            await _check_logs(store, promised, whole)
            _check_rows(folder, promised, await _logs(store))
            await _check_projections(store)
            await _check_retries(store, folder, promised)
            await _check_projections(store)
            lineage, logs = await store.lineage(), await _logs(store)
        finally:
            await store.close()
        await _check_second_opening(folder, lineage, logs)
    expect(lineage not in promised.lineages, "The lineage is the one from before the cut.")


def _check_database(folder: Path) -> None:
    said = [row[0] for row in _rows(folder, "PRAGMA integrity_check")]
    expect(said == ["ok"], f"The database is damaged: {said[:3]}")


async def _check_logs(store: SqliteStore, promised: Promised, whole: Logs) -> None:
    """Every log is a beginning of what it became, and holds what was promised."""
    logs = await _logs(store)
    for session, log in logs.items():
        expect([record.seq for record in log] == list(range(1, len(log) + 1)), f"{session} has a gap.")
        expect(log == whole[session][: len(log)], f"{session} is no beginning of what it became.")
    for kept in promised.kept:
        expect(
            _bodies(logs[kept.asked.session], kept) == _expected(kept),
            f"Promised to be on the disk and not there: {kept.asked.name} in {kept.asked.session}, "
            f"seq {kept.acknowledged.first}-{kept.acknowledged.last}; the log ends at {len(logs[kept.asked.session])}.",
        )


def _expected(kept: Kept) -> list[bytes]:
    """What lies at the end of the acknowledged stretch: the new events, or the one that had the key already."""
    count = kept.acknowledged.written or (1 if kept.asked.key is not None else 0)
    return kept.asked.bodies[len(kept.asked.bodies) - count :]


def _bodies(log: Sequence[Record], kept: Kept) -> list[bytes]:
    last = kept.acknowledged.last
    return [codec.encode(record.event) for record in log[last - len(_expected(kept)) : last]]


def _check_rows(folder: Path, promised: Promised, logs: Logs) -> None:
    """Head, epoch and position agree with the log, and no claim is forgotten."""
    for session, head, epoch, position in _rows(folder, "SELECT id, head, epoch, position FROM sessions"):
        log = logs[session]
        expect(head == len(log), f"{session} says that it ends at {head}, and ends at {len(log)}.")
        told = _positions(log, epoch)
        expect(told == list(range(1, position + 1)), f"{session} says position {position}, and has {told[-3:]}.")
        for owned in promised.owned:
            if owned.session == session:
                expect(owned.epoch <= epoch and owned.head <= head, f"The claim of {session}/{owned.epoch} is gone.")


def _positions(log: Sequence[Record], epoch: int) -> list[int]:
    return [record.n for record in log if epoch and record.epoch == epoch and record.late is None]


async def _check_projections(store: SqliteStore) -> None:
    """Pages with what is still open, and the row of the list, are what the log folds to."""
    rows = {row.id: row.overview for row in (await store.sessions(Query())).rows}
    for session, log in (await _logs(store)).items():
        if session == HOUSE or not log:
            continue
        whole = replay(log)
        shown, folded = await _shown(store, SessionId(session)), joined(window.transcript(whole))
        expect(shown == folded, f"The pages of {session} are not what its log says.")
        expect(rows.get(SessionId(session)) == overview(whole), f"The row of {session} is not what its log says.")


async def _shown(store: SqliteStore, session: SessionId) -> list[Any]:
    """All pages and the open end, as one."""
    opened = await store.open(session)
    settled = [
        item for number in range(1, opened.page.number + 1) for item in (await store.page(session, number)).items
    ]
    entries: dict[tuple[int, int, int], Settled] = {}
    for entry in [*settled, *window.transcript(opened.session)]:
        entries[entry.number, entry.item.k, entry.part] = entry
    return joined(entries[place] for place in sorted(entries))


async def _check_retries(store: SqliteStore, folder: Path, promised: Promised) -> None:
    """Whoever was not told asks again, and so do some who were: each event is there once."""
    for kept in [kept for kept in promised.kept if kept.asked.key is not None][-RETRIED:]:
        again = await _ask(store, kept.asked, 0)
        last = kept.acknowledged.last
        expect((again.written, again.last) == (0, last), f"{kept.asked.name} lay at {last}; asked again: {again}")
    for asked in promised.unanswered:
        if asked.key is not None and not asked.epoch:
            await _ask(store, asked, 0)
            log = (await _logs(store))[asked.session]
            copies = sum(codec.encode(record.event) == asked.bodies[-1] for record in log)
            expect(copies == 1, f"{asked.name} was asked again and lies there {copies} times.")
    for session, epoch, position in _rows(folder, "SELECT id, epoch, position FROM sessions WHERE epoch > 0"):
        await _check_retried_facts(store, session, epoch, position, promised)


async def _check_retried_facts(store: SqliteStore, session: str, epoch: int, position: int, promised: Promised) -> None:
    """The owner sends its last facts again, those that are there and those that are not."""
    mine = [asked for asked in promised.asked if asked.session == session and asked.epoch == epoch]
    for asked in sorted(mine, key=lambda asked: asked.n):
        if asked.n + len(asked.bodies) > position - RETRIED:
            await _ask(store, asked, epoch)
    log = (await _logs(store))[session]
    last = max((asked.n + len(asked.bodies) - 1 for asked in mine), default=position)
    told = _positions(log, epoch)
    expect(told == list(range(1, max(last, position) + 1)), f"{session}, sent again: positions {told[-5:]}")
    stored = {record.n: codec.encode(record.event) for record in log if record.epoch == epoch and record.late is None}
    for asked in mine:
        kept = [stored[asked.n + i] for i in range(len(asked.bodies))]
        expect(kept == asked.bodies, f"{asked.name}, sent again, has other content.")


async def _ask(store: SqliteStore, asked: Asked, epoch: int) -> Appended:
    session, events = SessionId(asked.session), [codec.decode(body) for body in asked.bodies]
    if asked.key == CREATED:
        return await store.create(session, _creation(events))
    position = Position(epoch=epoch, n=asked.n) if epoch else None
    return await store.append(session, events, position=position, key=asked.key)


def _creation(events: list[Event]) -> SessionCreated:
    assert isinstance(events[0], SessionCreated)
    return events[0]


async def _check_second_opening(folder: Path, lineage: str, logs: Logs) -> None:
    """Within one boot nothing changes any more."""
    store = await SqliteStore.open_folder(folder)
    try:
        expect(await store.lineage() == lineage, "The lineage changed within one boot.")
        expect(await _logs(store) == logs, "The logs changed by closing and opening.")
    finally:
        await store.close()


async def _logs(store: SqliteStore) -> Logs:
    return {session: await _log(store, session) for session in (HOUSE, *SESSIONS)}


async def _log(store: SqliteStore, session: SessionId) -> list[Record]:
    try:
        return await store.read(session, 0, LONGEST)
    except NoSuchSession:
        return []


def _rows(folder: Path, sql: str) -> list[Any]:
    connection = apsw.Connection(str(folder / DATABASE))
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()
