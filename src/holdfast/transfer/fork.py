"""A session that goes another way after one of its turns: a log of its own, with everything up to and including it.

Law: its transcript is that of the first session up to the turn, whatever happened afterwards; it is at rest, nothing in
it waits or is allowed, and its agent is told the transcript, because the conversation that it had is the other one's.
"""

import json
from collections.abc import Sequence

import msgspec

from holdfast.core import events as e
from holdfast.core.coalesce import coalesce
from holdfast.core.errors import NoSuchTurn
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from holdfast.store.protocol import Store
from holdfast.transfer.admission import Admission

READ_AT_ONCE = 5_000
FORK = "fork"
"""What a fork's log says that it comes from, beside the session and the turn."""


async def read_log(store: Store, session: SessionId) -> list[Record]:
    """The whole log."""
    records: list[Record] = []
    while found := await store.read(session, len(records), READ_AT_ONCE):
        records += found
    return records


def forked(records: Sequence[Record], source: SessionId, turn: TurnId, changes: Sequence[e.AnyIntent]) -> list[Record]:
    """The log of the fork, ended by `changes`. The turn has ended and is in the transcript."""
    whole = list(coalesce(records))
    imported = e.SessionImported(source=FORK, name=source, details=json.dumps({"turn": turn}))
    admission = Admission(imported, _blobs(whole))
    for record in _up_to(whole, turn):
        admission.take(record)
    told = admission.finish()
    beyond = _beyond(replay(told), turn)
    last = [] if beyond is None else [e.HistoryTruncated(turn=beyond)]
    seen = e.SessionChanged(seen=len(told) + len(last) + len(changes) + 1)
    return told + [Record(seq=0, time=told[-1].time, event=event) for event in (*last, *changes, seen)]


def rests(session: Session, turn: TurnId) -> bool:
    """Whether the turn, if it is in the state, and all before it are over: one that waited may be stopped while one
    before it runs."""
    found = session.turns.get(turn)
    running = None if session.running is None else session.turns.get(session.running)
    if found is None:
        return True
    return found.outcome is not None and (running is None or running.number > found.number)


def _up_to(records: list[Record], turn: TurnId) -> list[Record]:
    """What was written until the turn was over and another had come after it, and what was found out later."""
    session, first, rest = Session(), records, list[Record]()
    for place, record in enumerate(records):
        rested = turn in session.turns and rests(session, turn)
        session.apply(record)
        found = session.turns.get(turn)
        if found is not None and rests(session, turn) and 0 < found.number < session.numbered:
            first, rest = records[: place + (not rested)], records[place + 1 :]
            break
    if turn not in session.turns:  # it was removed while its log was read
        raise NoSuchTurn(turn)
    number = session.turns[turn].number
    kept = {each.id for each in session.turns.values() if 0 < each.number <= number}
    others = session.turns.keys() - kept
    said = [record for record in first if getattr(record.event, "turn", None) not in others]
    return said + _found_out(session, rest, kept)


def _found_out(session: Session, records: list[Record], turns: set[TurnId]) -> list[Record]:
    """The records that still changed one of the turns."""
    found: list[Record] = []
    for record in records:
        named: TurnId | None = record.late.turn if record.late is not None else getattr(record.event, "turn", None)
        watched = session.turns.get(named) if named in turns and named is not None else None
        before = None if watched is None else msgspec.json.encode(watched)
        session.apply(record)
        if watched is not None and isinstance(record.event, e.Fact) and msgspec.json.encode(watched) != before:
            found.append(record)
    return found


def _beyond(session: Session, turn: TurnId) -> TurnId | None:
    """The first turn after it: what waited then, and came to nothing here."""
    number = session.turns[turn].number
    after = [each for each in session.turns.values() if each.number > number]
    return min(after, key=lambda each: each.number).id if after else None


def _blobs(records: Sequence[Record]) -> frozenset[str]:
    submitted = [record.event for record in records if isinstance(record.event, e.TurnSubmitted)]
    return frozenset(file.blob for event in submitted for file in event.attachments)
