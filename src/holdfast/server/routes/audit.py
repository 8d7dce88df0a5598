"""The audit: every ask with its answer, as JSON lines, of one session or of all."""

from collections.abc import AsyncGenerator

import msgspec
from starlette.responses import StreamingResponse

from holdfast.core import ids
from holdfast.core.audit import Audit
from holdfast.core.ids import SessionId
from holdfast.server.endpoint import Answers, FromPath, get
from holdfast.server.wired import Wired
from holdfast.store.protocol import Query, Store

LINES = "application/x-ndjson"
BATCH = 500
DESCRIPTION = """One JSON object per line, in the order in which each was settled; what still waits comes last. It is
read from the log, so what was removed from a transcript is here too. A secret's words are not: they are nowhere."""


@get(
    "/api/sessions/{session_id}/audit",
    summary="Every ask of a session, and what became of it",
    description=DESCRIPTION,
    answers={200: Answers(str, DESCRIPTION, LINES)},
)
async def audit_session(wiring: Wired, session_id: FromPath[str]) -> StreamingResponse:
    session = ids.session_id(session_id)
    await wiring.store.open(session)  # one that does not exist is said at once
    return StreamingResponse(_lines(wiring.store, session), media_type=LINES)


@get(
    "/api/audit",
    summary="Every ask of every session, and what became of it",
    description=DESCRIPTION,
    answers={200: Answers(str, DESCRIPTION, LINES)},
)
async def audit_all(wiring: Wired) -> StreamingResponse:
    return StreamingResponse(_all_lines(wiring.store), media_type=LINES)


async def _all_lines(store: Store) -> AsyncGenerator[bytes]:
    for query in (Query(), Query(archived=True), Query(deleted=True)):
        cursor: str | None = ""
        while cursor is not None:
            found = await store.sessions(msgspec.structs.replace(query, cursor=cursor or None, limit=BATCH))
            for row in found.rows:
                async for lines in _lines(store, row.id):
                    yield lines
            cursor = found.cursor


async def _lines(store: Store, session: SessionId) -> AsyncGenerator[bytes]:
    audit, after = Audit(session), 0
    while records := await store.read(session, after, BATCH):
        after = records[-1].seq
        settled = [entry for record in records for entry in audit.apply(record)]
        if settled:
            yield b"".join(msgspec.json.encode(entry) + b"\n" for entry in settled)
    yield b"".join(msgspec.json.encode(entry) + b"\n" for entry in audit.open())


ROUTES = (audit_session, audit_all)
