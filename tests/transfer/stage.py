"""What the tests of imports are played with: a home, a store, and what a reader sees of it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from holdfast.core import window
from holdfast.core.ids import SessionId
from holdfast.core.items import Item
from holdfast.core.records import Record
from holdfast.core.session import replay
from holdfast.settings import Settings
from holdfast.store.blobs import Blobs
from holdfast.store.protocol import Query, Row, Store
from holdfast.store.sqlite.store import SqliteStore
from holdfast.transfer.report import Kind, Report, begun
from holdfast.transfer.sources import import_from
from holdfast.transfer.transcript import read_turns

EVERYTHING = 1_000_000


@asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[SqliteStore]:
    store = await SqliteStore.open_folder(Settings(home=home).store)
    try:
        yield store
    finally:
        await store.close()


async def brought(store: Store, home: Path, kind: Kind, path: Path) -> Report:
    """Import it, and return the report."""
    report = begun(kind, str(path))
    await import_from(kind, path, store=store, settings=Settings(home=home), report=report, progress=lambda _: None)
    return report


def blobs(home: Path) -> Blobs:
    return Blobs(Settings(home=home).blobs)


async def rows(store: Store, **query: Any) -> list[Row]:
    return (await store.sessions(Query(limit=5000, **query))).rows


async def items(store: Store, session: SessionId) -> list[Item]:
    """The whole transcript."""
    return [item async for turn in read_turns(store, session) for item in turn]


def folded(records: list[Record]) -> list[dict[str, Any]]:
    """The transcript that records yield, without the numbers that an import gives anew."""
    return [plain(entry.item) for entry in window.transcript(replay(records))]


def plain(item: Item) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.json.decode(window.dump_item(item))
    return {name: value for name, value in fields.items() if name not in ("answer_seq", "pieces")}
