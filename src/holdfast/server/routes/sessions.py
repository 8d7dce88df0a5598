"""Sessions: begin, list, look into, change, delete, search."""

import asyncio
import contextlib
import secrets
from typing import Annotated

from msgspec import UNSET, Meta
from starlette.responses import Response

from holdfast.core import commands as c
from holdfast.core import events as e
from holdfast.core import ids, labels, window
from holdfast.core.errors import BadId, HoldfastError, NoSuchSession, StoreError
from holdfast.core.house import Defaults
from holdfast.core.ids import SessionId
from holdfast.rules import read_house
from holdfast.server.act import act
from holdfast.server.endpoint import (
    Answers,
    FromPath,
    FromQuery,
    JSONBody,
    PathField,
    QueryField,
    delete,
    get,
    patch,
    post,
)
from holdfast.server.packed import packed
from holdfast.server.pages import page_with
from holdfast.server.routes.memory import hand_over
from holdfast.server.schema.records import Records, wire
from holdfast.server.schema.sessions import (
    Created,
    Done,
    FoundInSession,
    Hits,
    LabelList,
    NewSession,
    SessionChange,
    SessionList,
    SettledPage,
    Snapshot,
    Truncation,
    page_of,
    row_of,
)
from holdfast.server.wired import Caller, Wired
from holdfast.store.protocol import Query
from holdfast.transfer.identity import led_to
from holdfast.workspace.files import check_root

RECORDS = 500
MOST_RECORDS = 5_000
MOST_PAGES = 1_000_000_000
"""More than any session has. A store can't look for a number without end."""
LISTED = 50
"""Rows of a list that names no limit."""
LABELS = 500
"""Projects and tags that are named at once."""
RESERVED = frozenset({"events", "search"})
"""What `/api/sessions/` means something else by."""
WAIT = 30.0


@post(
    "/api/sessions",
    summary="Begin a session",
    answers={201: Answers(Created), 200: Answers(Created, "It was there already.")},
)
async def create_session(wiring: Wired, client: Caller, data: JSONBody[NewSession]) -> Response:
    created = await begin(wiring, client, data)
    return packed(created, 201 if created.created else 200)


async def begin(wiring: Wired, client: str, data: NewSession) -> Created:
    """The one way in which a session begins, whatever language it was asked for in."""
    if data.id in RESERVED:
        raise BadId(data.id)
    session = ids.session_id(data.id) if data.id else SessionId(ids.mint(secrets.token_bytes(10)))
    named = data.predecessor or data.prev_session_id
    predecessor = ids.session_id(named) if named else None
    given = await _given(wiring, data)
    if given.workspace:
        check_root(given.workspace, wiring.settings.home)
    event = e.SessionCreated(
        title=" ".join(data.title.split()),
        agent=given.agent,
        model=given.model,
        mode=given.mode,
        workspace=given.workspace,
        project=labels.project(data.project),
        tags=labels.tags(data.tags),
        predecessor=predecessor,
        reference=data.reference,
        client=client,
    )
    try:
        appended = await wiring.store.create(session, event)
    except StoreError as exc:
        wiring.hub.report(exc)
        raise
    wiring.hub.report(None)
    wiring.hub.rung()
    if predecessor is not None:
        await hand_over(wiring, predecessor, session, client)
    return Created(id=session, seq=appended.last, created=appended.written > 0)


async def _given(wiring: Wired, data: NewSession) -> Defaults:
    """What the session is to have: what was asked for, else what a person chose for all, else what suits the machine.

    A model or a mode is one of an agent, so those that were chosen for another agent count for nothing. What is given
    is written down: a session does not change its agent because another one was installed.
    """
    chosen = (await read_house(wiring.store)).defaults
    agent = data.agent or wiring.settings.agent or chosen.agent or await wiring.roster.default()
    same = agent == (chosen.agent or agent)
    return Defaults(
        agent=agent,
        model=data.model or (chosen.model if same else ""),
        mode=data.mode or (chosen.mode if same else ""),
        workspace=data.workspace or chosen.workspace,
    )


async def listed(wiring: Wired, query: Query) -> SessionList:
    """A stretch of the list. Its address answers in two languages, and so lies in the dialect: `dialect/listing.py`."""
    found = await wiring.store.sessions(query)
    rows = [row_of(row) for row in found.rows]
    return SessionList(sessions=rows, cursor=found.cursor, change=found.change, lineage=wiring.hub.lineage)


@get(
    "/api/sessions/{session_id}",
    summary="A session as it is now",
    description="What hermes-webui called an imported session leads to it too; `id` is what it is called here.",
)
async def open_session(wiring: Wired, session_id: FromPath[str]) -> Snapshot:
    session = await led_to(wiring.store, session_id)
    opened = await wiring.store.open(session)
    state = opened.session
    if state.deleted:
        raise NoSuchSession(session)
    if state.recovering:
        wiring.supervisor.nudge(session)
    window.transcript(state)  # joins the pieces of growing texts
    return Snapshot(
        id=session,
        seq=state.seq,
        lineage=opened.lineage,
        session=state,
        page=page_of(opened.page),
        pages=opened.page.number,
    )


@get("/api/sessions/{session_id}/pages/{number}", summary="An earlier page of settled items")
async def read_page(
    wiring: Wired, session_id: FromPath[str], number: Annotated[int, PathField(limits=Meta(ge=0, le=MOST_PAGES))]
) -> SettledPage:
    return page_of(await wiring.store.page(ids.session_id(session_id), number))


