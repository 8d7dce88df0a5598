"""Sessions that come from other programs, and sessions that leave as files."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import StreamingResponse

from holdfast.agents.hermes.find import find_hermes
from holdfast.agents.hermes.sessions import list_sessions as list_hermes_sessions
from holdfast.core import ids
from holdfast.core.errors import BadCommand
from holdfast.server.endpoint import Answers, FromPath, FromQuery, JSONBody, QueryField, get, post
from holdfast.server.imports import place_for_upload
from holdfast.server.pages import find_turn
from holdfast.server.schema.transfer import HermesSessions, Import, ImportList, ImportReport
from holdfast.server.wired import Wired
from holdfast.store.blobs import Blobs
from holdfast.transfer.export import MEDIA_TYPES, Format, begun, export, export_all, file_name
from holdfast.transfer.identity import led_to
from holdfast.transfer.sources import look_at

ZIP = "application/zip"
LARGEST_UPLOAD = 1_000_000_000
Chosen = Annotated[list[str] | None, QueryField("Given again for each session", limits=Meta(max_length=200))]
FORMATS = {MEDIA_TYPES["json"]: dict[str, Any], MEDIA_TYPES["html"]: str}
EXPORTED = "What looks like a key or a password is hidden in it."


@post(
    "/api/import",
    summary="Take over the sessions of another program, from a path on the server's machine",
    description="It goes on in a process of its own; ask `GET /api/imports/{id}` how far it has come.",
    status=202,
)
async def start_import(wiring: Wired, data: JSONBody[Import]) -> ImportReport:
    path = await asyncio.to_thread(look_at, data.kind, data.path)
    report = await asyncio.to_thread(wiring.imports.start, wiring.settings, data.kind, path)
    return ImportReport(report=report)


@post(
    "/api/import/upload",
    summary="Take over the sessions in a file that is sent: an export of Open WebUI, or of Holdfast",
    description="The body is the file. It goes on as an import from a path does.",
    status=202,
    largest=LARGEST_UPLOAD,
)
async def upload_import(
    wiring: Wired,
    request: Request,
    kind: Annotated[Literal["open-webui", "holdfast"], QueryField()],
) -> ImportReport:
    path = await place_for_upload(wiring.settings)
    try:
        await _received(request, path)
        report = await asyncio.to_thread(wiring.imports.start, wiring.settings, kind, path, consume=True)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return ImportReport(report=report)


async def _received(request: Request, path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    size = 0
    with os.fdopen(descriptor, "wb") as file:
        async for piece in request.stream():
            size += await asyncio.to_thread(file.write, piece)
    if not size:
        raise BadCommand("The file is empty. Choose another one.")


@get("/api/imports", summary="The imports that there were, newest first, without what each took and left")
async def list_imports(wiring: Wired) -> ImportList:
    found = await asyncio.to_thread(wiring.imports.reports, wiring.settings)
    return ImportList(imports=[msgspec.structs.replace(report, taken=[], left=[]) for report in found])


@get("/api/imports/{import_id}", summary="How far an import has come, what it took over, what it left and why")
async def read_import(wiring: Wired, import_id: FromPath[str]) -> ImportReport:
    return ImportReport(report=await asyncio.to_thread(wiring.imports.report, wiring.settings, import_id))


@get(
    "/api/sessions/{session_id}/export",
    summary="A session as a file: Markdown, a page of its own, or JSON that can be imported again",
    description=f"{EXPORTED} With `turn`, no more than that turn.",
    answers={200: Answers(str, EXPORTED, MEDIA_TYPES["md"], FORMATS)},
)
async def export_session(
    wiring: Wired,
    session_id: FromPath[str],
    kind: Annotated[Format, QueryField(name="format")] = "md",
    turn: FromQuery[str | None] = None,
) -> StreamingResponse:
    session = await led_to(wiring.store, session_id)
    state = await begun(wiring.store, session)
    only = ids.turn_id(turn) if turn else None
    if only is not None and kind == "json":
        raise BadCommand("One turn can be had as a page or as Markdown. As JSON, export the whole session.")
    if only is not None and only not in state.turns:
        await find_turn(wiring.store, session, only)  # one that does not exist is said at once
    pieces = export(wiring.store, Blobs(wiring.settings.blobs), session, kind, only)
    return StreamingResponse(
        pieces, media_type=MEDIA_TYPES[kind], headers=_named(file_name(session, state.title, kind, only))
    )


@get(
    "/api/export",
    summary="Every session as a file, or those that are named, in one archive",
    description=EXPORTED,
    answers={200: Answers(bytes, EXPORTED, ZIP)},
)
async def export_sessions(
    wiring: Wired, kind: Annotated[Format, QueryField(name="format")] = "md", session: Chosen = None
) -> StreamingResponse:
    chosen = [await led_to(wiring.store, name) for name in dict.fromkeys(session or ())]
    named = [(one, (await begun(wiring.store, one)).title) for one in chosen]
    pieces = export_all(wiring.store, Blobs(wiring.settings.blobs), kind, named)
    return StreamingResponse(pieces, media_type=ZIP, headers=_named(f"holdfast-{kind}.zip"))


def _named(name: str) -> dict[str, str]:
    """Always a download: what an agent said is never shown as a page of ours."""
    return {"content-disposition": f'attachment; filename="{name}"'}


@get(
    "/api/agents/hermes/sessions",
    summary="Conversations in Hermes' own database, newest first",
    description="A session that is created with the id of one as its `reference` goes on where that one ended.",
)
async def list_conversations(
    wiring: Wired, limit: Annotated[int, QueryField(limits=Meta(ge=1, le=1000))] = 200
) -> HermesSessions:
    found = await asyncio.to_thread(find_hermes, wiring.settings)
    sessions = await asyncio.to_thread(list_hermes_sessions, found, limit)
    return HermesSessions(sessions=sessions, reason=found.problem)


ROUTES = (
    start_import,
    upload_import,
    list_imports,
    read_import,
    export_session,
    export_sessions,
    list_conversations,
)
