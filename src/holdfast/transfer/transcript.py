"""A session's transcript from its first turn to its last, a turn at a time: long sessions are never held whole."""

from collections.abc import AsyncIterator, Iterable

import msgspec

from holdfast.core import window
from holdfast.core.ids import SessionId
from holdfast.core.items import Item, Text, Thought
from holdfast.core.window import Settled
from holdfast.store.protocol import Store


async def read_turns(store: Store, session: SessionId) -> AsyncIterator[list[Item]]:
    """The items of each turn in the order in which they are read, long texts joined."""
    opened = await store.open(session)
    rest: dict[int, list[Settled]] = {}
    for number in range(1, opened.page.number + 1):
        page = await store.page(session, number)
        _gather(rest, page.items)
        newest = max(rest, default=0)
        for turn in sorted(turn for turn in rest if turn < newest and turn not in _open(opened.session)):
            yield _joined(rest.pop(turn))
    _gather(rest, window.transcript(opened.session))
    for turn in sorted(rest):
        yield _joined(rest.pop(turn))


def _open(session: window.Session) -> set[int]:
    """The turns that have items which are not settled."""
    return {turn.number for turn in session.turns.values() if turn.number}


def _gather(rest: dict[int, list[Settled]], entries: Iterable[Settled]) -> None:
    for entry in entries:
        rest.setdefault(entry.number, []).append(entry)


def _joined(entries: list[Settled]) -> list[Item]:
    items: list[Item] = []
    for entry in sorted(entries, key=lambda entry: (entry.item.k, entry.part)):
        item, last = entry.item, items[-1] if items else None
        if isinstance(item, Text | Thought) and isinstance(last, Text | Thought) and last.k == item.k:
            items[-1] = msgspec.structs.replace(item, text=last.flush() + item.flush(), part=0)
        else:
            items.append(item)
    return items
