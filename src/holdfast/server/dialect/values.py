"""What the dialect takes and gives, field for field.

Law: a poll, the first event of a stream and every later one are the same value for the same state, because each is
made here, by one function, from the queue. Times are whole seconds; 0 means none.
"""

from typing import Literal

import msgspec

from holdfast.core.askqueue import AskQueue
from holdfast.core.events import Choice
from holdfast.core.ids import AskId, SessionId
from holdfast.core.items import Approval, Question
from holdfast.server.schema.base import Answer, Text

# What is asked. Clients of another program say things that we do not know: these are passed over.


class ApprovalResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Without an id it answers the oldest that waits."""

    session_id: str | None = None
    approval_id: str | None = None
    choice: str = "deny"
    yolo: bool = False


class QuestionResponse(msgspec.Struct, frozen=True, kw_only=True):
    """Without an id it answers the oldest that waits. `answer` and `choice` are other names of `response`."""

    session_id: str | None = None
    clarify_id: str | None = None
    response: Text | None = None
    answer: Text | None = None
    choice: Text | None = None


# What is answered.


class ApprovalHead(Answer, frozen=True, kw_only=True):
    """The approval that waits longest."""

    approval_id: AskId
    command: str
    description: str
    pattern_key: str
    pattern_keys: tuple[str, ...]
    choices: tuple[Choice, ...]
    session_id: SessionId


class PendingApprovals(Answer, frozen=True, kw_only=True):
    """The head of the queue, and how many wait."""

    pending: ApprovalHead | None
    pending_count: int


class QuestionHead(Answer, frozen=True, kw_only=True):
    """The question that waits longest."""

    clarify_id: AskId
    question: str
    choices_offered: tuple[str, ...]
    requested_at: int
    timeout_seconds: int
    expires_at: int
    session_id: SessionId
    kind: Literal["clarify"] = "clarify"


class PendingQuestions(Answer, frozen=True, kw_only=True):
    """The head of the queue, and how many wait."""

    pending: QuestionHead | None
    pending_count: int


class ApprovalTaken(Answer, frozen=True, kw_only=True):
    """The choice counts."""

    ok: Literal[True] = True
    choice: Choice
    approval_id: AskId


class QuestionTaken(Answer, frozen=True, kw_only=True):
    """The response counts."""

    ok: Literal[True] = True
    response: str
    clarify_id: AskId


class NotTaken(Answer, frozen=True, kw_only=True):
    """Nothing was changed. `choice` or `response` is the answer that counts, where one was given before."""

    ok: Literal[False] = False
    error: str
    code: str
    stale: bool | msgspec.UnsetType = msgspec.UNSET
    choice: Choice | msgspec.UnsetType = msgspec.UNSET
    response: str | msgspec.UnsetType = msgspec.UNSET


class Busy(Answer, frozen=True, kw_only=True):
    """A run goes on already: this one."""

    error: str
    code: str
    active_stream_id: str


ALL: tuple[type, ...] = (
    ApprovalResponse,
    QuestionResponse,
    PendingApprovals,
    PendingQuestions,
    ApprovalTaken,
    QuestionTaken,
    NotTaken,
    Busy,
)


# From the queue to what is sent.


def pending_approvals(session: SessionId, queue: AskQueue[Approval]) -> PendingApprovals:
    head = queue.head and ApprovalHead(
        approval_id=queue.head.ask,
        command=queue.head.command,
        description=queue.head.description,
        pattern_key=queue.head.pattern_keys[0] if queue.head.pattern_keys else "",
        pattern_keys=queue.head.pattern_keys,
        choices=queue.head.choices,
        session_id=session,
    )
    return PendingApprovals(pending=head, pending_count=queue.count)


def pending_questions(session: SessionId, queue: AskQueue[Question]) -> PendingQuestions:
    head = queue.head and QuestionHead(
        clarify_id=queue.head.ask,
        question=queue.head.text,
        choices_offered=queue.head.choices,
        requested_at=queue.head.time // 1000,
        timeout_seconds=queue.head.timeout_seconds,
        expires_at=queue.head.expires_at // 1000,
        session_id=session,
    )
    return PendingQuestions(pending=head, pending_count=queue.count)
