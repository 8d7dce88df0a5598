"""A truncation takes what it names and what follows, and leaves the rest as it was."""

import pytest

from holdfast.core import events as e
from holdfast.core import window
from holdfast.core.ids import TurnId
from holdfast.core.records import Record
from holdfast.core.session import replay

T1, T2 = TurnId("t1"), TurnId("t2")
BEFORE: list[tuple[int, e.Event]] = [
    (0, e.SessionCreated()),
    (1, e.RunnerStarted(pid=1)),
    (0, e.TurnSubmitted(turn=T1, text="One.")),
    (1, e.TurnStarted(turn=T1)),
    (2, e.TurnEnded(turn=T1, outcome="interrupted")),
    (2, e.RunnerLost()),
    (2, e.RecoveryPending(turn=T1)),
    (2, e.RunnerStarted(pid=2)),
    (0, e.TurnSubmitted(turn=T2, text="Two.")),
    (2, e.TurnStarted(turn=T2)),
    (2, e.TurnEnded(turn=T2, outcome="completed")),
]


@pytest.mark.contract("R2")
def test_the_recovery_of_an_earlier_turn_goes_on_though_that_is_settled() -> None:
    session = replay([Record(seq=i, time=i, event=event, epoch=epoch) for i, (epoch, event) in enumerate(BEFORE, 1)])
    window.settle(session)
    assert T1 not in session.turns
    session.apply(Record(seq=len(BEFORE) + 1, time=99, event=e.HistoryTruncated(turn=T2)))
    assert T2 not in session.turns
    assert list(session.recovering) == [T1]
