"""Chat in the dialect: send a message, stop its run, speak to it."""

import secrets
from functools import partial
from typing import Annotated, Literal

import msgspec

from holdfast.core import commands as c
from holdfast.core import ids
from holdfast.core.errors import BadCommand, NoSuchSession, NoSuchTurn, Refused
from holdfast.core.events import Attachment
from holdfast.core.ids import SessionId, SteerId, TurnId
from holdfast.core.session import Session
from holdfast.server.act import act
from holdfast.server.dialect.addressed import named_session, opened
from holdfast.server.dialect.refusals import refuse_busy
from holdfast.server.dialect.runs import ActiveStream, NoSuchStream, RunName, active_turn, named_run
from holdfast.server.dialect.sheet import UNTITLED
from holdfast.server.endpoint import JSONBody, QueryField, get, post, refusing
from holdfast.server.overruled import Overruled
from holdfast.server.routes.turns import cancel
from holdfast.server.schema.base import Answer, Folder, Name, Text
from holdfast.server.wired import Caller, Wired

StreamQuery = Annotated[str | None, QueryField("The stream")]
Fallback = Literal["agent_lacks_steer", "session_not_found", "not_running", "steer_error"]


class ChatStart(msgspec.Struct, frozen=True, kw_only=True):
    """A message. `attachments` are what `POST /api/files` answered. `workspace` and `model` are the session's from
    here on."""

    session_id: str | None = None
    message: Text | None = None
    attachments: Annotated[tuple[Attachment, ...], msgspec.Meta(max_length=20)] = ()
    workspace: Folder | None = None
    model: Name | None = None


class ChatCancel(msgspec.Struct, frozen=True, kw_only=True):
    """Which stream to stop."""

    stream_id: str | None = None


class ChatSteer(msgspec.Struct, frozen=True, kw_only=True):
    """Words for the run that goes on."""

    session_id: str | None = None
    text: Text | None = None


class ChatStarted(Answer, frozen=True, kw_only=True):
    """The message is recorded; `stream_id` is where its run is told."""

    stream_id: str
    session_id: SessionId
    pending_started_at: int
    turn_id: TurnId
    title: str


class ChatCancelled(Answer, frozen=True, kw_only=True):
    """`cancelled`: it ran, or waited to, and was told to stop."""

    ok: Literal[True] = True
    cancelled: bool
    stream_id: str


class ChatSteered(Answer, frozen=True, kw_only=True):
    """`fallback` says why the words were not taken; nothing was recorded then."""

    accepted: bool
    fallback: Fallback | None
    stream_id: str | None


VALUES: tuple[type, ...] = (ChatStart, ChatCancel, ChatSteer, ChatStarted, ChatCancelled, ChatSteered)


@post("/api/chat/start", summary="Send a message, if no run goes on", status=200)
async def start_chat(wiring: Wired, client: Caller, data: JSONBody[ChatStart]) -> ChatStarted:
    session = await named_session(wiring, data.session_id)
    if not (data.message or "").strip() and not data.attachments:
        raise BadCommand("message is required")
    turn = TurnId(ids.mint(secrets.token_bytes(10)))
    command = c.StartTurn(
        turn=turn,
        text=data.message or "",
        attachments=data.attachments,
        workspace=data.workspace or msgspec.UNSET,
        model=data.model or msgspec.UNSET,
        client=client,
    )
    outcome = await act(wiring, session, command, partial(_check_idle, session))
    return ChatStarted(
        stream_id=str(RunName(session, turn)),
        session_id=session,
        pending_started_at=outcome.record.time // 1000,
        turn_id=turn,
        title=outcome.session.title or UNTITLED,
    )


def _check_idle(session: SessionId, state: Session) -> None:
    """A message that is refused was never sent, and changes nothing: of two that come at once one is written down."""
    active = active_turn(state)
    if active is not None:
        raise ActiveStream(RunName(session, active.id))


@get("/api/chat/cancel", summary="Stop a stream's run; only a bearer may ask so")
async def cancel_chat_by_get(wiring: Wired, client: Caller, stream_id: StreamQuery = None) -> ChatCancelled:
    return await _cancelled(wiring, stream_id, client)


@post("/api/chat/cancel", summary="Stop a stream's run", status=200)
async def cancel_chat(
    wiring: Wired, client: Caller, data: JSONBody[ChatCancel | None] = None, stream_id: StreamQuery = None
) -> ChatCancelled:
    return await _cancelled(wiring, data.stream_id if data is not None and data.stream_id else stream_id, client)


async def _cancelled(wiring: Wired, stream_id: str | None, client: str) -> ChatCancelled:
    """To stop what is over, or never was, is harmless."""
    if not stream_id:
        raise BadCommand("stream_id is required")
    try:
        run = named_run(stream_id)
        await cancel(wiring, run.session, run.turn, client)
    except (NoSuchStream, NoSuchSession, NoSuchTurn, Overruled):
        return ChatCancelled(cancelled=False, stream_id=stream_id)
    return ChatCancelled(cancelled=True, stream_id=stream_id)


@post("/api/chat/steer", summary="Speak to the run that goes on", status=200)
async def steer_chat(wiring: Wired, client: Caller, data: JSONBody[ChatSteer]) -> ChatSteered:
    """Never refused: a client that is told `fallback` sends the words as a message of their own."""
    try:
        session = await named_session(wiring, data.session_id)
        state = (await opened(wiring, session)).session
    except Refused:
        return ChatSteered(accepted=False, fallback="session_not_found", stream_id=None)
    if state.running is None:
        return ChatSteered(accepted=False, fallback="not_running", stream_id=None)
    run = str(RunName(session, state.running))
    if state.process is None or not state.process.steers:
        return ChatSteered(accepted=False, fallback="agent_lacks_steer", stream_id=run)
    steer = SteerId(ids.mint(secrets.token_bytes(10)))
    try:
        await act(wiring, session, c.SteerTurn(turn=state.running, steer=steer, text=data.text or "", client=client))
    except Refused:
        return ChatSteered(accepted=False, fallback="steer_error", stream_id=run)
    return ChatSteered(accepted=True, fallback=None, stream_id=run)


ROUTES = refusing(refuse_busy, start_chat, cancel_chat_by_get, cancel_chat, steer_chat)
