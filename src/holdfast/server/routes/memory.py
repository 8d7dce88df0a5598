"""Memory: what is committed, what is not, and the wish that it be committed now."""

import asyncio

from holdfast.core import commands as c
from holdfast.core import ids
from holdfast.core.decide import decide
from holdfast.core.errors import KeyTaken, NoSuchSession
from holdfast.core.ids import SessionId
from holdfast.core.ledger import Ledger
from holdfast.server.act import act, append
from holdfast.server.endpoint import FromPath, get, post
from holdfast.server.overruled import Overruled
from holdfast.server.schema.sessions import MemoryCommit, MemoryState
from holdfast.server.wired import Caller, Wired

PATIENCE = 30.0
"""Seconds that a request waits for the end of its commit. After that it is told that the commit is in flight."""
LOOK = 1.0
"""Seconds after which a waiting request looks whether the server is asked to end."""


@get("/api/sessions/{session_id}/memory", summary="What is committed to memory, and what is not")
async def read_memory(wiring: Wired, session_id: FromPath[str]) -> MemoryState:
    ledger = await _ledger(wiring, ids.session_id(session_id))
    return MemoryState(
        generation=ledger.generation,
        committed=ledger.committed,
        uncommitted=bool(ledger.segments),
        commits=ledger.commits,
        in_flight=ledger.attempt is not None,
        may_be_doubled=ledger.may_be_doubled,
        last_error=ledger.error or None,
    )


@post("/api/sessions/{session_id}/memory/commit", summary="Commit to memory now", status=200)
async def commit_memory(wiring: Wired, client: Caller, session_id: FromPath[str]) -> MemoryCommit:
    """Ends well or not: a provider that fails is no error of this request."""
    session = ids.session_id(session_id)
    if (await wiring.store.open(session)).session.alive:
        await wiring.supervisor.settle(session)
    before = await _ledger(wiring, session)
    if before.attempt is not None:
        return MemoryCommit(committed=False, reason="in_flight")
    if not before.segments:
        return MemoryCommit(committed=False, reason="nothing")
    try:
        await act(wiring, session, c.CommitMemory(client=client))
    except Overruled:  # somebody else has asked for the same, and nothing has come of it yet
        return MemoryCommit(committed=False, reason="in_flight")
    return await _concluded(wiring, session, before)


async def hand_over(wiring: Wired, predecessor: SessionId, successor: SessionId, client: str) -> None:
    """Have what the predecessor completed committed behind the new session, if there is anything."""
    try:
        state = (await wiring.store.open(predecessor)).session
    except NoSuchSession:
        return
    if state.deleted or state.ledger is None or not state.ledger.segments:
        return
    try:
        await append(wiring, predecessor, decide(state, c.CommitMemory(successor=successor, client=client)))
    except KeyTaken:
        return  # it is being asked for already
    wiring.supervisor.nudge(predecessor)


async def _ledger(wiring: Wired, session: SessionId) -> Ledger:
    """The session's ledger; an empty one if nothing in it can be committed."""
    state = (await wiring.store.open(session)).session
    if state.deleted:
        raise NoSuchSession(session)
    return state.ledger or Ledger()


async def _concluded(wiring: Wired, session: SessionId, before: Ledger) -> MemoryCommit:
    """What the log says about the attempt that was asked for."""
    loop = asyncio.get_running_loop()
    deadline, head = loop.time() + PATIENCE, 0
    while loop.time() < deadline and not wiring.hub.closing.is_set():
        head = await wiring.store.wait(session, head, LOOK)
        ledger = (await wiring.store.open(session)).session.ledger or before
        if ledger.commits > before.commits:
            return MemoryCommit(committed=True)
        if ledger.tries > before.tries and ledger.attempt is None:
            return MemoryCommit(committed=False, reason="no_agent" if ledger.no_agent else "failed")
    return MemoryCommit(committed=False, reason="in_flight")


ROUTES = (read_memory, commit_memory)
