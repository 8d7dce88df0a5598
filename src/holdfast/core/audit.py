"""Every ask of a session, from its log: what was asked, who answered what from where, and whether the agent was told.

The log is folded by the same reducer that everything else stands on, so the audit can't disagree with the transcript;
and because it is the log, what was removed from the transcript is still here.
"""

from typing import Literal

import msgspec

from holdfast.core import window
from holdfast.core.events import (
    AnsweredBy,
    ApprovalRequested,
    Choice,
    Diff,
    QuestionAsked,
    TextAppended,
    ThoughtAppended,
    ToolChanged,
)
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.core.items import Approval, AskState, Question
from holdfast.core.records import Record
from holdfast.core.session import Session

_SETTLE = 500
_NEVER_DECIDES = TextAppended | ThoughtAppended | ToolChanged


class Entry(msgspec.Struct, kw_only=True):
    """One ask, whole. Times are in milliseconds, 0 where it has not come to that. A secret's words are nowhere."""

    session: SessionId
    turn: TurnId
    ask: AskId
    kind: Literal["approval", "question"]
    seq: int
    asked_at: int
    state: AskState
    agent: str = ""
    workspace: str = ""
    tool: str = ""
    command: str = ""
    arguments: str = ""
    directory: str = ""
    description: str = ""
    pattern_keys: tuple[str, ...] = ()
    diffs: tuple[Diff, ...] = ()
    digest: str = ""
    question: str = ""
    choices: tuple[str, ...] = ()
    secret: bool = False
    choice: Choice | None = None
    answer: str | None = None
    by: AnsweredBy | None = None
    rule: str = ""
    reason: str = ""
    answered_at: int = 0
    answered_from: str = ""
    answer_seq: int = 0
    settled_at: int = 0
    expired_because: str = ""


class Audit:
    """Folds one session's log from its first record on. `settled` are asks that will not change any more."""

    def __init__(self, session: SessionId) -> None:
        self._id = session
        self._session = Session()
        self._waiting: dict[AskId, tuple[Entry, Approval | Question]] = {}

    def apply(self, record: Record) -> list[Entry]:
        """Fold one record; return the asks that it settled."""
        self._session.apply(record)
        if record.seq % _SETTLE == 0:
            window.settle(self._session)
        if isinstance(record.event, _NEVER_DECIDES):
            return []
        if isinstance(record.event, ApprovalRequested | QuestionAsked):
            self._begin(record, record.event.ask)
        over = [ask for ask, (_, item) in self._waiting.items() if item.settled]
        return [self._finish(ask, record.time) for ask in over]

    def open(self) -> list[Entry]:
        """The asks that still wait, for an answer or for the agent to be told."""
        for entry, item in self._waiting.values():
            _copy(entry, item)
        return [entry for entry, _ in self._waiting.values()]

    def _begin(self, record: Record, ask: AskId) -> None:
        item = self._session.ask(ask)
        if item is None or ask in self._waiting:
            return  # it had no effect
        kind = "approval" if isinstance(item, Approval) else "question"
        entry = Entry(
            session=self._id, turn=item.turn, ask=ask, kind=kind, seq=record.seq, asked_at=record.time, state=item.state
        )
        self._waiting[ask] = (entry, item)

    def _finish(self, ask: AskId, time: int) -> Entry:
        entry, item = self._waiting.pop(ask)
        _copy(entry, item)
        entry.settled_at = time
        return entry


def _copy(entry: Entry, item: Approval | Question) -> None:
    entry.state, entry.answer_seq = item.state, item.answer_seq
    entry.answered_at, entry.answered_from = item.answered_at, item.answered_from
    entry.expired_because = item.expired_because
    if isinstance(item, Approval):
        entry.agent, entry.workspace, entry.tool = item.agent, item.workspace, item.tool
        entry.command, entry.arguments, entry.directory = item.command, item.arguments, item.directory
        entry.description, entry.pattern_keys, entry.diffs = item.description, item.pattern_keys, item.diffs
        entry.digest, entry.choices = item.digest, item.choices
        entry.choice, entry.by, entry.rule, entry.reason = item.choice, item.by, item.rule, item.reason
    else:
        entry.question, entry.choices, entry.secret = item.text, item.choices, item.secret
        entry.answer = item.answer if item.answer_seq and not item.secret else None
        entry.by = "person" if item.answer_seq else None
