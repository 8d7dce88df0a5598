"""A new session that goes another way from a turn of an old one.

What was chosen for the old one holds for the new one, its folder too, so that the files of which they speak are there.
What was allowed in it does not.
"""

import secrets
from pathlib import Path

from holdfast.core import course, ids
from holdfast.core import events as e
from holdfast.core.decide import TITLE_LENGTH
from holdfast.core.errors import BadId, NoSuchSession, NotNow, StoreError
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.session import Session
from holdfast.server.endpoint import FromPath, JSONBody, post
from holdfast.server.pages import find_turn
from holdfast.server.routes.sessions import RESERVED
from holdfast.server.schema.sessions import Created, Fork
from holdfast.server.wired import Caller, Wired

SUFFIX = " (fork)"


@post(
    "/api/sessions/{session_id}/fork",
    summary="Begin a session with everything up to and including a turn of this one",
    description="Its agent is told what was said. Nothing that was allowed and nothing that waits comes with it.",
    status=201,
)
async def fork_session(wiring: Wired, client: Caller, session_id: FromPath[str], data: JSONBody[Fork]) -> Created:
    source, turn = ids.session_id(session_id), ids.turn_id(data.turn)
    if data.id in RESERVED:
        raise BadId(data.id)
    session = ids.session_id(data.id) if data.id else SessionId(ids.mint(secrets.token_bytes(10)))
    if turn not in (await wiring.store.open(source)).session.turns:
        await find_turn(wiring.store, source, turn)
    own = wiring.settings.workspaces / source

    def goes_on(state: Session) -> list[e.AnyIntent]:
        if state.deleted:
            raise NoSuchSession(source)
        if turn in state.turns and course.parting(state, turn) is None:
            raise NotNow("This turn is not over yet. Stop it, or wait for its end, then fork.")
        return _told(state, source, turn, own, client)

    try:
        appended = await wiring.store.fork(session, source, goes_on)
    except StoreError as exc:
        wiring.hub.report(exc)
        raise
    wiring.hub.report(None)
    wiring.hub.rung()
    return Created(id=session, seq=appended.last, created=appended.written > 0)


def _told(state: Session, source: SessionId, turn: TurnId, own: Path, client: str) -> list[e.AnyIntent]:
    """The fork, with what was chosen for the old one as it is now. `own` is the folder of one that chose none."""
    workspace = state.workspace or (str(own) if own.is_dir() else "")
    title = f"{state.title[: TITLE_LENGTH - len(SUFFIX)]}{SUFFIX}" if state.title else ""
    told: list[e.AnyIntent] = [e.SessionForked(source=source, turn=turn, client=client)]
    if title:
        told.append(e.SessionRenamed(title=title, client=client))
    seen = state.seq + len(told) + 1
    return [*told, e.SessionChanged(workspace=workspace, seen=seen, client=client)]


ROUTES = (fork_session,)
