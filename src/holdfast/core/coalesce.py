"""Fewer records for the same story.

Law: folding `coalesce(records)` gives the same session as folding `records`. Only text or thought of one
speaker in an unbroken row is joined; the joined record keeps the first time (when the item began) and the last
seq and position (where a reader goes on). Nothing is joined to an empty text, with which no item begins.
"""

from collections.abc import Iterable, Sequence

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


def coalesce_events(events: Iterable[Event]) -> list[Event]:
    """For the outbox, before positions are given: what arrived together is stored together."""
    groups: list[list[Event]] = []
    for event in events:
        if groups and _joins(groups[-1][-1], event):
            groups[-1].append(event)
        else:
            groups.append([event])
    return [_join(group) for group in groups]


def coalesce(records: Iterable[Record]) -> list[Record]:
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
