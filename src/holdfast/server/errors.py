"""Failures as answers: a sentence, as JSON for programs under /api and as plain text for people elsewhere."""

import logging

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from holdfast.core.errors import HoldfastError, Refused
from holdfast.server.attempts import TooManyAttempts
from holdfast.server.headers import CHALLENGE
from holdfast.server.overruled import Overruled
from holdfast.server.packed import packed
from holdfast.server.schema.records import Failure, wire

log = logging.getLogger(__name__)


class NotFound(Refused):
    """There is nothing at {0}."""

    status = 404


class MethodNotAllowed(Refused):
    """{0} does not take {1}."""

    status = 405

    @property
    def allowed(self) -> str:
        return str(self.details[2])


class TooLarge(Refused):
    """The request is too large. At most {0} are taken."""

    status = 413


class Unusable(Refused):
    """The request can't be used. {0}."""

    status = 400


def answer_ours(request: Request, error: HoldfastError) -> Response:
    """What we refuse or can't do, and say so."""
    if error.status >= 500:
        log.error("request_failed", extra={"path": request.scope["path"], "error": str(error)})
    record, code = (error.record, error.code) if isinstance(error, Overruled) else (None, type(error).__name__)
    failure = Failure(error=str(error), code=code, record=None if record is None else wire(record))
    return answer(request, error.status, failure, _headers(error))


def _headers(error: HoldfastError) -> dict[str, str]:
    match error:
        case TooManyAttempts():
            return {"retry-after": str(error.seconds)}
        case MethodNotAllowed():
            return {"allow": error.allowed}
        case _ if error.status == 401:
            return {name.decode(): value.decode() for name, value in CHALLENGE}
        case _:
            return {}


def answer_deep(request: Request) -> Response:
    """A body whose parts lie in each other deeper than anything that is meant."""
    return answer(request, 400, Failure(error="The request can't be used. It is nested too deeply.", code="TooDeep"))


def answer_broken(request: Request, error: Exception) -> Response:
    """A mistake of ours: told in the server's log, not to the client."""
    log_broken(request, error)
    return answer(request, 500, Failure(error="The server made a mistake. Its log says which.", code="Mistake"))


def log_broken(request: Request, error: Exception) -> None:
    log.error("request_failed", exc_info=error, extra={"method": request.method, "path": request.scope["path"]})


def answer(request: Request, status: int, failure: Failure, headers: dict[str, str] | None = None) -> Response:
    """The failure in the form that fits the address asked for."""
    if request.scope["path"].startswith("/api/"):
        return packed(failure, status, headers)
    return PlainTextResponse(failure.error, status, headers)