@get(
    "/api/sessions/{session_id}/turns/{turn_id}/page",
    summary="The page of settled items that holds an item of this turn",
)
async def read_page_with(
    wiring: Wired,
    session_id: FromPath[str],
    turn_id: FromPath[str],
    k: Annotated[int, QueryField("Which item of the turn; 0 is its message", limits=Meta(ge=0))] = 0,
) -> SettledPage:
    return page_of(await page_with(wiring.store, ids.session_id(session_id), ids.turn_id(turn_id), k))


@get("/api/sessions/{session_id}/records", summary="Records after a cursor, waiting for them if asked to")
async def read_records(
    wiring: Wired,
    session_id: FromPath[str],
    after: Annotated[int, QueryField(limits=Meta(ge=0))] = 0,
    wait: Annotated[float, QueryField(limits=Meta(ge=0, le=WAIT))] = 0,
    lineage: FromQuery[str | None] = None,
    limit: Annotated[int, QueryField(limits=Meta(ge=1, le=MOST_RECORDS))] = RECORDS,
) -> Records:
    session = ids.session_id(session_id)
    ours = wiring.hub.lineage
    head = await wiring.store.wait(session, -1, 0)
    if after > head or lineage not in (None, ours):
        return Records(records=[], seq=head, lineage=ours, reset=True)
    if head == after and wait:
        await _grown(wiring, session, after, wait)
    records = await wiring.store.read(session, after, limit)
    seq = records[-1].seq if records else after
    return Records(records=[wire(record) for record in records], seq=seq, lineage=ours)


async def _grown(wiring: Wired, session: SessionId, after: int, seconds: float) -> None:
    """Return when the log has grown, when the time is over, or when the server is asked to end.

    That there is nothing to wait for any more, or that it can't be read, is said by the reading that follows.
    """

    async def heard() -> None:
        with contextlib.suppress(HoldfastError):
            await wiring.store.wait(session, after, seconds)

    async with asyncio.TaskGroup() as group:
        grown = group.create_task(heard())
        ended = group.create_task(wiring.hub.closing.wait())
        await asyncio.wait((grown, ended), return_when=asyncio.FIRST_COMPLETED)
        grown.cancel()
        ended.cancel()


@patch("/api/sessions/{session_id}", summary="Rename a session, or change how it is kept and run")
async def change_session(
    wiring: Wired, client: Caller, session_id: FromPath[str], data: JSONBody[SessionChange]
) -> Done:
    session = ids.session_id(session_id)
    state = (await wiring.store.open(session)).session
    change = c.ChangeSession(
        title=data.title,
        agent=data.agent,
        model=data.model,
        mode=data.mode,
        workspace=data.workspace,
        project=data.project,
        tags=data.tags,
        add_tags=data.add_tags,
        remove_tags=data.remove_tags,
        pinned=data.pinned,
        archived=data.archived,
        # A browser says what it has on screen again and again: only what is news is worth a record.
        seen=UNSET if data.seen is UNSET or data.seen <= state.seen else data.seen,
        client=client,
    )
    if change == c.ChangeSession(client=client):
        return Done(session=session, seq=state.seq)
    return Done(session=session, seq=(await act(wiring, session, change)).seq)


@delete("/api/sessions/{session_id}", summary="Delete a session; it can be restored", status=200)
async def delete_session(wiring: Wired, client: Caller, session_id: FromPath[str]) -> Done:
    session = ids.session_id(session_id)
    return Done(session=session, seq=(await act(wiring, session, c.DeleteSession(client=client))).seq)


@post("/api/sessions/{session_id}/restore", summary="Undo a deletion", status=200)
async def restore_session(wiring: Wired, client: Caller, session_id: FromPath[str]) -> Done:
    session = ids.session_id(session_id)
    return Done(session=session, seq=(await act(wiring, session, c.RestoreSession(client=client))).seq)


@post("/api/sessions/{session_id}/truncate", summary="Remove messages from the end", status=200)
async def truncate_session(
    wiring: Wired, client: Caller, session_id: FromPath[str], data: JSONBody[Truncation]
) -> Done:
    session = ids.session_id(session_id)
    turn = ids.turn_id(data.turn) if data.turn else None
    return Done(session=session, seq=(await act(wiring, session, c.TruncateHistory(turn=turn, client=client))).seq)


@get(
    "/api/labels",
    summary="The projects and tags that there are, the most used first",
    description="Counted are the sessions of the list: neither archived nor deleted.",
)
async def list_labels(wiring: Wired) -> LabelList:
    found = await wiring.store.labels(LABELS)
    return LabelList(projects=found.projects, tags=found.tags)


@get("/api/search", summary="Find words in what people and agents said")
async def search(
    wiring: Wired,
    q: Annotated[str, QueryField(limits=Meta(max_length=200))],
    session: FromQuery[str | None] = None,
    limit: Annotated[int, QueryField(limits=Meta(ge=1, le=100))] = 20,
) -> Hits:
    within = ids.session_id(session) if session else None
    return Hits(hits=await wiring.store.search(q, limit=limit, session=within))


@get(
    "/api/sessions/{session_id}/find",
    summary="Where this was said in one session, newest first",
    description="Whatever the case, the accents and the emphasis; what tools printed is not looked into. An answer "
    "covers a stretch of the session; `cursor` leads to the one before it.",
)
async def find_in_session(
    wiring: Wired,
    session_id: FromPath[str],
    q: Annotated[str, QueryField(limits=Meta(max_length=200))],
    cursor: FromQuery[str | None] = None,
) -> FoundInSession:
    finds = await wiring.store.find(ids.session_id(session_id), q, cursor=cursor)
    return FoundInSession(found=finds.found, cursor=finds.cursor)


ROUTES = (
    create_session,
    open_session,
    read_page,
    read_page_with,
    read_records,
    change_session,
    delete_session,
    restore_session,
    truncate_session,
    list_labels,
    search,
    find_in_session,
)
