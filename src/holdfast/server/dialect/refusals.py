"""Failures as the dialect says them: a sentence, `ok: false`, and the answer that counts if one was given before."""

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from holdfast.core.errors import HoldfastError
from holdfast.core.events import ApprovalAnswered, QuestionAnswered
from holdfast.server.dialect.runs import ActiveStream
from holdfast.server.dialect.values import Busy, NotTaken
from holdfast.server.errors import answer_ours
from holdfast.server.overruled import Overruled
from holdfast.server.packed import packed


def refuse_approval(request: Request, error: HoldfastError) -> Response:
    return _refused(request, error, stale=False)


def refuse_question(request: Request, error: HoldfastError) -> Response:
    """What does not wait, or waits no more, is stale."""
    return _refused(request, error, stale=error.status in (404, 409))


def refuse_busy(request: Request, error: HoldfastError) -> Response:
    """A session that runs names its stream, so that the client can follow that one instead."""
    if not isinstance(error, ActiveStream):
        return answer_ours(request, error)
    refusal = Busy(error=str(error), code=type(error).__name__, active_stream_id=str(error.details[0]))
    return packed(refusal, error.status)


def _refused(request: Request, error: HoldfastError, *, stale: bool) -> Response:
    if error.status >= 500:
        return answer_ours(request, error)
    overruled = isinstance(error, Overruled)
    counts = error.record.event if overruled and error.record is not None else None
    refusal = NotTaken(
        error=str(error),
        code=error.code if overruled else type(error).__name__,
        stale=stale or UNSET,
        choice=counts.choice if isinstance(counts, ApprovalAnswered) else UNSET,
        response=counts.text if isinstance(counts, QuestionAnswered) and not counts.secret else UNSET,
    )
    return packed(refusal, error.status)
