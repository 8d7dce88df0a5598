"""A value as an answer."""

import msgspec
from starlette.responses import Response

from holdfast.server.endpoint import JSON


def packed(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """The value as JSON; nothing if it is none."""
    if value is None:
        return Response(status_code=status, headers=headers)
    return Response(msgspec.json.encode(value), status, headers, JSON)
