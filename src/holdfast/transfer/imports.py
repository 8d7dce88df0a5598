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
        before = await _brought(store, incoming.session)
        if before is not None and before.digest == incoming.digest:
            report.known += 1
        elif before is not None and not before.untouched:
            _leave_used(incoming, report)
        else:
            await _bring(store, incoming, before, report)
        report.done += 1
        progress(report)


def _leave_used(incoming: Incoming, report: Report) -> None:
    report.known += 1
    why = "it has been used here since it was imported, so what came after that there was left."
    report.leave(incoming.name, "what has changed since the last import", why)


async def _bring(store: Store, incoming: Incoming, before: "_Brought | None", report: Report) -> None:
    """Bring it in the place of what was looked at `before`. To build it takes time: who uses it meanwhile keeps it."""
    mentioned = len(report.left)
    try:
        built = incoming.build()
    except HoldfastError:
        raise
    except Exception as exc:
        log.exception("import.failed", extra={"name_there": incoming.name})
        del report.left[mentioned:]  # of what is left whole no part is left
        report.leave(incoming.name, "the whole session", f"it made us fail ({type(exc).__name__}: {exc}).")
        return
    if built is None:
        return
    marked = [_marked(record, incoming.digest) for record in built.records]
    head = 0 if before is None else before.head
    if (await store.admit(incoming.session, marked, lambda there: there.seq == head)).written:
        report.taken.append(_taken(incoming, built))
    else:
        del report.left[mentioned:]
        _leave_used(incoming, report)


def _taken(incoming: Incoming, built: Built) -> Taken:
    return Taken(name=incoming.name, session=incoming.session, title=built.title, messages=built.messages)


def _marked(record: Record, digest: str) -> Record:
    if not isinstance(record.event, SessionImported):
        return record
    return msgspec.structs.replace(record, event=msgspec.structs.replace(record.event, digest=digest))


class _Brought(msgspec.Struct, frozen=True, kw_only=True):
    """What an earlier import has left here: which version, how far the log reaches, whether it was written to since."""

    digest: str
    head: int
    untouched: bool


async def _brought(store: Store, session: SessionId) -> _Brought | None:
    """What lies here under that id; None if nothing does."""
    try:
        head = await store.wait(session, -1, 0)
        second = [record.event for record in await store.read(session, 1, 1)]
        last = [record.event for record in await store.read(session, head - 1, 1)]
    except NoSuchSession:
        return None
    digest = next((event.digest for event in second if isinstance(event, SessionImported)), "")
    untouched = any(isinstance(event, SessionChanged) and event.client == CLIENT for event in last)
    return _Brought(digest=digest, head=head, untouched=untouched)
