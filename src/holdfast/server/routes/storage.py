"""What takes room in the home: how much, a copy of all of it, and what may go for good.

Nothing goes unless it is named, and what is named goes only if it still is what it was named for.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated

from litestar import get, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from litestar.response import Stream

from holdfast.core import ids
from holdfast.core.errors import NoSuchSession
from holdfast.core.session import Session
from holdfast.server.routes.insights import disk_use
from holdfast.server.schema.house import LooseFiles, Lying, Purge, Purged, Storage
from holdfast.server.wired import Wired
from holdfast.store.backup import Taken, archive_name
from holdfast.store.blobs import Blob, Blobs

LISTED = 1_000
UNDO = 60_000
"""Milliseconds in which a deletion can be undone before the session may go for good."""
DAY = 24 * 60 * 60 * 1_000
TAR = "application/x-tar"
Days = Annotated[int, QueryParameter(ge=1, le=36_500, description="Archived and not active for so many days")]


@get("/api/storage", summary="What takes room, and what of it may go")
async def look_at_storage(wiring: Wired, days: Days = 90) -> Storage:
    now = _now()
    deleted = await wiring.store.lying("deleted", now - UNDO, LISTED + 1)
    archived = await wiring.store.lying("archived", now - days * DAY, LISTED + 1)
    loose = await asyncio.to_thread(_blobs(wiring).unspoken, await wiring.store.blobs(), time.time())
    return Storage(
        disk=await asyncio.to_thread(disk_use, wiring.settings),
        deleted=Lying(sessions=deleted[:LISTED], more=len(deleted) > LISTED),
        archived=Lying(sessions=archived[:LISTED], more=len(archived) > LISTED),
        loose=_summed(loose),
    )


@post("/api/storage/purge", summary="Remove sessions for good", status_code=200)
async def purge(wiring: Wired, data: JSONBody[Purge]) -> Purged:
    now = _now()
    archived = None if data.days is None else now - data.days * DAY
    gone: list[ids.SessionId] = []
    for session in dict.fromkeys(ids.session_id(name) for name in data.sessions):
        try:
            if await wiring.store.purge(session, lambda state: _may_go(state, now - UNDO, archived)):
                gone.append(session)
        except NoSuchSession:
            continue
    return Purged(sessions=gone)


def _may_go(state: Session, deleted_before: int, archived_before: int | None) -> bool:
    """What has a runner, or something that its agent's memory has not got yet, stays."""
    if state.alive or (state.ledger is not None and state.ledger.uncommitted):
        return False
    if state.deleted:
        return state.deleted < deleted_before
    return archived_before is not None and state.archived and state.active_at < archived_before


@post("/api/storage/files/collect", summary="Remove files that no session speaks of any more", status_code=200)
async def collect_files(wiring: Wired) -> LooseFiles:
    return _summed(await asyncio.to_thread(_blobs(wiring).collect, await wiring.store.blobs(), time.time()))


@get(
    "/api/backup",
    summary="All of it as one file, of one moment, taken while everything runs",
    description="It holds sessions, files and settings, and no credential. `holdfast restore` puts it back.",
    responses={
        200: ResponseSpec(data_container=bytes, generate_examples=False, description="The backup.", media_type=TAR)
    },
)
async def download_backup(wiring: Wired) -> Stream:
    taken = await asyncio.to_thread(Taken, wiring.settings.home)
    name = archive_name(datetime.now().astimezone().date())
    return Stream(_sent(taken), media_type=TAR, headers={"content-disposition": f'attachment; filename="{name}"'})


async def _sent(taken: Taken) -> AsyncIterator[bytes]:
    try:
        pieces = taken.pieces()
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            yield piece
    finally:
        await asyncio.to_thread(taken.close)


def _summed(found: list[Blob]) -> LooseFiles:
    return LooseFiles(files=len(found), bytes=sum(blob.size for blob in found))


def _blobs(wiring: Wired) -> Blobs:
    return Blobs(wiring.settings.blobs)


def _now() -> int:
    return time.time_ns() // 1_000_000


ROUTES = (look_at_storage, purge, collect_files, download_backup)
