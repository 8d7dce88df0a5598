"""A mistake of ours is told in the log, and not to the client; one that comes after an answer has begun cuts it off."""

import logging
from collections.abc import AsyncIterator

import pytest
from starlette.responses import StreamingResponse
from starlette.testclient import TestClient

from holdfast.server.endpoint import get
from holdfast.server.routing import routed


@get("/api/broken", summary="It breaks")
async def broken() -> None:
    raise ZeroDivisionError("the secret of the failure")


@get("/api/half", summary="It breaks half way")
async def half() -> StreamingResponse:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"half of"
        raise ZeroDivisionError("the secret of the failure")

    return StreamingResponse(pieces())


def test_a_mistake_is_logged_and_the_client_learns_no_detail(caplog: pytest.LogCaptureFixture) -> None:
    with TestClient(routed([broken]), raise_server_exceptions=False) as client, caplog.at_level(logging.ERROR):
        answer = client.get("/api/broken")
    assert answer.status_code == 500
    assert answer.json() == {"error": "The server made a mistake. Its log says which.", "code": "Mistake"}
    assert "the secret of the failure" in caplog.text


def test_what_breaks_half_way_is_not_ended_as_if_it_were_whole() -> None:
    with TestClient(routed([half])) as client, pytest.raises(ZeroDivisionError):
        client.get("/api/half")
