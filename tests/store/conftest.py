"""Stores to test: every backend with the same clock, each closed when its test is over."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from holdfast.store.memory.store import MemoryStore
from holdfast.store.protocol import Store
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.store.children import Children
from tests.store.stage import Clock, created

BACKENDS = ("memory", "sqlite")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store on the disk lies."""
    return tmp_path / "store"


@pytest.fixture
def bells() -> Iterator[Path]:
    """A folder with a name that is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="hf-") as name:
        yield Path(name)


@pytest.fixture(params=BACKENDS)
async def empty(request: pytest.FixtureRequest, folder: Path, clock: Clock) -> AsyncIterator[Store]:
    """A store without a session, of each backend in turn."""
    opened: Store
    if request.param == "memory":
        opened = MemoryStore(now=clock)
    else:
        opened = await SqliteStore.open_folder(folder, Options(now=clock))
    yield opened
    await opened.close()


@pytest.fixture
async def store(empty: Store) -> Store:
    """A store of each backend in turn, with the session `S1` in it."""
    await created(empty)
    return empty


@pytest.fixture
async def sqlite(folder: Path, clock: Clock) -> AsyncIterator[SqliteStore]:
    """A store on the disk with the session `S1` in it, for what only a disk can do."""
    opened = await SqliteStore.open_folder(folder, Options(now=clock))
    await created(opened)
    yield opened
    await opened.close()


@pytest.fixture
def children() -> Iterator[Children]:
    """Processes of the test's own."""
    started = Children()
    yield started
    started.end()
