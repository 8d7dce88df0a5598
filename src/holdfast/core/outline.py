"""A turn in outline, for its time line: when each of its records was written, which of them decided something, where it
failed.

Law: a reducer that begins as `began` does, folds `said` and then the records from `first` on comes to the items that
the whole log comes to, for as long as the turn can still change. Folding only what decides comes to the same asks.
"""

from holdfast.core.events import (
    AgentFailed,
    HistoryTruncated,
    NoticeRaised,
    PlanReplaced,
    TextAppended,
    ThoughtAppended,
    ToolChanged,
    TurnCancelRequested,
    TurnEnded,
    TurnStarted,
    TurnSteered,
    TurnSubmitted,
    TurnWithdrawn,
    UsageReported,
)
from holdfast.core.ids import TurnId
from holdfast.core.records import Record
from holdfast.core.session import Session

_SHOWS = TextAppended | ThoughtAppended | ToolChanged | PlanReplaced | UsageReported | NoticeRaised
_BEGINS = TurnStarted | TurnCancelRequested | TurnEnded
"""A turn that waits may end without a start."""
MOST = 200_000
"""Records of one turn that are told of."""


def began(epoch: int) -> Session:
    """A session in which nothing is known but who runs it."""
    return Session(alive=epoch > 0, epoch=epoch)


class Outline:
    """Takes the records of a log in their order, from that of the turn's message at the latest, until it is `over`."""

    def __init__(self, turn: TurnId) -> None:
        self.turn = turn
        self.said: Record | None = None
        self.first = 0
        self.epoch = 0
        self.times: list[int] = []
        self.decisive: list[Record] = []
        self.failures: list[int] = []
        self.whole = True
        self.over = False
        self._session = Session()
        self._last = 0

    def take(self, record: Record) -> None:
        if self.over:
            return
        if not self.first and not self._begin(record):
            return
        event, ended = record.event, self._ended
        if ended and isinstance(event, TurnStarted | HistoryTruncated):
            self._close()  # from here on it changes no more, or is gone
        elif len(self.times) == MOST:
            self.whole = False
            self._close()
        else:
            self.times.append(record.time)
            if self._fails(record):
                self.failures.append(record.seq)
            if not ended or self._names(record):
                self._last = len(self.times)

    def finish(self) -> bool:
        """The log has no more. Return whether there is such a turn and it has begun."""
        self._close()
        return self.first > 0

    def _begin(self, record: Record) -> bool:
        event = record.event
        named = event.steer if isinstance(event, TurnSteered) else getattr(event, "turn", None)
        if named != self.turn:
            return False
        if isinstance(event, TurnSubmitted | TurnSteered):
            self.said = self.said or record
        elif isinstance(event, TurnWithdrawn):
            self.said = None
        elif isinstance(event, _BEGINS) and self.said is not None:
            self.first, self.epoch = record.seq, record.epoch
            self._session = began(record.epoch)
            self._session.apply(self.said)
            return True
        return False

    @property
    def _ended(self) -> bool:
        turn = self._session.turns.get(self.turn)
        return turn is None or turn.outcome is not None

    def _fails(self, record: Record) -> bool:
        """Fold what decides; return whether something failed here."""
        event = record.event
        if isinstance(event, _SHOWS):
            if isinstance(event, NoticeRaised):
                return event.level == "error"
            return isinstance(event, ToolChanged) and event.status == "failed"
        before = self._ended
        self._session.apply(record)
        self.decisive.append(record)
        turn = self._session.turns.get(self.turn)
        unwell = turn is not None and turn.outcome in ("failed", "interrupted")
        return isinstance(event, AgentFailed) or (unwell and not before)

    def _names(self, record: Record) -> bool:
        named = record.late.turn if record.late is not None else getattr(record.event, "turn", None)
        return named == self.turn

    def _close(self) -> None:
        self.over = True
        del self.times[self._last :]
        last = self.first + self._last
        self.decisive = [record for record in self.decisive if record.seq < last]
        self.failures = [seq for seq in self.failures if seq < last]
