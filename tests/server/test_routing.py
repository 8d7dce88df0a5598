"""From a request to its answer: what is taken, what is refused and in which words."""

from collections.abc import AsyncIterator
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.testclient import TestClient

from holdfast.core.errors import BadCommand, HoldfastError
from holdfast.server.endpoint import (
    Answers,
    FromPath,
    FromQuery,
    JSONBody,
    QueryField,
    delete,
    get,
    post,
    put,
    refusing,
)
from holdfast.server.routing import routed

SMALL = 1_000_000


class Thing(msgspec.Struct):
    name: str
    size: int = 0


@get("/api/things/{number}", summary="Says what it took")
async def read(
    number: FromPath[int],
    tag: Annotated[list[str] | None, QueryField(limits=Meta(max_length=2))] = None,
    limit: Annotated[int | None, QueryField("How many", limits=Meta(ge=1, le=9))] = None,
    kind: Annotated[Literal["md", "json"], QueryField(name="format")] = "md",
    loud: FromQuery[bool] = False,  # noqa: FBT002  a query's field
) -> list[object]:
    return [number, tag, limit, kind, loud]


@get("/api/things/special", summary="One that is named in full")
async def special() -> str:
    return "special"


@get("/api/{place}/things", summary="What lies in a place")
async def lying(place: FromPath[str]) -> str:
    return place


@post("/api/things", summary="Takes a thing", largest=SMALL)
async def take(data: JSONBody[Thing]) -> Thing:
    return data


@put("/api/things", summary="Takes a thing, or none")
async def maybe(data: JSONBody[Thing | None] = None) -> str:
    return "none" if data is None else data.name


@delete("/api/things/{number}", summary="Says nothing")
async def forget(number: FromPath[int]) -> None:
    if number > 5:
        raise BadCommand(f"{number} stays.")


def in_verse(request: Request, error: HoldfastError) -> Response:
    return PlainTextResponse(f"{request.method}, alas: {error}", error.status)


