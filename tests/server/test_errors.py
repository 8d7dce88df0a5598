"""A mistake of ours is told in the log, and not to the client."""

import logging

import pytest
from litestar import Litestar, get
from litestar.testing import TestClient

from holdfast.server.errors import answer_broken


@get("/api/broken", sync_to_thread=False)
def broken() -> None:
    raise ZeroDivisionError("the secret of the failure")


def test_a_mistake_is_logged_and_the_client_learns_no_detail(caplog: pytest.LogCaptureFixture) -> None:
    app = Litestar([broken], exception_handlers={Exception: answer_broken}, openapi_config=None, logging_config=None)
    with TestClient(app, raise_server_exceptions=False) as client, caplog.at_level(logging.ERROR):
        answer = client.get("/api/broken")
    assert answer.status_code == 500
    assert answer.json() == {"error": "The server made a mistake. Its log says which.", "code": "Mistake"}
    assert "the secret of the failure" in caplog.text
