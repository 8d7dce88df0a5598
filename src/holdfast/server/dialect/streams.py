"""The stream of a run in the dialect: from its first event, or on from a cursor, until the run is over."""

from typing import Annotated

from starlette.requests import Request
from starlette.types import ASGIApp

from holdfast.core.errors import BadCommand, NoSuchSession
from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.server.dialect.addressed import Flag, on, opened
from holdfast.server.dialect.chat import StreamQuery
from holdfast.server.dialect.following import BATCH, Following, event
from holdfast.server.dialect.narration import CLOSING, Narration, Told
from holdfast.server.dialect.runs import NoSuchStream, RunName, beginning, named_run
from holdfast.server.dialect.sheet import Sheet, Stretch, read_sheet
from holdfast.server.endpoint import QueryField, get, streaming
from holdfast.server.schema.base import Answer
from holdfast.server.wired import Wired
from holdfast.server.wiring import Wiring
from holdfast.store.protocol import Opened

DESCRIPTION = """Server-sent events, each with the id `<stream_id>:<seq>`: `context_status`, `token`, `reasoning`,
`tool`, `tool_complete`, `approval`, `clarify`, `title`, `warning`, `metering`, `todo_state`, `done`, and the one that
ends it: `stream_end`, `cancel` or `apperror`. `after_seq`, `after_event_id` or the Last-Event-ID header go on from a
cursor, of several the furthest; one that is not of this stream is none, and without any it starts from its beginning.
`replay=1` passes over those in the address. A comment comes at least every ten seconds. `done` and `cancel` carry
the session, with `full=1` its transcript too."""
Cursor = Annotated[str | None, QueryField("Go on after this event, by its id")]


class Journal(Answer, frozen=True, kw_only=True):
    """How far a stream has been told."""

    session_id: SessionId
    run_id: str
    last_seq: int
    last_event_id: str | None
    last_event: str | None
    terminal: bool
    terminal_state: str | None


class StreamStatus(Answer, frozen=True, kw_only=True):
    """`replay_available`: it can be followed, from its beginning too."""

    active: bool
    stream_id: str
    replay_available: bool
    journal: Journal | None


VALUES: tuple[type, ...] = (StreamStatus,)


async def completed(wiring: Wiring, told: Told, *, full: bool) -> bytes:
    """The event as it is sent. The session that the end of a run carries is the one of now."""
    if told.name not in ("done", "cancel"):
        return event(told.name, told.data, told.id)
    sheet: Sheet = await read_sheet(wiring, told.run.session, Stretch() if full else None)
    return event(told.name, {"session": sheet, **told.data}, told.id)


class RunTeller:
    """One run, from its first event to its last; only what lies above `after` is said."""

    def __init__(self, wiring: Wiring, run: RunName, after: int, *, full: bool) -> None:
        self.over = False
        self._wiring = wiring
        self._run = run
        self._after = after
        self._full = full
        self._narration = Narration(run.session)

    async def open(self) -> list[bytes]:
        return []

    async def say(self, record: Record) -> list[bytes]:
        bodies: list[bytes] = []
        for told in self._narration.tell(record):
            if told.run != self._run:
                continue
            self.over = self.over or told.name in CLOSING
            if told.number > self._after:
                bodies.append(await completed(self._wiring, told, full=self._full))
        return bodies


@get(
    "/api/chat/stream",
    summary="Follow a run",
    **streaming(DESCRIPTION),
)
async def stream_chat(
    wiring: Wired,
    request: Request,
    *,
    stream_id: StreamQuery = None,
    after_seq: Annotated[str | None, QueryField("Go on after this event, by its number")] = None,
    after_event_id: Cursor = None,
    replay: Flag = "0",
    full: Flag = "0",
) -> ASGIApp:
    run = _run(stream_id)
    found = await opened_run(wiring, run)
    start = await beginning(wiring.store, run)
    # A client that comes back by itself comes to the same address, and says in the header how far it has come since.
    named = [] if on(replay) else [f"{run}:{after_seq}", after_event_id or ""]
    cursors = [*named, request.headers.get("last-event-id", "")]
    teller = RunTeller(wiring, run, await _furthest(wiring, run, start, cursors), full=on(full))
    return Following(wiring, run.session, start - 1, teller).response(found.session.seq)


async def _furthest(wiring: Wiring, run: RunName, start: int, cursors: list[str]) -> int:
    """The last event of the run that one of the cursors names; 0 if none does."""
    places = [number for cursor in cursors if (number := place(run, cursor))]
    told = (await journal_of(wiring, run, start)).last_seq if places else 0
    return max((number for number in places if number <= told), default=0)


@get("/api/chat/stream/status", summary="How a stream stands")
async def stream_status(wiring: Wired, stream_id: StreamQuery = None) -> StreamStatus:
    try:
        run = _run(stream_id)
        await opened_run(wiring, run)
        journal = await journal_of(wiring, run, await beginning(wiring.store, run))
    except NoSuchStream:
        return StreamStatus(active=False, stream_id=stream_id or "", replay_available=False, journal=None)
    return StreamStatus(active=not journal.terminal, stream_id=str(run), replay_available=True, journal=journal)


def _run(stream_id: str | None) -> RunName:
    if not stream_id:
        raise BadCommand("stream_id is required")
    return named_run(stream_id)


async def opened_run(wiring: Wiring, run: RunName) -> Opened:
    """The session of a run. Raise `NoSuchStream` if there is none."""
    try:
        return await opened(wiring, run.session)
    except NoSuchSession as exc:
        raise NoSuchStream from exc


def place(run: RunName, cursor: str) -> int:
    """The number of the event that a cursor names; 0 if it names none of this run."""
    name, _, number = cursor.rpartition(":")
    return int(number) if name == str(run) and number.isdecimal() and len(number) < 19 else 0


async def journal_of(wiring: Wiring, run: RunName, start: int) -> Journal:
    """All that the log has to tell of a run now."""
    narration, last, seq = Narration(run.session), None, start - 1
    while last is None or last.name not in CLOSING:
        records = await wiring.store.read(run.session, seq, BATCH)
        if not records:
            break
        seq = records[-1].seq
        told = [each for record in records for each in narration.tell(record) if each.run == run]
        last = told[-1] if told else last
    terminal = last is not None and last.name in CLOSING
    return Journal(
        session_id=run.session,
        run_id=str(run),
        last_seq=0 if last is None else last.number,
        last_event_id=None if last is None else last.id,
        last_event=None if last is None else last.name,
        terminal=terminal,
        terminal_state=last.data.get("terminal_state", "completed") if last is not None and terminal else None,
    )


ROUTES = (stream_chat, stream_status)
