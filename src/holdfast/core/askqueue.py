"""The asks of one kind that wait in a session, oldest first, followed record by record.

Law: after any record the queue is what a fold of the whole log up to it gives, and no record changes it twice. So
whoever follows a log says one thing for each change, in the order of the changes, however they were stored together.
"""

from typing import Generic, TypeVar

from holdfast.core import events as e
from holdfast.core.items import Approval, Question
from holdfast.core.overview import open_asks
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.core.window import settle

AskKind = TypeVar("AskKind", Approval, Question)

_OUTPUT = e.TextAppended | e.ThoughtAppended | e.ToolChanged | e.PlanReplaced | e.UsageReported | e.NoticeRaised
"""What only shows. Nobody waits for it, and a queue that skips it stays as small as what waits."""


class AskQueue(Generic[AskKind]):
    """Takes over `session`, which stands where the first record to apply follows."""

    def __init__(self, session: Session, kind: type[AskKind]) -> None:
        self._session = session
        self._kind = kind
        self.head: AskKind | None = None
        self.count = 0
        self._look()

    def apply(self, record: Record) -> bool:
        """Fold the next record; whether the queue is another one now."""
        if isinstance(record.event, _OUTPUT):
            return False
        before = self.count
        self._session.apply(record)
        settle(self._session)
        self._look()
        return self.count != before  # a record adds one, or takes some away: never both

    def _look(self) -> None:
        waiting = [ask for ask in open_asks(self._session) if isinstance(ask, self._kind)]
        self.head, self.count = waiting[0] if waiting else None, len(waiting)
