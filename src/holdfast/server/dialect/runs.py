"""What the dialect calls a stream: one turn of one session, by a name that says both.

Law: a name is made from the log alone and is looked up in it, so a stream of yesterday, or of the server before this
one, is found like any other.
"""

from typing import NamedTuple

from holdfast.core import ids
from holdfast.core.decide import turn_key
from holdfast.core.errors import BadId, NoSuchSession, Refused
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.session import Session
from holdfast.core.turns import Turn
from holdfast.store.protocol import Store


class NoSuchStream(Refused):
    """stream not found"""

    status = 404


class ActiveStream(Refused):
    """session already has an active stream"""


class RunName(NamedTuple):
    """Ids hold no dot, so the one between them parts them."""

    session: SessionId
    turn: TurnId

    def __str__(self) -> str:
        return f"{self.session}.{self.turn}"


def named_run(text: str) -> RunName:
    """Raise `NoSuchStream` for what names none."""
    session, _, turn = text.partition(".")
    try:
        return RunName(ids.session_id(session), ids.turn_id(turn))
    except BadId as exc:
        raise NoSuchStream from exc


async def beginning(store: Store, run: RunName) -> int:
    """The seq of the record that sent the run's message. Raise `NoSuchStream` if there is none."""
    try:
        seq = await store.keyed(run.session, turn_key(run.turn))
    except NoSuchSession as exc:
        raise NoSuchStream from exc
    if not seq:
        raise NoSuchStream
    return seq


def active_turn(state: Session) -> Turn | None:
    """The turn that runs, or else the one that will next; a turn that is held waits for a person and is neither."""
    if state.running is not None:
        return state.turns.get(state.running)
    waiting = (state.turns[turn] for turn in state.queue)
    return next((turn for turn in waiting if not turn.held), None)
