"""Changes to a session in the dialect: its name, how it is kept, and what leaves its transcript.

Messages leave by whole turns, because a turn is what an agent is told or not told: a count that would cut one in two is
refused, and the refusal names the counts that would not. The log keeps everything.
"""

from typing import Literal

import msgspec

from holdfast.core import commands as c
from holdfast.core.errors import BadCommand
from holdfast.core.ids import SessionId, TurnId
from holdfast.server.act import act
from holdfast.server.dialect.addressed import named_session, opened
from holdfast.server.dialect.messages import Transcript
from holdfast.server.dialect.sheet import Sheet, read_sheet, read_transcript
from holdfast.server.endpoint import JSONBody, post
from holdfast.server.schema.base import Answer, Folder, Name
from holdfast.server.wired import Caller, Wired

PREVIEW = 200


class SessionNamed(msgspec.Struct, frozen=True, kw_only=True):
    session_id: str | None = None


class SessionRename(SessionNamed, frozen=True, kw_only=True):
    title: str | None = None


class SessionUpdate(SessionNamed, frozen=True, kw_only=True):
    """What is given is changed; the rest stays."""

    title: str | None = None
    workspace: Folder | None = None
    model: Name | None = None


class SessionPin(SessionNamed, frozen=True, kw_only=True):
    pinned: bool = True


class SessionArchive(SessionNamed, frozen=True, kw_only=True):
    archived: bool = True


class SessionMove(SessionNamed, frozen=True, kw_only=True):
    """Without a project, the session leaves the one it is in."""

    project_id: Name | None = None


class SessionTruncate(SessionNamed, frozen=True, kw_only=True):
    """How many messages stay."""

    keep_count: int | None = None


class SessionDone(Answer, frozen=True, kw_only=True):
    ok: Literal[True] = True
    session: Sheet


class SessionGone(Answer, frozen=True, kw_only=True):
    ok: Literal[True] = True
    state_db_cleanup_failed: Literal[False] = False


class SessionUndone(Answer, frozen=True, kw_only=True):
    """The last turn has left the transcript: so many messages, and how its own began."""

    ok: Literal[True] = True
    removed_count: int
    removed_preview: str


class SessionRetry(Answer, frozen=True, kw_only=True):
    """The last turn has left the transcript; its message can be sent again."""

    ok: Literal[True] = True
    removed_count: int
    last_user_text: str


class NothingToDo(Answer, frozen=True, kw_only=True):
    error: str


VALUES: tuple[type, ...] = (
    SessionNamed,
    SessionRename,
    SessionUpdate,
    SessionPin,
    SessionArchive,
    SessionMove,
    SessionTruncate,
    SessionDone,
    SessionGone,
    SessionUndone,
    SessionRetry,
    NothingToDo,
)


async def _done(wiring: Wired, session: SessionId, command: c.Command | None = None) -> SessionDone:
    await opened(wiring, session)
    if command is not None:
        await act(wiring, session, command)
    return SessionDone(session=await read_sheet(wiring, session))


@post("/api/session/rename", summary="Call a session something else", status=200)
async def rename_session(wiring: Wired, client: Caller, data: JSONBody[SessionRename]) -> SessionDone:
    session = await named_session(wiring, data.session_id)
    if not data.title:
        raise BadCommand("title is required")
    return await _done(wiring, session, c.ChangeSession(title=data.title, client=client))


@post("/api/session/update", summary="Change what a session works with", status=200)
async def update_session(wiring: Wired, client: Caller, data: JSONBody[SessionUpdate]) -> SessionDone:
    session = await named_session(wiring, data.session_id)
    change = c.ChangeSession(
        title=data.title or msgspec.UNSET,
        workspace=msgspec.UNSET if data.workspace is None else data.workspace,
        model=msgspec.UNSET if data.model is None else data.model,
        client=client,
    )
    return await _done(wiring, session, None if change == c.ChangeSession(client=client) else change)


@post("/api/session/pin", summary="Keep a session on top, or no longer", status=200)
async def pin_session(wiring: Wired, client: Caller, data: JSONBody[SessionPin]) -> SessionDone:
    session = await named_session(wiring, data.session_id)
    return await _done(wiring, session, c.ChangeSession(pinned=data.pinned, client=client))


