"""The list of sessions, at the one address where both languages look for it.

Law: an answer holds what either language promises. A request that names how it wants to list (`limit`, `cursor`, `q`,
`archived`, `deleted`, `project`, `tag`, `on_top`) is a native one and gets the native list alone; any other gets all
sessions, each with the fields of both.
"""

import time
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from holdfast.core.ids import SessionId
from holdfast.core.labels import TAGS
from holdfast.core.overview import overview
from holdfast.server.dialect.addressed import Flag, on
from holdfast.server.dialect.runs import RunName, active_turn
from holdfast.server.endpoint import FromQuery, QueryField, get
from holdfast.server.routes.sessions import LISTED, listed
from holdfast.server.schema.base import Answer
from holdfast.server.schema.sessions import SessionList, SessionRow, row_of
from holdfast.server.wired import Wired
from holdfast.server.wiring import Wiring
from holdfast.store.protocol import Query, Row

AT_ONCE = 500
FOUND = 100
ARCHIVED = 2000
Q = Annotated[str, QueryField(limits=Meta(max_length=200))]


class DialectRow(SessionRow, frozen=True, kw_only=True, omit_defaults=False):
    """A line of the list. Times that end in `_at` are whole seconds. `message_count` counts what people sent."""

    session_id: SessionId
    created_at: int
    updated_at: int
    last_message_at: int
    message_count: int
    project_id: str | None
    profile: str
    estimated_cost: float
    active_stream_id: str | None
    is_streaming: bool
    has_pending_user_message: bool
    attention: dict[str, Any] | None


class FoundRow(DialectRow, frozen=True, kw_only=True):
    """A line that fits what was looked for, and where."""

    match_type: Literal["title", "content"]
    match_preview: str


class DialectList(SessionList, frozen=True, kw_only=True):
    """All sessions. What belongs to other profiles, or to sources that there are not, is none."""

    sessions: list[DialectRow]  # pyright: ignore[reportIncompatibleVariableOverride]  frozen, so a narrower list will do
    sidebar_reference_sessions: list[DialectRow]
    cli_count: int
    cli_session_count: int
    webui_session_count: int
    archived_count: int
    archived_webui_count: int
    archived_cli_count: int
    include_archived: bool
    all_profiles: bool
    active_profile: str
    other_profile_count: int
    server_time: float
    server_tz: str


class FoundSessions(Answer, frozen=True, kw_only=True):
    sessions: list[FoundRow]
    query: str
    count: int


VALUES: tuple[type, ...] = (DialectRow, FoundRow, DialectList, FoundSessions)


@get("/api/sessions", summary="List sessions, newest activity first")
async def list_sessions(
    wiring: Wired,
    *,
    q: Annotated[str | None, QueryField(limits=Meta(max_length=200))] = None,
    archived: FromQuery[bool | None] = None,
    deleted: FromQuery[bool | None] = None,
    project: FromQuery[str | None] = None,
    tag: Annotated[list[str] | None, QueryField("Given again, each is asked for", limits=Meta(max_length=TAGS))] = None,
    on_top: FromQuery[bool | None] = None,
    cursor: FromQuery[str | None] = None,
    limit: Annotated[int | None, QueryField(limits=Meta(ge=1, le=200))] = None,
    include_archived: Flag = "0",
    archived_limit: Annotated[int | None, QueryField("At most 2000 are sent if named", limits=Meta(ge=0))] = None,
    archived_offset: Annotated[int, QueryField("So many of the archived are passed over", limits=Meta(ge=0))] = 0,
    all_profiles: Flag = "0",
) -> SessionList | DialectList:
    if all(given is None for given in (q, archived, deleted, project, tag, on_top, cursor, limit)):
        end = None if archived_limit is None else archived_offset + min(archived_limit, ARCHIVED)
        wanted = slice(archived_offset, end) if on(include_archived) else None
        return await _all(wiring, wanted, all_profiles=on(all_profiles))
    query = Query(
        text=q or "",
        archived=bool(archived),
        deleted=bool(deleted),
        project=project,
        tags=tuple(tag or ()),
        on_top=bool(on_top),
        cursor=cursor or None,
        limit=limit or LISTED,
    )
    return await listed(wiring, query)


async def _all(wiring: Wiring, archived: slice | None, *, all_profiles: bool) -> DialectList:
    """All that are not archived, and this stretch of those that are."""
    rows, change = await _rows(wiring, archived=False)
    put_away, _ = await _rows(wiring, archived=True)
    return DialectList(
        sessions=rows if archived is None else [*rows, *put_away[archived]],
        cursor=None,
        change=change,
        lineage=wiring.hub.lineage,
        sidebar_reference_sessions=[],
        cli_count=0,
        cli_session_count=0,
        webui_session_count=len(rows),
        archived_count=len(put_away),
        archived_webui_count=len(put_away),
        archived_cli_count=0,
        include_archived=archived is not None,
        all_profiles=all_profiles,
        active_profile="default",
        other_profile_count=0,
        server_time=time.time(),
        server_tz=time.strftime("%z"),
    )


async def _rows(wiring: Wiring, *, archived: bool) -> tuple[list[DialectRow], int]:
    """Every row, and the change number from which none is missed. Others are served between two stretches of it."""
    rows: list[DialectRow] = []
    change, cursor = 0, ""
    while cursor is not None:
        found = await wiring.store.sessions(Query(archived=archived, limit=AT_ONCE, cursor=cursor or None))
        rows += [await dialect_row(wiring, row) for row in found.rows]
        change, cursor = change or found.change, found.cursor
    return rows, change


async def dialect_row(wiring: Wiring, row: Row) -> DialectRow:
    seen = row.overview
    stream = None if seen.state == "idle" else await _active(wiring, row.id)
    native: dict[str, Any] = msgspec.structs.asdict(row_of(row))
    return DialectRow(
        **native,
        session_id=row.id,
        created_at=seen.created // 1000,
        updated_at=seen.active_at // 1000,
        last_message_at=seen.active_at // 1000,
        message_count=seen.turns,
        project_id=seen.project or None,
        profile="default",
        estimated_cost=seen.cost / 1_000_000,
        active_stream_id=stream,
        is_streaming=seen.state in ("running", "waiting"),
        has_pending_user_message=stream is not None,
        attention={"kind": seen.ask_kind, "count": seen.waiting} if seen.waiting else None,
    )


async def _active(wiring: Wiring, session: SessionId) -> str | None:
    active = active_turn((await wiring.store.open(session)).session)
    return None if active is None else str(RunName(session, active.id))


@get("/api/sessions/search", summary="Find sessions by their title or by what was said in them")
async def search_sessions(wiring: Wired, q: Q = "", content: Flag = "1") -> FoundSessions:
    found: dict[SessionId, FoundRow] = {}
    if q.strip():
        for row in (await wiring.store.sessions(Query(text=q, limit=FOUND))).rows:
            found[row.id] = await _found(wiring, row, "title", row.overview.title)
    for hit in await wiring.store.search(q, limit=FOUND) if on(content) else []:
        if hit.session not in found:
            row = Row(hit.session, 0, overview((await wiring.store.open(hit.session)).session))
            found[hit.session] = await _found(wiring, row, "content", hit.excerpt)
    return FoundSessions(sessions=list(found.values()), query=q, count=len(found))


async def _found(wiring: Wiring, row: Row, kind: Literal["title", "content"], preview: str) -> FoundRow:
    native: dict[str, Any] = msgspec.structs.asdict(await dialect_row(wiring, row))
    return FoundRow(**native, match_type=kind, match_preview=preview)


ROUTES = (list_sessions, search_sessions)
