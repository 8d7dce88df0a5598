"""What the API says of itself is checked in, is what the routes are, and is what is really sent."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from holdfast.core import codec
from holdfast.core.ids import SessionId
from holdfast.server.app import all_endpoints
from holdfast.server.description import description, written

CHECKED_IN = Path(__file__).parents[2] / "docs" / "openapi.json"
PROSE = Path(__file__).parents[2] / "docs" / "api.md"
DIALECT = Path(__file__).parents[2] / "docs" / "dialect.md"


def test_the_checked_in_description_is_the_present_one() -> None:
    assert CHECKED_IN.read_bytes() == written(), (
        "Write it anew with: .venv/bin/python -m holdfast.server.description docs/openapi.json"
    )


def test_every_route_of_the_app_is_described() -> None:
    assert {endpoint.path for endpoint in all_endpoints(None)} == set(description()["paths"])


def test_what_the_dialect_lacks_is_not_there_and_what_stands_in_for_it_is() -> None:
    """The table of addresses that are not here: none of them is, and whatever it points to instead is."""
    rows = re.findall(
        r"^\| (`/.*?) \| (.*?) ?\|$", DIALECT.read_text("utf-8").partition("## Not here")[2], re.MULTILINE
    )
    lacking = {path for left, _ in rows for path in re.findall(r"`(/[^`]+)`", left)}
    instead = {path for _, right in rows for path in re.findall(r"`[A-Z]+ (/[^`]+)`", right)}
    assert len(lacking) > 15
    assert lacking & set(description()["paths"]) == set()
    assert instead <= set(description()["paths"])


def test_every_operation_has_a_name_a_summary_and_a_way_to_fail() -> None:
    document = description()
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(set(names)) == len(names)
    for operation in operations:
        assert operation["summary"]
        assert {"4XX", "5XX"} <= set(operation["responses"])
        assert "default" not in operation["responses"], "what is not described is a mistake"
    for name in references(document):
        assert name in document["components"]["schemas"]


def references(part: Any) -> Iterator[str]:
    match part:
        case {"$ref": str(name)}:
            if not name.startswith("#/components/responses/"):
                yield name.rpartition("/")[2]
        case dict():
            for value in part.values():
                yield from references(value)
        case list():
            for value in part:
                yield from references(value)
        case _:
            pass


def test_every_kind_of_event_is_described_with_its_stored_name() -> None:
    schemas = description()["components"]["schemas"]
    named = [value["properties"]["kind"]["enum"] for value in schemas.values() if "kind" in value["properties"]]
    kinds = {choices[0] for choices in named if len(choices) == 1}  # an import is of one of several kinds
    assert kinds == {*codec.KINDS, "clarify"}  # which is what the dialect's questions say of themselves


def test_the_prose_names_every_address() -> None:
    prose = PROSE.read_text("utf-8")
    missing = [path for path in description()["paths"] if path not in prose]
    assert missing == []


@pytest.mark.parametrize("path", ["", "/asks", "/records", "/pages/1"])
def test_what_is_sent_has_the_fields_that_are_described(client: httpx.Client, session: SessionId, path: str) -> None:
    document = description()
    template = "/api/sessions/{session_id}" + path.replace("/1", "/{number}")
    answer = document["paths"][template]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    (name,) = references(answer)
    value = document["components"]["schemas"][name]
    sent = msgspec.json.decode(client.get(f"/api/sessions/{session}{path}").content)
    assert set(sent) <= set(value["properties"])
    assert set(value["required"]) <= set(sent)


def test_the_page_takes_its_types_from_the_description() -> None:
    """`python web/describe.py` would change nothing."""
    script = Path(__file__).parents[2] / "web/describe.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)
