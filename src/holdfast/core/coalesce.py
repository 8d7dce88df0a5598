"""Fewer records for the same story.

Law: folding `coalesce(records)` gives the same session as folding `records`. Only text or thought of one
speaker in an unbroken row is joined; the joined record keeps the first time (when the item began) and the last
seq and position (where a reader goes on). Nothing is joined to an empty text, with which no item begins.
"""

from collections.abc import Iterator, Sequence

import msgspec

from holdfast.core.events import Event, TextAppended, ThoughtAppended
from holdfast.core.records import Record

_PROSE = (TextAppended, ThoughtAppended)


def _joins(first: Event, second: Event) -> bool:
    return (
        type(first) is type(second)
        and isinstance(first, _PROSE)
        and isinstance(second, _PROSE)
        and first.turn == second.turn
        and first.parent == second.parent
        and first.message == second.message
        and first.text != ""
        and first.extra is None
        and second.extra is None
    )


def _join(events: Sequence[Event]) -> Event:
    if len(events) == 1:
        return events[0]
    text = "".join([event.text for event in events if isinstance(event, _PROSE)])
    return msgspec.structs.replace(events[0], text=text)


def stretches(events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """Where the events part into rows that can be joined: the first of each, and the one after its last."""
    first, count = 0, len(events)
    while first < count:
        after = _after(events, first, count)
        yield first, after
        first = after


def _after(events: Sequence[Event], first: int, count: int) -> int:
    """As `_joins`, for a whole row at once: the store asks this of every word that streams."""
    head, after = events[first], first + 1
    if not isinstance(head, _PROSE) or not head.text or head.extra is not None:
        return after
    kind, turn, parent, message = type(head), head.turn, head.parent, head.message
    while after < count:
        event = events[after]
        if (
            not isinstance(event, kind)
            or event.turn != turn
            or event.parent != parent
            or event.message != message
            or event.extra is not None
        ):
            break
        after += 1
    return after


def coalesce_events(events: Sequence[Event]) -> list[Event]:
    """For the outbox, before positions are given: what arrived together is stored together."""
    return [_join(events[first:after]) for first, after in stretches(events)]


def place(events: Sequence[Event], *, after: int, time: int, epoch: int = 0, n: int = 0) -> list[Record]:
    """The records of new events that follow seq `after` and fact `n`, as few as tell the same story."""
    return [
        Record(
            seq=after + end,
            time=time,
            event=_join(events[start:end]),
            epoch=epoch,
            n=n + end if epoch else 0,
        )
        for start, end in stretches(events)
    ]


def coalesce(records: Sequence[Record]) -> list[Record]:
    """For the stream, where records have their places already."""
    groups: list[list[Record]] = []
    for record in records:
        if groups and _follows(groups[-1][-1], record):
            groups[-1].append(record)
        else:
            groups.append([record])
    return [_merge(group) for group in groups]


def _follows(first: Record, second: Record) -> bool:
    return (
        _joins(first.event, second.event)
        and second.seq == first.seq + 1
        and first.epoch == second.epoch
        and first.late == second.late
    )


def _merge(group: Sequence[Record]) -> Record:
    first, last = group[0], group[-1]
    event = _join([record.event for record in group])
    return msgspec.structs.replace(first, seq=last.seq, n=last.n, event=event)
