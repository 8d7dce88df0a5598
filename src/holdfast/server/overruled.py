"""What a person is told whose command came second: a sentence, and the record that came first."""

from collections.abc import Sequence

from holdfast.core import events as e
from holdfast.core.errors import Refused
from holdfast.core.records import Record
from holdfast.core.session import Session

_ENDINGS = (e.TurnEnded, e.RunnerLost, e.RunnerStopped, e.RunnerStarted)


class Overruled(Refused):
    """{0}"""

    def __init__(self, sentence: str, record: Record | None, code: str = "Overruled") -> None:
        super().__init__(sentence)
        self.record = record
        self.code = code


def answered_before(record: Record) -> Overruled:
    """Name the answer that counts."""
    match record.event:
        case e.ApprovalAnswered() as event:
            return Overruled(f"This was answered before: {event.choice}.", record)
        case e.QuestionAnswered() as event:
            words = "with a secret" if event.secret else event.text
            return Overruled(f"This was answered before: {words}", record)
        case _:
            return Overruled("This was decided before.", record)


def overruled(state: Session, own: Record, before: Sequence[Record]) -> Overruled:
    """Why `own` has no effect, given the session after it and the records that lie between it and the look before."""
    winner = next((record for record in reversed(before) if _decides(record, own)), None)
    match own.event:
        case e.ApprovalAnswered() | e.QuestionAnswered():
            if winner is not None and isinstance(winner.event, e.ApprovalAnswered | e.QuestionAnswered):
                return answered_before(winner)
            return Overruled("The run ended first, so this answer counts for nothing.", winner)
        case e.TurnCancelRequested():
            return Overruled("This turn was over before it could be stopped.", winner)
        case e.TurnWithdrawn():
            return Overruled("This turn had begun before it could be taken back.", winner)
        case e.HistoryTruncated():
            words = "A turn is running. Stop it first, then remove messages." if state.running else "Nothing to remove."
            return Overruled(words, winner)
        case e.TurnSubmitted(replaces=str()):
            return Overruled(
                "Another turn began first, so nothing was replaced. Stop it, then send this again.", winner
            )
        case _:
            return Overruled("Something else came first, so this has no effect.", winner)


def _decides(record: Record, own: Record) -> bool:
    """Whether the record is what settled the matter of `own`."""
    match own.event, record.event:
        case (
            e.ApprovalAnswered() | e.QuestionAnswered() as mine,
            e.ApprovalAnswered() | e.QuestionAnswered() | e.ApprovalExpired() | e.QuestionExpired() as theirs,
        ):
            return mine.ask == theirs.ask
        case e.TurnCancelRequested() | e.TurnWithdrawn() as mine, e.TurnEnded() | e.TurnStarted() as theirs:
            return mine.turn == theirs.turn
        case e.HistoryTruncated() | e.TurnSubmitted(), e.TurnStarted():
            return True
        case _:
            return isinstance(record.event, _ENDINGS)
