"""Streams of the dialect that go on for as long as somebody listens: one session's, and the list's."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from starlette.requests import Request
from starlette.types import ASGIApp

from holdfast.core.askqueue import AskQueue
from holdfast.core.events import HistoryTruncated, RecoveryFinished, TurnStarted
from holdfast.core.ids import SessionId
from holdfast.core.items import Approval
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.server.dialect import values as v
from holdfast.server.dialect.addressed import SessionQuery, named_session, opened
from holdfast.server.dialect.following import HEARTBEAT, Following, event
from holdfast.server.dialect.narration import Narration, Told
from holdfast.server.dialect.runs import NoSuchStream, RunName, active_turn, beginning, named_run
from holdfast.server.dialect.sheet import read_sheet
from holdfast.server.dialect.streams import Cursor, completed, journal_of, place
from holdfast.server.endpoint import FromPath, QueryField, get, streaming
from holdfast.server.hub import Wish
from holdfast.server.live import Live
from holdfast.server.schema.live import Gone
from holdfast.server.schema.sessions import SessionRow
from holdfast.server.sse import ALIVE, events_in
from holdfast.server.viewer import Viewer
from holdfast.server.wired import Wired
from holdfast.server.wiring import Wiring
from holdfast.store.protocol import Opened, Query

WORDS = 200
"""Characters of a summary."""
SESSION = """Server-sent events: `initial` first, then `server_turn_started` and `turn_started`, `approval_required`,
`activity_summary`, `turn_completed` or `turn_failed`, and `session-updated` when the transcript is another one."""
RUNS = """Server-sent events of every run of the session, as `GET /api/chat/stream` tells them. Without a cursor of this
session, `session_snapshot` comes first and then what happens from now on."""
LIST = """Server-sent events: `sessions_changed` with a `version` and a `reason`. It says that the list is another one;
load it anew."""
TOP = 500


class SessionTeller:
    """What happens in a session, in few words: for a phone that shows a notification, not the conversation."""

    def __init__(self, wiring: Wiring, session: SessionId, found: Opened, known: int | None) -> None:
        self.over = False
        self._wiring = wiring
        self._session = session
        self._known = known
        self._waiting = AskQueue(found.session, Approval)
        self._narration = Narration(session, found.session)
        self._words = ""

    async def open(self) -> list[bytes]:
        """What is true now, and the approval that waits."""
        sheet = await read_sheet(self._wiring, self._session)
        first = {"session_id": self._session, "message_count": sheet.message_count, "known_count": self._known}
        bodies = [event("initial", {**first, "active_stream_id": sheet.active_stream_id})]
        if self._waiting.head is not None:
            pending = v.pending_approvals(self._session, self._waiting)
            head = {**msgspec.to_builtins(pending.pending), "pending_count": pending.pending_count}
            bodies.append(self._approval(head))
        return bodies

    async def say(self, record: Record) -> list[bytes]:
        bodies: list[bytes] = []
        if isinstance(record.event, TurnStarted):
            run = str(RunName(self._session, record.event.turn))
            begun = {"session_id": self._session, "stream_id": run, "pending_started_at": record.time // 1000}
            bodies.append(event("server_turn_started", {**begun, "source": "webui", "recovered": False}))
            bodies.append(event("turn_started", begun))
        for told in self._narration.tell(record):
            bodies += await self._told(told)
        if isinstance(record.event, HistoryTruncated | RecoveryFinished):
            bodies.append(await self._updated())
        return bodies

    async def _told(self, told: Told) -> list[bytes]:
        about = {"session_id": self._session, "stream_id": str(told.run)}
        match told.name:
            case "token":
                self._words = (self._words + told.data["text"])[-WORDS:]
            case "approval":
                return [self._approval(told.data)]
            case "tool":
                summary = f"{told.data['name']} {msgspec.json.encode(told.data['args']).decode()}"[:WORDS]
                return [event("activity_summary", {**about, "summary": summary, "tool": told.data["name"]})]
            case "stream_end" | "cancel":
                status = "completed" if told.name == "stream_end" else "cancelled"
                words, self._words = self._words, ""
                ended = event("turn_completed", {**about, "summary": words, "status": status})
                return [ended, await self._updated()]
            case "apperror":
                self._words = ""
                return [event("turn_failed", {**about, "error": told.data["message"]}), await self._updated()]
            case _:
                pass
        return []

    def _approval(self, head: dict[str, Any]) -> bytes:
        route = f"{self._wiring.settings.file.server.path}/session/{self._session}"
        return event("approval_required", {**head, "route": route})

    async def _updated(self) -> bytes:
        count = (await read_sheet(self._wiring, self._session)).message_count
        about = {"session_id": self._session, "message_count": count, "known_count": self._known, "source": "webui"}
        return event("session-updated", about)


class RunsTeller:
    """Every run of a session. Nothing is said until `cursor` was told, or until the record `snapshot` was."""

    def __init__(self, wiring: Wiring, session: SessionId, narration: Narration, cursor: str, snapshot: int) -> None:
        self.over = False
        self._wiring = wiring
        self._session = session
        self._narration = narration
        self._cursor = cursor
        self._snapshot = snapshot

    async def open(self) -> list[bytes]:
        if self._cursor:
            return []
        return [event("session_snapshot", {"session": await read_sheet(self._wiring, self._session)})]

    async def say(self, record: Record) -> list[bytes]:
        bodies: list[bytes] = []
        for told in self._narration.tell(record):
            if not self._cursor and record.seq > self._snapshot:
                bodies.append(await completed(self._wiring, told, full=False))
            if told.id == self._cursor:
                self._cursor, self._snapshot = "", 0
        return bodies


@get("/api/session/stream", summary="Follow a session in few words", **streaming(SESSION))
async def stream_session(
    wiring: Wired,
    session_id: SessionQuery = None,
    known_count: Annotated[int | None, QueryField("Messages that the client has")] = None,
) -> ASGIApp:
    session = await named_session(wiring, session_id)
    found = await opened(wiring, session)
    head = found.session.seq
    return Following(wiring, session, head, SessionTeller(wiring, session, found, known_count)).response(head)


@get("/api/sessions/{session_id}/events", summary="Follow every run of a session", **streaming(RUNS))
async def stream_runs(
    wiring: Wired, request: Request, session_id: FromPath[str], after_event_id: Cursor = None
) -> ASGIApp:
    session = await named_session(wiring, session_id)
    found = await opened(wiring, session)
    head = found.session.seq
    cursors = [after_event_id or "", request.headers.get("last-event-id", "")]
    start, _, cursor = max([await _known(wiring, session, cursor) for cursor in cursors])
    if start:
        narration, after, snapshot = Narration(session), start - 1, 0
    else:
        snapshot = head
        narration, after = await _from_now(wiring, session, found.session)
    teller = RunsTeller(wiring, session, narration, cursor, snapshot)
    return Following(wiring, session, after, teller).response(head)


async def _known(wiring: Wiring, session: SessionId, cursor: str) -> tuple[int, int, str]:
    """Where the run of a cursor begins, the number of its event, and the cursor: a later one is greater. Zeros if it is
    none of this session."""
    nowhere = (0, 0, "")
    try:
        run = named_run(cursor.rpartition(":")[0])
        start = await beginning(wiring.store, run) if run.session == session else 0
    except NoSuchStream:
        return nowhere
    number = place(run, cursor)
    told = (await journal_of(wiring, run, start)).last_seq if start and number else 0
    return (start, number, cursor) if 0 < number <= told else nowhere


async def _from_now(wiring: Wiring, session: SessionId, state: Session) -> tuple[Narration, int]:
    """A narration that counts the events of the run that goes on, and the record after which it begins."""
    active = active_turn(state)
    if active is None:
        return Narration(session, state), state.seq
    return Narration(session), await beginning(wiring.store, RunName(session, active.id)) - 1


class ListTeller:
    """Says of each change of the list what it may mean."""

    def __init__(self, change: int, waiting: dict[SessionId, int]) -> None:
        self._change = change
        self._waiting = waiting

    async def bodies(self, viewer: Viewer) -> AsyncGenerator[bytes]:
        yield event("sessions_changed", _changed(self._change, "initial", None))
        async with aclosing(viewer.bodies()) as bodies:
            async for body in bodies:
                for name, data in events_in(body):
                    if name == "reset":
                        return
                    if name == "session":
                        row = msgspec.json.decode(data, type=SessionRow)
                        yield event("sessions_changed", _changed(row.change, self._reason(row), row.id))
                    if name == "gone":
                        gone = msgspec.json.decode(data, type=Gone)
                        yield event("sessions_changed", _changed(gone.change, "session_delete", gone.session))
                if body == ALIVE:
                    yield HEARTBEAT

    def _reason(self, row: SessionRow) -> str:
        before = self._waiting.pop(row.id, 0)
        if row.waiting:
            self._waiting[row.id] = row.waiting
        if row.waiting != before:
            return "attention_pending" if row.waiting > before else "attention_resolved"
        return "session_new" if row.activity <= 1 else "session_update"


def _changed(version: int, reason: str, session: SessionId | None) -> dict[str, Any]:
    about = {"type": "sessions_changed", "version": version, "reason": reason}
    return about if session is None else {**about, "session_id": session}


@get("/api/sessions/events", summary="Hear that the list of sessions is another one", **streaming(LIST))
async def stream_list(wiring: Wired) -> ASGIApp:
    top = await wiring.store.sessions(Query(on_top=True, limit=TOP))
    waiting = {row.id: row.overview.waiting for row in top.rows if row.overview.waiting}
    return Live(wiring.hub, Wish(listed=top.change), ListTeller(top.change, waiting).bodies)


ROUTES = (stream_session, stream_runs, stream_list)
