"""Failures as answers: a sentence, as JSON for programs under /api and as plain text for people elsewhere."""

import logging
from typing import Any

from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, ValidationException

from holdfast.core.errors import HoldfastError
from holdfast.server.attempts import TooManyAttempts
from holdfast.server.headers import CHALLENGE
from holdfast.server.overruled import Overruled
from holdfast.server.schema.records import Failure, wire

LARGEST_BODY = 1_000_000
LARGEST_FILE = 25_000_000
FILES = "/api/files"
LARGEST_UPLOAD = 1_000_000_000
UPLOADS = "/api/import/upload"

log = logging.getLogger(__name__)


def answer_refused(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """What the framework itself refuses: no such route, no such method, a request it can't read."""
    path = request.url.path
    match error.status_code:
        case 404:
            sentence = f"There is nothing at {path}."
        case 405:
            sentence = f"{path} does not take {request.method}."
        case 413:
            largest = {FILES: LARGEST_FILE, UPLOADS: LARGEST_UPLOAD}.get(path, LARGEST_BODY)
            sentence = f"The request is too large. At most {largest // 1_000_000} MB are taken."
        case _:
            sentence = _invalid(error) if isinstance(error, ValidationException) else error.detail
    code = type(error).__name__.removesuffix("Exception")
    return answer(request, error.status_code, Failure(error=sentence, code=code), headers=error.headers)


def _invalid(error: ValidationException) -> str:
    """What is wrong with a request, field by field."""
    found: Any = error.extra  # whatever the framework puts there
    parts = [f"{part.get('key', 'body')}: {part.get('message', '')}" for part in found] if found else [error.detail]
    return f"The request can't be used. {'; '.join(parts)}."


def answer_ours(request: Request[Any, Any, Any], error: HoldfastError) -> Response[Any]:
    """What we refuse or can't do, and say so."""
    if error.status >= 500:
        log.error("request_failed", extra={"path": request.url.path, "error": str(error)})
    record, code = (error.record, error.code) if isinstance(error, Overruled) else (None, type(error).__name__)
    failure = Failure(error=str(error), code=code, record=None if record is None else wire(record))
    headers = {"retry-after": str(error.seconds)} if isinstance(error, TooManyAttempts) else {}
    if error.status == 401:
        headers |= {name.decode(): value.decode() for name, value in CHALLENGE}
    return answer(request, error.status, failure, headers)


def answer_deep(request: Request[Any, Any, Any], error: RecursionError) -> Response[Any]:  # noqa: ARG001  a handler's shape
    """A body whose parts lie in each other deeper than anything that is meant."""
    return answer(request, 400, Failure(error="The request can't be used. It is nested too deeply.", code="TooDeep"))


def answer_broken(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """A mistake of ours: told in the server's log, not to the client."""
    log.error("request_failed", exc_info=error, extra={"method": request.method, "path": request.url.path})
    return answer(request, 500, Failure(error="The server made a mistake. Its log says which.", code="Mistake"))


def answer(
    request: Request[Any, Any, Any], status: int, failure: Failure, headers: dict[str, Any] | None = None
) -> Response[Any]:
    """The failure in the form that fits the address asked for."""
    if request.url.path.startswith("/api/"):
        return Response(failure, status_code=status, headers=headers, media_type=MediaType.JSON)
    return Response(failure.error, status_code=status, headers=headers, media_type=MediaType.TEXT)
