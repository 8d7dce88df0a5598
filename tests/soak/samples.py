"""What the processes of a home and its folder take, looked at from outside again and again."""

import asyncio
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from holdfast.core.ids import SessionId
from holdfast.ownership import living
from holdfast.store.sqlite.connection import connect
from holdfast.store.sqlite.store import DATABASE
from tests.crashes.home import Home
from tests.crashes.wire import ask
from tests.soak.heard import Heard

PAGE = os.sysconf("SC_PAGE_SIZE")


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """What one process holds: bytes of resident memory, and open descriptors."""

    pid: int
    memory: int
    descriptors: int


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """`at` is seconds since the beginning, `late` by how many milliseconds the server's loop was late; sizes are bytes.

    `store` is what the database takes with what is still in its WAL; `records` are the records that browsers were sent
    by then, `words` those of their agents.
    """

    at: float
    server: Process | None
    late: float | None
    runners: dict[SessionId, Process]
    store: int
    wal: int
    spools: int
    logs: int
    records: int
    words: int


class Samples:
    """Use `take` as a task."""

    def __init__(self, home: Home, heard: Sequence[Heard]) -> None:
        self._home = home
        self._heard = heard
        self.taken: list[Sample] = []

    async def take(self, pause: float) -> None:
        loop = asyncio.get_running_loop()
        started = loop.time()
        while True:
            late = await self._late()
            self.taken.append(self._sample(loop.time() - started, late))
            await asyncio.sleep(pause)

    def _sample(self, at: float, late: float | None) -> Sample:
        settings = self._home.settings
        server = self._home.server
        runners = {holder.session: process(holder.pid) for holder in living(settings.locks) if holder.pid > 0}
        return Sample(
            at=at,
            server=process(server) if server else None,
            late=late,
            runners={session: found for session, found in runners.items() if found is not None},
            store=taken_by(settings.store / DATABASE),
            wal=size(settings.store / f"{DATABASE}-wal"),
            spools=sum(size(path) for path in settings.spools.glob("*")),
            logs=sum(size(path) for path in settings.logs.rglob("*")),
            records=sum(heard.bytes for heard in self._heard),
            words=sum(heard.words for heard in self._heard),
        )

    async def _late(self) -> float | None:
        """What the server says of its own loop; None if none answers."""
        address = self._home.address()
        if address is None:
            return None
        with contextlib.suppress(OSError, EOFError):
            answer = await ask(address, "GET", "/api/insights?days=1")
            return float(answer.body["health"]["lateness"]["last"]) if answer.status == 200 else None
        return None


def process(pid: int) -> Process | None:
    """None if it has ended."""
    folder = Path("/proc", str(pid))
    try:
        pages = int((folder / "statm").read_text("ascii").split()[1])
        return Process(pid=pid, memory=pages * PAGE, descriptors=sum(1 for _ in (folder / "fd").iterdir()))
    except OSError:
        return None


def taken_by(database: Path) -> int:
    """Bytes of the pages that a database has as of its last commit. Its file lags behind until they are moved there."""
    connection = connect(database)
    try:
        return int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
    finally:
        connection.close()


def size(path: Path) -> int:
    """Bytes of a file; nothing if it is gone, or none. Only looked at, never opened."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0