@post("/api/session/archive", summary="Put a session away, or take it back", status=200)
async def archive_session(wiring: Wired, client: Caller, data: JSONBody[SessionArchive]) -> SessionDone:
    session = await named_session(wiring, data.session_id)
    return await _done(wiring, session, c.ChangeSession(archived=data.archived, client=client))


@post("/api/session/move", summary="Put a session into a project", status=200)
async def move_session(wiring: Wired, client: Caller, data: JSONBody[SessionMove]) -> SessionDone:
    change = c.ChangeSession(project=data.project_id or "", client=client)
    return await _done(wiring, await named_session(wiring, data.session_id), change)


@post("/api/session/delete", summary="Delete a session; it can be restored", status=200)
async def delete_session_by_post(wiring: Wired, client: Caller, data: JSONBody[SessionNamed]) -> SessionGone:
    session = await named_session(wiring, data.session_id)
    await opened(wiring, session)
    await act(wiring, session, c.DeleteSession(client=client))
    return SessionGone()


@post("/api/session/clear", summary="Let everything leave the transcript", status=200)
async def clear_session(wiring: Wired, client: Caller, data: JSONBody[SessionNamed]) -> SessionDone:
    return await _done(wiring, await named_session(wiring, data.session_id), c.TruncateHistory(client=client))


@post("/api/session/truncate", summary="Let all but the first messages leave the transcript", status=200)
async def truncate_session_by_count(wiring: Wired, client: Caller, data: JSONBody[SessionTruncate]) -> SessionDone:
    session = await named_session(wiring, data.session_id)
    if data.keep_count is None or data.keep_count < 0:
        raise BadCommand("keep_count is required, and is 0 or more")
    said = await _said(wiring, session)
    if data.keep_count >= len(said.messages):
        return await _done(wiring, session)
    return await _done(wiring, session, c.TruncateHistory(turn=_first_to_go(said, data.keep_count), client=client))


def _first_to_go(said: Transcript, count: int) -> TurnId | None:
    """The turn whose first message is the first to go. Raise `BadCommand` if a turn would be cut in two."""
    turn = said.turns[count]
    first = said.turns.index(turn)
    if first != count:
        after = first + said.turns.count(turn)
        raise BadCommand(f"Messages leave with the whole turn that they belong to. Keep {first} or {after} of them.")
    return turn if count else None


@post("/api/session/undo", summary="Let the last turn leave the transcript", status=200)
async def undo_turn(wiring: Wired, client: Caller, data: JSONBody[SessionNamed]) -> SessionUndone | NothingToDo:
    gone = await _last_removed(wiring, await named_session(wiring, data.session_id), client)
    if gone is None:
        return NothingToDo(error="Nothing to undo.")
    return SessionUndone(removed_count=gone[0], removed_preview=gone[1][:PREVIEW])


@post("/api/session/retry", summary="Take the last turn back, to send it again", status=200)
async def retry_turn(wiring: Wired, client: Caller, data: JSONBody[SessionNamed]) -> SessionRetry | NothingToDo:
    gone = await _last_removed(wiring, await named_session(wiring, data.session_id), client)
    if gone is None:
        return NothingToDo(error="No previous message to retry.")
    return SessionRetry(removed_count=gone[0], last_user_text=gone[1])


async def _last_removed(wiring: Wired, session: SessionId, client: str) -> tuple[int, str] | None:
    """How many messages have left with the last turn, and its own; None if there is no turn."""
    said = await _said(wiring, session)
    if not said.turns:
        return None
    turn = said.turns[-1]
    await act(wiring, session, c.TruncateHistory(turn=turn, client=client))
    return said.turns.count(turn), said.messages[said.turns.index(turn)].content


async def _said(wiring: Wired, session: SessionId) -> Transcript:
    return await read_transcript(wiring.store, session, await opened(wiring, session))


ROUTES = (
    rename_session,
    update_session,
    pin_session,
    archive_session,
    move_session,
    delete_session_by_post,
    clear_session,
    truncate_session_by_count,
    undo_turn,
    retry_turn,
)
