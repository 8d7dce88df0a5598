"""Sessions in the dialect: begin one, look into one, ask how it stands, find one."""

from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.core.errors import NoSuchSession
from holdfast.core.ids import SessionId
from holdfast.server.dialect.addressed import Flag, SessionQuery, named_session, on
from holdfast.server.dialect.sheet import Sheet, Stretch, read_sheet
from holdfast.server.endpoint import JSONBody, QueryField, get, post
from holdfast.server.routes.sessions import begin
from holdfast.server.schema.base import Answer, Folder, Name
from holdfast.server.schema.sessions import NewSession
from holdfast.server.wired import Caller, Wired


class SessionWish(msgspec.Struct, frozen=True, kw_only=True):
    """What a new session is to have. What `prev_session_id` completed is committed to memory behind it."""

    workspace: Folder | None = None
    model: Name | None = None
    project_id: Name | None = None
    prev_session_id: str | None = None


class OneSession(Answer, frozen=True, kw_only=True):
    session: Sheet


class SessionStanding(Answer, frozen=True, kw_only=True):
    """How a session stands, without a word of what was said in it."""

    session_id: SessionId
    title: str
    model: str
    profile: str
    hermes_home: str | None
    workspace: str
    personality: str | None
    message_count: int
    created_at: int
    updated_at: int
    agent_running: bool
    active_stream_id: str | None
    input_tokens: int
    output_tokens: int
    total_tokens: int
    estimated_cost: float


class SessionUsage(Answer, frozen=True, kw_only=True):
    session_id: SessionId
    input_tokens: int
    output_tokens: int
    total_tokens: int
    estimated_cost: float


VALUES: tuple[type, ...] = (SessionWish, OneSession, SessionStanding, SessionUsage)


@post("/api/session/new", summary="Begin a session", status=200)
async def new_session(wiring: Wired, client: Caller, data: JSONBody[SessionWish]) -> OneSession:
    created = await begin(
        wiring,
        client,
        NewSession(
            workspace=data.workspace or "",
            model=data.model or "",
            project=data.project_id or "",
            prev_session_id=await _predecessor(wiring, data.prev_session_id),
        ),
    )
    return OneSession(session=await read_sheet(wiring, created.id, Stretch()))


async def _predecessor(wiring: Wired, text: str | None) -> SessionId | None:
    """One that there is not is none: the new one begins all the same."""
    try:
        return await named_session(wiring, text) if text else None
    except NoSuchSession:
        return None


@get("/api/session", summary="A session with what was said in it")
async def read_session(
    wiring: Wired,
    *,
    session_id: SessionQuery = None,
    messages: Flag = "1",
    msg_limit: Annotated[int | None, QueryField("At most 500 are sent where it is named", limits=Meta(ge=1))] = None,
    msg_before: Annotated[int | None, QueryField("Only messages before this index", limits=Meta(ge=0))] = None,
) -> OneSession:
    stretch = Stretch(limit=msg_limit, before=msg_before) if on(messages) else None
    return OneSession(session=await read_sheet(wiring, await named_session(wiring, session_id), stretch))


@get("/api/session/status", summary="How a session stands")
async def session_status(wiring: Wired, session_id: SessionQuery = None) -> SessionStanding:
    sheet = await read_sheet(wiring, await named_session(wiring, session_id))
    shared = {name: getattr(sheet, name) for name in SessionStanding.__struct_fields__ if hasattr(sheet, name)}
    running = sheet.active_stream_id is not None
    return SessionStanding(**shared, agent_running=running, hermes_home=None, personality=None)


@get("/api/session/usage", summary="What a session has used")
async def session_usage(wiring: Wired, session_id: SessionQuery = None) -> SessionUsage:
    sheet = await read_sheet(wiring, await named_session(wiring, session_id))
    return SessionUsage(**{name: getattr(sheet, name) for name in SessionUsage.__struct_fields__})


ROUTES = (new_session, read_session, session_status, session_usage)
