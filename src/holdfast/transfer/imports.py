"""An import from its first session to its report.

Law: each session comes whole, in one transaction, or not at all, and what it is called here follows from what it was
called there. So an import that was killed half way is finished by the next, and one that is repeated changes nothing.
A session that went on in the other program is brought again, unless somebody has used it here meanwhile.
"""

import logging
from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec

from holdfast.core.errors import HoldfastError, NoSuchSession
from holdfast.core.events import SessionChanged, SessionImported
from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.store.protocol import Store
from holdfast.transfer.incoming import Built, Incoming
from holdfast.transfer.report import Report, Taken
from holdfast.transfer.scribe import CLIENT

log = logging.getLogger(__name__)

Progress = Callable[[Report], None]


class Sessions(Protocol):
    """Where sessions come from."""

    def __iter__(self) -> Iterator[Incoming]: ...
    def __len__(self) -> int: ...


async def take_in(store: Store, sessions: Sessions, report: Report, progress: Progress) -> None:
    """Bring all of them. What can't be brought is in the report; only a store that can't be used raises."""
    report.found = len(sessions)
    progress(report)
    for incoming in sessions:
        if await _is_new(store, incoming, report):
            await _bring(store, incoming, report)
        report.done += 1
        progress(report)


async def _is_new(store: Store, incoming: Incoming, report: Report) -> bool:
    """Whether the session is to be brought now."""
    before = await _brought(store, incoming.session)
    if before is None:
        return True
    if before.digest == incoming.digest:
        report.known += 1
        return False
    if await _touched(store, incoming.session):
        report.known += 1
        why = "it has been used here since it was imported, so what came after that there was left."
        report.leave(incoming.name, "what has changed since the last import", why)
        return False
    return True


async def _bring(store: Store, incoming: Incoming, report: Report) -> None:
    try:
        built = incoming.build()
    except HoldfastError:
        raise
    except Exception as exc:
        log.exception("import.failed", extra={"name_there": incoming.name})
        report.leave(incoming.name, "the whole session", f"it made us fail ({type(exc).__name__}: {exc}).")
        return
    if built is None:
        return
    marked = [_marked(record, incoming.digest) for record in built.records]
    if await _brought(store, incoming.session) is not None:
        await store.purge(incoming.session)
    await store.admit(incoming.session, marked)
    report.taken.append(_taken(incoming, built))


def _taken(incoming: Incoming, built: Built) -> Taken:
    return Taken(name=incoming.name, session=incoming.session, title=built.title, messages=built.messages)


def _marked(record: Record, digest: str) -> Record:
    if not isinstance(record.event, SessionImported):
        return record
    return msgspec.structs.replace(record, event=msgspec.structs.replace(record.event, digest=digest))


async def _brought(store: Store, session: SessionId) -> SessionImported | None:
    """What an earlier import wrote down of itself; None if there is no such session."""
    try:
        second = await store.read(session, 1, 1)
    except NoSuchSession:
        return None
    event = second[0].event if second else None
    return event if isinstance(event, SessionImported) else SessionImported(source="", name="")


async def _touched(store: Store, session: SessionId) -> bool:
    """Whether anything was written to it after it was imported."""
    head = await store.wait(session, -1, 0)
    last = await store.read(session, head - 1, 1)
    event = last[0].event if last else None
    return not (isinstance(event, SessionChanged) and event.client == CLIENT)
