"""Whatever the description allows, and whatever it does not, every route answers as described and never breaks."""

import asyncio
import itertools
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from holdfast.core.ids import SessionId
from holdfast.server.description import description
from holdfast.server.dialect.runs import RunName
from holdfast.server.links import Links
from holdfast.settings import read_settings
from holdfast.store.sqlite.store import SqliteStore
from tests.served import PATIENCE_SECONDS, Served
from tests.server.dialect.system import APPROVALS, begun
from tests.store.stage import T1

pytestmark = pytest.mark.slow

ELSEWHERE = [
    "stream",
    "stream_approvals",
    "stream_questions",
    "stream_chat",
    "stream_session",
    "stream_runs",
    "stream_list",
    "change_token",
    "change_password",
    "sign_out_all",
]
"""What does not end by itself, or ends the credential that the others need: test_streaming_routes, test_account."""

SLOW_ONES = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]

schema = schemathesis.openapi.from_dict(description())
schema.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


@pytest.fixture
def there(client: httpx.Client, server: Served) -> dict[str, Any]:
    """What is there to be named: a session whose run has asked and in which a message waits, a file, a device."""
    folder = str(server.home.parent)  # not the one that was chosen for all: it may be any words by now
    session = SessionId(client.post("/api/sessions", json={"title": "A title", "workspace": folder}).json()["id"])
    asyncio.run(asked(server, session))
    client.post(f"/api/sessions/{session}/turns", json={"id": "waits", "text": "words"}).raise_for_status()
    stored = client.post("/api/files", params={"name": "x"}, content=b"x").json()
    device = client.post("/api/sign-in", json={"code": Links(server.home).issue()}).json()["device"]
    turns = {"turn_id": str(T1), "turn": str(T1), "stream_id": str(RunName(session, T1))}
    sessions = {"session_id": session, "session": [session]}
    return {**sessions, **turns, "ask_id": "asked", "blob": stored["blob"], "device": device, "number": 1}


async def asked(server: Served, session: SessionId) -> None:
    store = await SqliteStore.open_folder(read_settings({}, home=server.home).store)
    await begun(store, session, APPROVALS.ask("asked"))
    await store.close()


TRIES: Iterator[int] = itertools.count()


def led_on(case: schemathesis.Case[Any], there: dict[str, Any]) -> None:
    """In three of four tries, let it name what is there, so that a route does more than to miss it."""
    if next(TRIES) % 4 == 0:
        return
    for given in (case.path_parameters, case.query, case.body):
        if isinstance(given, dict):
            given.update({name: there[name] for name in given if name in there})


@schema.exclude(operation_id=ELSEWHERE).parametrize()  # pyright: ignore[reportUntypedFunctionDecorator]  theirs
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=SLOW_ONES)
def test_every_route_answers_as_it_is_described(
    case: schemathesis.Case[Any], server: Served, there: dict[str, Any]
) -> None:
    led_on(case, there)
    if "wait" in case.query:
        case.query["wait"] = 0
    answer = case.call(base_url=server.link, headers=server.authorization, timeout=PATIENCE_SECONDS)
    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    case.validate_response(answer, checks=checks)
    assert server.process.poll() is None
