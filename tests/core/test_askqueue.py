"""Followed record by record, a queue is what the whole log gives, and it says so once for each change."""

from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import events as e
from holdfast.core import window
from holdfast.core.askqueue import AskQueue
from holdfast.core.ids import AskId, TurnId
from holdfast.core.items import Approval, Question
from holdfast.core.overview import open_asks
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from tests.core.histories import histories, law

Kind = TypeVar("Kind", Approval, Question)
T1 = TurnId("t1")


def waiting(session: Session, kind: type[Kind]) -> list[AskId]:
    return [ask.ask for ask in open_asks(session) if isinstance(ask, kind)]


@pytest.mark.parametrize("kind", [Approval, Question])
@law
@given(records=histories(), part=st.integers(0, 100))
def test_a_queue_followed_from_anywhere_is_what_the_whole_log_gives(
    kind: type[Kind], records: list[Record], part: int
) -> None:
    """And `apply` says so exactly when who waits is not who waited before. A fork is one before it can be followed."""
    records = [record for record in records if not isinstance(record.event, e.SessionForked)]
    cut = len(records) * part // 100
    whole = replay(records[:cut])
    snapshot = window.load(window.dump(whole))
    window.settle(snapshot)
    queue = AskQueue(snapshot, kind)
    for record in records[cut:]:
        before = waiting(whole, kind)
        whole.apply(record)
        after = waiting(whole, kind)
        assert queue.apply(record) == (before != after)
        assert (queue.head and queue.head.ask, queue.count) == (after[0] if after else None, len(after))


def log(*events: e.Event) -> list[Record]:
    """Records of a runner's first epoch."""
    return [
        Record(seq=seq, time=seq * 1000, epoch=1 if isinstance(event, e.Fact) else 0, n=seq, event=event)
        for seq, event in enumerate(events, 1)
    ]


def approval(name: str) -> e.ApprovalRequested:
    return e.ApprovalRequested(ask=AskId(name), turn=T1, command=name)


BEGUN = (e.SessionCreated(), e.RunnerStarted(), e.TurnSubmitted(turn=T1, text="go"), e.TurnStarted(turn=T1))


A, B = approval("a"), approval("b")


def answered(name: str) -> e.ApprovalAnswered:
    return e.ApprovalAnswered(ask=AskId(name), choice="once")


@pytest.mark.parametrize(
    ("then", "seen"),
    [
        ((A, B), [("a", 1), ("a", 2)]),
        ((A, B, answered("a")), [("a", 1), ("a", 2), ("b", 1)]),
        ((A, B, answered("b")), [("a", 1), ("a", 2), ("a", 1)]),
        ((A, answered("a"), e.ApprovalDelivered(ask=AskId("a"))), [("a", 1), (None, 0)]),
        ((A, B, e.TurnEnded(turn=T1, outcome="completed")), [("a", 1), ("a", 2), (None, 0)]),
        ((A, B, e.RunnerStopped()), [("a", 1), ("a", 2), (None, 0)]),
        ((A, e.ApprovalExpired(ask=AskId("a"))), [("a", 1), (None, 0)]),
        ((A, e.QuestionAsked(ask=AskId("q"), turn=T1, text="?")), [("a", 1)]),
        ((A, answered("x"), answered("a"), answered("a")), [("a", 1), (None, 0)]),
        ((A, e.TurnCancelRequested(turn=T1)), [("a", 1)]),
    ],
)
def test_one_update_for_each_change(then: tuple[e.Event, ...], seen: list[tuple[str | None, int]]) -> None:
    """An answer takes its ask out of the queue; its delivery changes nothing. The end of the run takes all at once."""
    queue = AskQueue(Session(), Approval)
    said = [(queue.head and queue.head.ask, queue.count) for record in log(*BEGUN, *then) if queue.apply(record)]
    assert said == seen


def test_a_queue_stays_small_however_much_was_asked_and_said() -> None:
    """What is settled leaves it."""
    session = Session()
    queue = AskQueue(session, Approval)
    asked = [approval(f"a{number}") for number in range(100)]
    told = [
        event
        for ask in asked
        for event in (ask, e.ApprovalAnswered(ask=ask.ask, choice="once"), e.ApprovalDelivered(ask=ask.ask))
    ]
    for record in log(*BEGUN, *told, e.TextAppended(turn=T1, text="x" * 100_000)):
        queue.apply(record)
    assert len(window.dump(session)) < 20_000
