"""Whatever the description allows, and whatever it does not, every route answers as described and never breaks."""

from typing import Any

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

from holdfast.server.description import description
from tests.served import PATIENCE_SECONDS, Served

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


@schema.exclude(operation_id=ELSEWHERE).parametrize()  # pyright: ignore[reportUntypedFunctionDecorator]  theirs
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=SLOW_ONES)
def test_every_route_answers_as_it_is_described(case: schemathesis.Case[Any], server: Served) -> None:
    if "wait" in case.query:
        case.query["wait"] = 0
    answer = case.call(base_url=server.link, headers=server.authorization, timeout=PATIENCE_SECONDS)
    checks = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
    case.validate_response(answer, checks=checks)
    assert server.process.poll() is None
