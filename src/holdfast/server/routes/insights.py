"""What was used day by day, where the disk goes, and how the server is. Nothing here reads a log."""

import asyncio
import shutil
import time
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from holdfast.server.endpoint import QueryField, get
from holdfast.server.routes.health import size_of
from holdfast.server.schema.house import DiskUse, Insights, Wellbeing
from holdfast.server.wired import Wired
from holdfast.settings import Settings

LARGEST = 20
DAY_MINUTES = 24 * 60
Days = Annotated[int, QueryField("How many days, today included", limits=Meta(ge=1, le=366))]
Offset = Annotated[
    int,
    QueryField("By how many minutes the reader's clock is ahead of UTC", limits=Meta(ge=-DAY_MINUTES, le=DAY_MINUTES)),
]


@get(
    "/api/insights",
    summary="What was used, where the disk goes, how the server is",
    description="Days count from 1970 in the reader's zone. A turn counts when it has ended; cost is in millionths.",
)
async def insights(wiring: Wired, days: Days = 30, offset: Offset = 0) -> Insights:
    today = int(time.time() / 60 + offset) // DAY_MINUTES
    first = today - days + 1
    return Insights(
        first=first,
        today=today,
        days=await wiring.store.figures(first, offset),
        sessions=await wiring.store.sizes(LARGEST),
        disk=await asyncio.to_thread(disk_use, wiring.settings),
        health=_health(wiring),
    )


def _health(wiring: Wired) -> Wellbeing:
    places, store = wiring.supervisor.places, wiring.hub.conditions.store
    return Wellbeing(
        uptime=round(wiring.uptime, 3),
        runners=len(wiring.supervisor.holders),
        running=places.running,
        waiting=len(places.waiting),
        watched=wiring.hub.watched,
        writable=store.writable,
        store_error=store.error,
        lateness=wiring.pulse.lateness,
    )


def disk_use(settings: Settings) -> DiskUse:
    """What lies in the home by its kind. It is walked through: call it off the event loop."""
    return DiskUse(
        store=size_of(settings.store),
        blobs=_folder(settings.blobs),
        logs=_folder(settings.logs),
        spools=_folder(settings.spools),
        free=shutil.disk_usage(settings.home).free,
    )


def _folder(folder: Path) -> int:
    """Bytes of all files beneath. What goes while we look takes nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue
    return total


ROUTES = (insights,)
