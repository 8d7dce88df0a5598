"""Is somebody there, can they work, and how are things."""

import asyncio
import os
from pathlib import Path

from holdfast import __version__
from holdfast.server.endpoint import get
from holdfast.server.schema.house import Health, PublicStatus, Status
from holdfast.server.wired import Visiting, Wired
from holdfast.store.protocol import Query, Store

LISTED = 500


@get("/ready", summary="The store answers")
async def ready(wiring: Wired) -> Health:
    await wiring.store.lineage()
    return Health()


@get(
    "/api/status",
    summary="How things are",
    description="Whoever is not signed in is told only that somebody is here.",
)
async def status(wiring: Wired, visitor: Visiting) -> PublicStatus:
    if visitor.device is None:
        return PublicStatus()
    sessions, running = await count(wiring.store)
    return Status(
        authenticated=True,
        version=__version__,
        instance=wiring.instance,
        pid=os.getpid(),
        uptime=round(wiring.uptime, 3),
        lineage=wiring.hub.lineage,
        sessions=sessions,
        running=running,
        watched=wiring.hub.watched,
        store_bytes=await asyncio.to_thread(size_of, wiring.settings.store),
        runners=list(wiring.supervisor.holders.values()),
        places=wiring.supervisor.places,
    )


async def count(store: Store) -> tuple[int, int]:
    """How many sessions there are that are not deleted, and how many of them run or wait for a person."""
    sessions = running = 0
    for archived in (False, True):
        cursor: str | None = ""
        while cursor is not None:
            found = await store.sessions(Query(archived=archived, cursor=cursor or None, limit=LISTED))
            sessions += len(found.rows)
            running += sum(row.overview.state in ("running", "waiting") for row in found.rows)
            cursor = found.cursor
    return sessions, running


def size_of(folder: Path) -> int:
    """Bytes of the database and what belongs to it. Only looked at, never opened."""
    return sum(path.stat().st_size for path in folder.glob("store.db*"))


ROUTES = (ready, status)
