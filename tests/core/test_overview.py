"""A row of the list, from what is known of its session."""

from holdfast.core import events as e
from holdfast.core.ids import AskId, TurnId
from holdfast.core.overview import overview
from holdfast.core.records import Record
from holdfast.core.session import replay

T1 = TurnId("t1")
BEGUN = (e.SessionCreated(), e.RunnerStarted(), e.TurnSubmitted(turn=T1, text="go"), e.TurnStarted(turn=T1))


def log(*events: e.Event) -> list[Record]:
    """Records of a runner's first epoch, one a second."""
    return [
        Record(seq=seq, time=seq * 1000, epoch=1 if isinstance(event, e.Fact) else 0, n=seq, event=event)
        for seq, event in enumerate(events, 1)
    ]


def test_a_row_tells_since_when_its_oldest_ask_waits() -> None:
    """The time of the ask, not of its turn; the next one's once it is answered, and none when nothing waits."""
    asked = (
        *BEGUN,
        e.ApprovalRequested(ask=AskId("a1"), turn=T1, command="rm -r build"),
        e.QuestionAsked(ask=AskId("q1"), turn=T1, text="Which one?"),
    )
    row = overview(replay(log(*asked)))
    assert (row.turn_started, row.asked_at, row.ask_id) == (4000, 5000, "a1")
    answered = (*asked, e.ApprovalAnswered(ask=AskId("a1"), choice="deny"))
    assert overview(replay(log(*answered))).asked_at == 6000
    assert overview(replay(log(*answered, e.QuestionAnswered(ask=AskId("q1"), text="this")))).asked_at == 0
