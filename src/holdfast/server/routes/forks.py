"""A new session that goes another way from a turn of an old one.

What was chosen for the old one holds for the new one, its folder too, so that the files of which they speak are there.
What was allowed in it does not.
"""

import asyncio
import secrets
from pathlib import Path

from litestar import post
from litestar.params import FromPath, JSONBody

from holdfast.core import events as e
from holdfast.core import ids
from holdfast.core.decide import TITLE_LENGTH
from holdfast.core.errors import BadId, NoSuchSession, NotNow, StoreError
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.server.pages import find_turn
from holdfast.server.routes.sessions import RESERVED
from holdfast.server.schema import Created, Fork
from holdfast.server.wired import Caller, Wired
from holdfast.transfer.fork import forked, read_log, rests

SUFFIX = " (fork)"


@post(
    "/api/sessions/{session_id:str}/fork",
    summary="Begin a session with everything up to and including a turn of this one",
    description="Its agent is told what was said. Nothing that was allowed and nothing that waits comes with it.",
    status_code=201,
)
async def fork_session(wiring: Wired, client: Caller, session_id: FromPath[str], data: JSONBody[Fork]) -> Created:
    source, turn = ids.session_id(session_id), ids.turn_id(data.turn)
    if data.id in RESERVED:
        raise BadId(data.id)
    state = (await wiring.store.open(source)).session
    if state.deleted:
        raise NoSuchSession(source)
    if not rests(state, turn):
        raise NotNow("This turn is not over yet. Stop it, or wait for its end, then fork.")
    if turn not in state.turns:
        await find_turn(wiring.store, source, turn)
    records = await read_log(wiring.store, source)
    told = await asyncio.to_thread(_told, records, source, turn, state, wiring.settings.workspaces / source, client)
    session = ids.session_id(data.id) if data.id else SessionId(ids.mint(secrets.token_bytes(10)))
    try:
        appended = await wiring.store.admit(session, told)
    except StoreError as exc:
        wiring.hub.report(exc)
        raise
    wiring.hub.report(None)
    wiring.hub.rung()
    return Created(id=session, seq=appended.last, created=appended.written > 0)


def _told(
    records: list[Record], source: SessionId, turn: TurnId, state: Session, own: Path, client: str
) -> list[Record]:
    return forked(records, source, turn, _chosen(state, str(own) if own.is_dir() else "", client))


def _chosen(state: Session, own: str, client: str) -> list[e.AnyIntent]:
    """What the new session has of the old one's choices as they are now. `own` is the folder of one that chose none."""
    kept = e.SessionChanged(
        agent=state.agent,
        model=state.model,
        mode=state.mode,
        workspace=state.workspace or own,
        project=state.project,
        tags=state.tags,
        pinned=False,
        archived=False,
        client=client,
    )
    if not state.title:
        return [kept]
    title = state.title[: TITLE_LENGTH - len(SUFFIX)] + SUFFIX
    return [kept, e.SessionRenamed(title=title, client=client)]


ROUTES = (fork_session,)
