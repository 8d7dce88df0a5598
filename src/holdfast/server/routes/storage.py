"""What takes room in the home: how much, a copy of all of it, and what may go for good.

Nothing goes unless it is named, and what is named goes only if it still is what it was named for.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated

from msgspec import Meta
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from holdfast.core import ids
from holdfast.core.errors import NoSuchSession
from holdfast.core.session import Session
from holdfast.server.endpoint import Answers, JSONBody, QueryField, get, post
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
Days = Annotated[int, QueryField("Archived and not active for so many days", limits=Meta(ge=1, le=36_500))]


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


@post("/api/storage/purge", summary="Remove sessions for good", status=200)
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


@post("/api/storage/files/collect", summary="Remove files that no session speaks of any more", status=200)
async def collect_files(wiring: Wired) -> LooseFiles:
    return _summed(await asyncio.to_thread(_blobs(wiring).collect, await wiring.store.blobs(), time.time()))


@get(
    "/api/backup",
    summary="All of it as one file, of one moment, taken while everything runs",
    description="It holds sessions, files and settings, and no credential. `holdfast restore` puts it back.",
    answers={200: Answers(bytes, "The backup.", TAR)},
)
async def download_backup(wiring: Wired) -> StreamingResponse:
    taking = asyncio.get_running_loop().run_in_executor(None, Taken, wiring.settings.home)
    try:
        taken = await asyncio.shield(taking)
    except asyncio.CancelledError:
        taking.add_done_callback(_let_go)  # the copying can't be stopped, and nobody wants the copy
        raise
    return Archive(taken, archive_name(datetime.now().astimezone().date()))


def _let_go(taking: "asyncio.Future[Taken]") -> None:
    if not taking.cancelled() and taking.exception() is None:
        taking.result().close()


class Archive(StreamingResponse):
    """What was taken, let go when it was sent, and when whoever wanted it has left, before the first byte too."""

    def __init__(self, taken: Taken, name: str) -> None:
        self._taken = taken
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        super().__init__(_pieces(taken), media_type=TAR, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Not while it is sent: there each wait is cut off again and again once somebody has left, this one too.
        try:
            await super().__call__(scope, receive, send)
        finally:
            await asyncio.to_thread(self._taken.close)


async def _pieces(taken: Taken) -> AsyncIterator[bytes]:
    pieces = taken.pieces()
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece


def _summed(found: list[Blob]) -> LooseFiles:
    return LooseFiles(files=len(found), bytes=sum(blob.size for blob in found))


def _blobs(wiring: Wired) -> Blobs:
    return Blobs(wiring.settings.blobs)


def _now() -> int:
    return time.time_ns() // 1_000_000


ROUTES = (look_at_storage, purge, collect_files, download_backup)
