"""A turn in outline, for its time line: where it lies in the log, what decided something in it, where it failed.

Law: a reducer that begins as `began` does, folds `said` and then the records from `first` on comes to the items that
the whole log comes to, for as long as the turn can still change. Folding only what decides comes to the same asks.
"""

from collections.abc import Iterable

from holdfast.core.events import (
    AgentFailed,
    Event,
    HistoryTruncated,
    NoticeRaised,
    PlanReplaced,
    SessionForked,
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

SHOWS = TextAppended | ThoughtAppended | PlanReplaced | UsageReported
_BEGINS = TurnStarted | TurnCancelRequested | TurnEnded
"""A turn that waits may end without a start."""
MOST = 200_000
"""Records of one turn that are told of."""


def began(epoch: int) -> Session:
    """A session in which nothing is known but who runs it."""
    return Session(alive=epoch > 0, epoch=epoch)


def tells(event: Event) -> bool:
    """Whether it decides something, or may tell of a failure: most records of a turn only show a few words more."""
    if isinstance(event, ToolChanged):
        return event.status == "failed"
    return event.level == "error" if isinstance(event, NoticeRaised) else not isinstance(event, SHOWS)


class Outline:
    """Takes the records that tell something in the order of their log, from that of the turn's message at the latest,
    until it is `over`, which is the seq of the first record that is not its own."""

    def __init__(self, turn: TurnId) -> None:
        self.turn = turn
        self.said: Record | None = None
        self.first = 0
        self.last = 0
        self.epoch = 0
        self.decisive: list[Record] = []
        self.failures: list[int] = []
        self.ended = 0
        """The seq of the record that ended it, 0 while it runs."""
        self.over = 0
        self.whole = True
        self._session = Session()

    def take(self, record: Record) -> None:
        if self.over or not tells(record.event) or (not self.first and not self._begin(record)):
            return
        if self.ended and isinstance(record.event, TurnStarted | HistoryTruncated | SessionForked):
            self.over = record.seq  # from here on it changes no more, or is gone
        elif isinstance(record.event, ToolChanged | NoticeRaised):
            if self._names(record):
                self.failures.append(record.seq)
        else:
            self._decide(record)

    def close(self, head: int, tail: Iterable[Record]) -> None:
        """`head` is the end of the log, `tail` what was written after the turn's end: all of it until it is `over`."""
        named = [record.seq for record in tail if self.ended < record.seq and self._names(record)]
        last = max([self.ended, *(seq for seq in named if not self.over or seq < self.over)]) if self.ended else head
        self.last = min(last, self.first + MOST - 1)
        self.whole = self.last == last
        self.decisive = [record for record in self.decisive if record.seq <= self.last]
        self.failures = [seq for seq in self.failures if seq <= self.last]

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

    def _decide(self, record: Record) -> None:
        self._session.apply(record)
        self.decisive.append(record)
        turn = self._session.turns.get(self.turn)
        outcome = None if turn is None else turn.outcome
        ends = not self.ended and (turn is None or outcome is not None)
        if ends:
            self.ended = record.seq
        if isinstance(record.event, AgentFailed) or (ends and outcome in ("failed", "interrupted")):
            self.failures.append(record.seq)

    def _names(self, record: Record) -> bool:
        named = record.late.turn if record.late is not None else getattr(record.event, "turn", None)
        return named == self.turn
