"""Sessions as files: one, or all of them together in an archive that is sent while it is being made."""

import asyncio
import re
import zipfile
from collections.abc import AsyncIterator, Sequence
from typing import IO, Literal, cast

import msgspec

from holdfast.core.errors import NoSuchSession
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.mask import masked
from holdfast.core.state import State
from holdfast.store.blobs import Blobs, NoSuchBlob
from holdfast.store.protocol import Query, Store
from holdfast.transfer import markdown, page
from holdfast.transfer.document import write_document
from holdfast.transfer.transcript import read_turns

Format = Literal["md", "json", "html"]
MEDIA_TYPES: dict[Format, str] = {
    "md": "text/markdown",
    "json": "application/json",
    "html": "text/html",
}
_PLAIN = re.compile(r"[^A-Za-z0-9]+")
LISTED = 100


async def begun(store: Store, session: SessionId) -> State:
    """What the session is now. Raise `NoSuchSession` if there is none, or it was deleted."""
    state = (await store.open(session)).session
    if state.deleted:
        raise NoSuchSession(session)
    return state


def file_name(session: SessionId, title: str, kind: Format, turn: TurnId | None = None) -> str:
    """A name that every file system takes. It is seen by whoever sees the file, so what looks secret is hidden."""
    words = _PLAIN.sub("-", masked(title)).strip("-")[:60].lower()
    return f"{'-'.join(part for part in (words, session, turn) if part)}.{kind}"


async def export(
    store: Store, blobs: Blobs, session: SessionId, kind: Format, turn: TurnId | None = None
) -> AsyncIterator[bytes]:
    """The session as a file, in pieces; with a turn, no more than that. JSON is always the whole session."""
    if kind == "json":
        async for piece in write_document(store, session, blobs):
            yield piece
        return
    state = await begun(store, session)
    sheet = page.Page(lambda blob: _read(blobs, blob), whole=turn is None)
    # In a thread: to look for what is secret in megabytes of output takes seconds, in which everybody would wait.
    heading, written = (sheet.heading, sheet.turn) if kind == "html" else (markdown.heading, markdown.turn)
    yield (await asyncio.to_thread(heading, state)).encode()
    async for items in read_turns(store, session):
        if turn is None or items[0].turn == turn:
            yield (await asyncio.to_thread(written, items)).encode()
    if kind == "html":
        yield (await asyncio.to_thread(sheet.ending)).encode()


def _read(blobs: Blobs, blob: str) -> bytes | None:
    try:
        return blobs.path(blob).read_bytes()
    except (OSError, NoSuchBlob):
        return None


class _Passage:
    """A file that is only written to, and whose bytes are taken out as they come."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, body: bytes) -> int:
        self._pieces.append(bytes(body))
        return len(body)

    def flush(self) -> None:
        pass

    def taken(self) -> bytes:
        body = b"".join(self._pieces)
        self._pieces.clear()
        return body


async def export_all(
    store: Store, blobs: Blobs, kind: Format, sessions: Sequence[tuple[SessionId, str]] = ()
) -> AsyncIterator[bytes]:
    """These sessions, each with its title, or every one that is not deleted, as a zip archive, in pieces."""
    passage = _Passage()
    # A passage can't be sought in, which zipfile knows how to live with; it asks for no more than write and flush.
    with zipfile.ZipFile(cast("IO[bytes]", passage), "w", zipfile.ZIP_DEFLATED) as archive:
        async for session, title in _those(sessions) if sessions else _sessions(store):
            with archive.open(file_name(session, title, kind), "w", force_zip64=True) as entry:
                async for piece in export(store, blobs, session, kind):
                    entry.write(piece)
                    if body := passage.taken():
                        yield body
    yield passage.taken()


async def _those(sessions: Sequence[tuple[SessionId, str]]) -> AsyncIterator[tuple[SessionId, str]]:
    for each in sessions:
        yield each


async def _sessions(store: Store) -> AsyncIterator[tuple[SessionId, str]]:
    for query in (Query(limit=LISTED), Query(limit=LISTED, archived=True)):
        cursor: str | None = None
        while True:
            found = await store.sessions(msgspec.structs.replace(query, cursor=cursor))
            for row in found.rows:
                yield row.id, row.overview.title
            cursor = found.cursor
            if cursor is None:
                break
