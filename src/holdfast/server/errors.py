"""Failures as answers: a sentence, as JSON for programs under /api and as plain text for people elsewhere."""

import logging
from typing import Any

from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException

log = logging.getLogger(__name__)


def answer_refused(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """What the framework itself refuses: no such route, no such method, a request it can't read."""
    path = request.url.path
    match error.status_code:
        case 404:
            sentence = f"There is nothing at {path}."
        case 405:
            sentence = f"{path} does not take {request.method}."
        case _:
            sentence = error.detail
    return answer(request, error.status_code, sentence, headers=error.headers)


def answer_broken(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """A mistake of ours: told in the server's log, not to the client."""
    log.error("request_failed", exc_info=error, extra={"method": request.method, "path": request.url.path})
    return answer(request, 500, "The server made a mistake. Its log says which.")


def answer(
    request: Request[Any, Any, Any], status: int, sentence: str, headers: dict[str, Any] | None = None
) -> Response[Any]:
    """`sentence` in the form that fits the address asked for."""
    if request.url.path.startswith("/api/"):
        return Response({"error": sentence}, status_code=status, headers=headers, media_type=MediaType.JSON)
    return Response(sentence, status_code=status, headers=headers, media_type=MediaType.TEXT)
