"""A fork has what was said up to its turn, and nothing else of the session that it comes from."""

from typing import Any

import msgspec
from hypothesis import assume, given

from holdfast.core import course, window
from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from tests.core.dice import Dice
from tests.core.histories import law, plausible, throws


@law
@given(plausible(), throws())
def test_a_fork_is_the_transcript_up_to_its_turn_and_permits_nothing(records: list[Record], dice: Dice) -> None:
    """Whatever ran, waited, was allowed or removed before."""
    before, fork = replay(records), replay(records)
    ended = [turn for turn in before.turns.values() if course.parting(before, turn.id) is not None]
    assume(ended)
    dice.shake()
    turn = dice.pick(ended)
    event = e.SessionForked(source=SessionId("source"), turn=turn.id)
    fork.apply(Record(seq=len(records) + 1, time=99, event=event))
    assert (fork.alive, fork.queue, fork.asks, fork.running, fork.latest) == (False, [], {}, None, None)
    assert (fork.rules, fork.conversation, fork.process, fork.ledger) == ((), None, None, None)
    assert _up_to(fork, turn.number) == _up_to(before, turn.number)
    assert max(each.number for each in fork.turns.values()) == turn.number == fork.numbered
    assert fork.recovering.keys() <= before.recovering.keys() & fork.turns.keys()
    rest = Record(seq=len(records) + 2, time=100, event=e.TextAppended(turn=turn.id, text="late"), epoch=before.epoch)
    shown = _up_to(fork, turn.number)
    fork.apply(rest)
    assert _up_to(fork, turn.number) == shown, "the run of the other session adds nothing here"


def _up_to(session: Session, number: int) -> list[Any]:
    found = window.transcript(session)
    return [msgspec.to_builtins(entry.item) for entry in found if entry.number <= number]