@pytest.fixture
def client() -> TestClient:
    endpoints = [lying, read, special, take, maybe, *refusing(in_verse, forget)]
    return TestClient(routed(endpoints))


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("/api/things/4", [4, None, None, "md", False]),
        ("/api/things/4?tag=a&tag=b&limit=9&format=json&loud=true", [4, ["a", "b"], 9, "json", True]),
        ("/api/things/4?tag=a&limit=1&limit=2&unknown=x", [4, ["a"], 2, "md", False]),
        # What the path names is not renamed behind its question mark.
        ("/api/things/4?number=5", [4, None, None, "md", False]),
    ],
)
def test_what_stands_in_the_address_is_read_as_what_it_is(client: TestClient, address: str, taken: object) -> None:
    assert client.get(address).json() == taken


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("/api/things/four", "number"),
        ("/api/things/" + "9" * 5000, "number"),
        ("/api/things/4?limit=0", "limit"),
        ("/api/things/4?limit=10", "limit"),
        ("/api/things/4?limit=many", "limit"),
        ("/api/things/4?tag=a&tag=b&tag=c", "tag"),
        ("/api/things/4?format=pdf", "format"),
        ("/api/things/4?loud=perhaps", "loud"),
    ],
)
def test_what_is_wrong_in_the_address_is_named(client: TestClient, address: str, field: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert answer.json()["code"] == "Unusable"
    assert answer.json()["error"].startswith(f"The request can't be used. {field}: ")


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"", "body"),
        (b"null", "body"),
        (b"{", "body"),
        (b"\xff", "body"),
        (b'{"name": "\xff"}', "body"),
        (b'{"size": 1}', "body"),
        (b'{"name": 1}', "name"),
        (b'{"name": "a", "size": "much"}', "size"),
    ],
)
def test_what_is_wrong_in_a_body_is_named(client: TestClient, body: bytes, where: str) -> None:
    answer = client.post("/api/things", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(f"The request can't be used. {where}: ")


def test_a_body_is_taken_whatever_it_calls_itself(client: TestClient) -> None:
    answer = client.post("/api/things", content=b'{"name": "a", "size": "3"}', headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.json()) == (201, {"name": "a", "size": 3})


def test_a_body_that_is_not_needed_may_be_left_out(client: TestClient) -> None:
    assert client.put("/api/things").json() == "none"
    assert client.put("/api/things", content=b"null").json() == "none"
    assert client.put("/api/things", json={"name": "a"}).json() == "a"


@pytest.mark.parametrize("announced", [True, False])
def test_no_more_is_taken_than_is_meant(client: TestClient, *, announced: bool) -> None:
    """Whether it says so beforehand or not."""
    content = b" " * (SMALL + 1)
    answer = client.post("/api/things", content=content if announced else iter([content]))
    assert answer.status_code == 413
    assert answer.json()["error"] == "The request is too large. At most 1 MB are taken."


def test_what_is_named_in_full_comes_before_what_may_be_anything(client: TestClient) -> None:
    assert client.get("/api/things/special").json() == "special"
    assert client.get("/api/things/things").status_code == 400, "a thing, and no place"
    assert client.get("/api/harbour/things").json() == "harbour"


def test_what_is_named_in_full_takes_no_method_away_from_what_may_be_anything(client: TestClient) -> None:
    """An address counts for what it takes; for the rest it is like any other."""
    assert client.delete("/api/things/special").json()["error"].startswith("The request can't be used. number: ")
    assert client.delete("/api/things/4").status_code == 204
    neither = client.patch("/api/things/special")
    assert (neither.status_code, neither.headers["allow"]) == (405, "GET, DELETE")


def test_what_is_not_there_and_what_is_not_taken_is_said(client: TestClient) -> None:
    nothing, wrong = client.get("/api/nothing"), client.patch("/api/things")
    assert (nothing.status_code, nothing.json()["error"]) == (404, "There is nothing at /api/nothing.")
    assert (wrong.status_code, wrong.json()["error"]) == (405, "/api/things does not take PATCH.")
    assert wrong.headers["allow"] == "POST, PUT"
    elsewhere = client.get("/nothing")
    assert elsewhere.text == "There is nothing at /nothing."
    assert elsewhere.headers["content-type"].startswith("text/plain")
    assert client.get("/api/things/").status_code == 404
    assert client.get("/api/harbour/things%0A").status_code == 404, "an address ends where it ends"


def test_an_endpoint_may_refuse_in_words_of_its_own_but_not_what_it_never_saw(client: TestClient) -> None:
    assert client.delete("/api/things/4").status_code == 204
    assert client.delete("/api/things/6").text == "DELETE, alas: 6 stays."
    assert client.delete("/api/things/six").json()["code"] == "Unusable"


def test_a_handler_that_does_not_say_where_a_value_comes_from_is_refused_at_once() -> None:
    async def vague(thing: str) -> str:
        return thing

    with pytest.raises(TypeError, match="where it comes from"):
        get("/api/vague", summary="Vague")(vague)


def test_two_endpoints_of_one_address_and_method_are_no_app() -> None:
    with pytest.raises(AssertionError, match="Two endpoints take GET /api/things/special"):
        routed([special, special])


def test_an_answer_that_breaks_half_way_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever asked has the beginning already, and sees only that the rest is missing."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b"half of"
        raise ValueError("a hole in the disk")

    async def breaking() -> StreamingResponse:
        return StreamingResponse(pieces())

    answers = {200: Answers(bytes, "Half of it.", "text/plain")}
    client = TestClient(routed([get("/api/half", summary="Half", answers=answers)(breaking)]))
    with pytest.raises(ValueError, match="a hole in the disk"):
        client.get("/api/half")
    (told,) = [record for record in caplog.records if record.message == "request_failed"]
    assert (told.levelname, getattr(told, "path", "")) == ("ERROR", "/api/half")
    assert told.exc_info is not None
