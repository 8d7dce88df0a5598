"""How a long session stays cheap: what can't change any more leaves the state.

Law: the settled items, with those that are still in the session, are exactly the items of a session that was never
settled, whenever and however often it was settled. So a session of any length is opened from its last settled
items and a small state, and no word that streams costs more because of the words before it.

Three things reach back to what has left, and each says so beforehand: `needs` names the turn that must be brought
back (`restore`) before a record is folded, `Session.misses` says that a settled tool call must take a change.
"""

from collections.abc import Iterable

import msgspec

from holdfast.core.events import HistoryTruncated, RecoveryFinished, RecoveryPending, SessionForked
from holdfast.core.ids import TurnId
from holdfast.core.items import (
    END,
    Approval,
    End,
    Item,
    Notice,
    Plan,
    Question,
    Steer,
    Text,
    Thought,
    ToolCall,
    UserMessage,
)
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.core.turns import Turn

PART = 8_192
"""Characters after which the settled part of a growing text leaves the state."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Session).decode
_decode_item = msgspec.json.Decoder(Item).decode


class Settled(msgspec.Struct, frozen=True):
    """An item that has left its session, with the number of its turn."""

    number: int
    item: Item

    @property
    def part(self) -> int:
        return self.item.part if isinstance(self.item, Text | Thought) else 0


def settle(session: Session) -> list[Settled]:
    """Take out of the session, and return, what can't change by its own run any more."""
    settled: list[Settled] = []
    for turn in [turn for turn in session.turns.values() if turn.number]:
        growable = session.growable(turn)
        for k in sorted(turn.items):
            settled += _settle_item(turn, turn.items[k], growable=growable)
        if turn.outcome is not None and not growable and not turn.items:
            del session.turns[turn.id]
    return settled


def _settle_item(turn: Turn, item: Item, *, growable: bool) -> list[Settled]:
    if _may_change(turn, item, growable=growable):
        return _cut(turn, item) if isinstance(item, Text | Thought) else []
    del turn.items[item.k]
    if isinstance(item, ToolCall):
        turn.calls.pop(item.call, None)
    _flush(item)
    return [Settled(turn.number, item)]


def _may_change(turn: Turn, item: Item, *, growable: bool) -> bool:
    match item:
        case Text() | Thought():
            return growable and turn.tails.get(item.parent or "") == item.k
        case ToolCall():
            return not item.finished
        case Approval() | Question():
            return not item.settled
        case Plan() | End():
            return growable
        case UserMessage() | Notice() | Steer():
            return False


def _cut(turn: Turn, item: Text | Thought) -> list[Settled]:
    """Settle the front of a long text; the item goes on with what is left."""
    text = item.flush()
    parts: list[Settled] = []
    while len(text) > PART:
        piece = msgspec.structs.replace(item, text=text[:PART], pieces=[])
        parts.append(Settled(turn.number, piece))
        text = text[PART:]
        item.part += 1
    item.text = text
    return parts


def needs(session: Session, record: Record) -> TurnId | None:
    """The turn that must be in the session before this record is folded, if it has left or is no longer whole."""
    match record:
        case Record(late=late) if late is not None:
            turn_id = late.turn
        case Record(event=RecoveryPending() | RecoveryFinished() | HistoryTruncated() | SessionForked() as event):
            turn_id = event.turn
        case _:
            return None
    turn = None if turn_id is None else session.turns.get(turn_id)
    whole = turn is not None and (turn.outcome is None or 0 in turn.items)
    return None if whole else turn_id


def restore(session: Session, number: int, items: Iterable[Item]) -> None:
    """Bring an ended turn back from its settled items (of a long text: its last part)."""
    by_k = {item.k: item for item in items}
    message = by_k.get(0)
    if not isinstance(message, UserMessage):
        return
    left = session.turns.get(message.turn)
    by_k |= {} if left is None else left.items
    end = by_k.get(END)
    if not isinstance(end, End):
        return
    turn = Turn(
        id=message.turn,
        seq=0,
        message=message,
        number=number,
        state="ended",
        outcome=end.outcome,
        epoch=end.epoch,
        started=end.started,
    )
    turn.items = {k: by_k[k] for k in sorted(by_k)}
    for item in turn.items.values():
        _index(turn, item)
    session.turns[turn.id] = turn


def _index(turn: Turn, item: Item) -> None:
    if item.k in (0, END):
        return
    turn.count = item.k
    if isinstance(item, Plan):
        turn.plan = item.k
        return
    turn.tails[item.parent or ""] = item.k
    if isinstance(item, ToolCall):
        turn.calls[item.call] = item.k


def transcript(session: Session) -> list[Settled]:
    """The items that are still in the session, in the order in which they are read."""
    turns = sorted(
        (turn for turn in session.turns.values() if turn.number),
        key=lambda turn: turn.number,
    )
    shown = [Settled(turn.number, item) for turn in turns for item in turn.shown()]
    for entry in shown:
        _flush(entry.item)
    return shown


def _flush(item: Item) -> None:
    if isinstance(item, Text | Thought | ToolCall):
        item.flush()


def dump(session: Session) -> bytes:
    """The session as JSON: what a checkpoint stores and a snapshot sends."""
    for turn in session.turns.values():
        for item in turn.items.values():
            _flush(item)
    return _encode(session)


def load(body: bytes) -> Session:
    return _decode(body)


def dump_item(item: Item) -> bytes:
    return _encode(item)


def load_item(body: bytes) -> Item:
    return _decode_item(body)
