"""The API described for programs: OpenAPI, from the routes and from the values themselves.

The routes say of themselves what they take and answer. The values come from msgspec, which encodes them and so knows
their tags, names and limits exactly. `python -m holdfast.server.description FILE` writes what is checked in.
"""

import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from types import NoneType
from typing import Any

import msgspec

from holdfast import __version__
from holdfast.server.app import all_endpoints
from holdfast.server.dialect import changes, chat, listing, signing, streams, values, vitals
from holdfast.server.dialect import sessions as dialect_sessions
from holdfast.server.endpoint import JSON, Endpoint, members
from holdfast.server.guard import OPEN
from holdfast.server.schema import account, agents, asks, house, live, records, sessions, transfer
from holdfast.server.schema.base import Answer, Body

REFERENCE = "#/components/schemas/{name}"
VALUES: tuple[type, ...] = (
    *(
        value
        for module in (account, agents, asks, house, live, records, sessions, transfer)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Body | Answer | sessions.SessionRow)
        if value.__module__ == module.__name__
    ),
    *values.ALL,
    *chat.VALUES,
    *streams.VALUES,
    *dialect_sessions.VALUES,
    *changes.VALUES,
    *listing.VALUES,
    *vitals.VALUES,
    *signing.VALUES,
)


REFUSALS = {
    "401": "There is no credential, or it counts no more.",
    "404": "There is nothing of that name.",
    "4XX": "Why it was not done.",
    "5XX": "Why it can't be done now: most often the store can't be written.",
}


FAILURE = {JSON: {"schema": {"$ref": REFERENCE.format(name="Failure")}}}
BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "The credential of a signed-in device, or the token of this home.",
}


def description() -> dict[str, Any]:
    """The whole API as an OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in sorted(all_endpoints(None), key=lambda endpoint: endpoint.path):
        for method in endpoint.methods:
            paths.setdefault(endpoint.path, {})[method.lower()] = _operation(endpoint, method)
    _, schemas = msgspec.json.schema_components(VALUES, ref_template=REFERENCE)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Holdfast",
            "version": __version__,
            "description": "Generated from the routes by `python -m holdfast.server.description`; do not edit.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {code: _answer(sentence, FAILURE) for code, sentence in REFUSALS.items()},
            "securitySchemes": {"token": BEARER},
        },
    }


def _operation(endpoint: Endpoint, method: str) -> dict[str, Any]:
    open_to_all = (method, endpoint.path) in OPEN
    operation: dict[str, Any] = {
        "operationId": f"{endpoint.name}_head" if method == "HEAD" else endpoint.name,
        "summary": endpoint.summary,
        "description": endpoint.description,
        "parameters": list(_parameters(endpoint)),
        "requestBody": _body(endpoint),
        "responses": {**_answers(endpoint), **_refusals(endpoint.path, open_to_all=open_to_all)},
    }
    said = {name: value for name, value in operation.items() if value}
    return {**said, "security": []} if open_to_all else said


def _parameters(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    """What stands in the address, as it is read from there."""
    taken = endpoint.taken
    if taken.fields is None:
        return
    fields = msgspec.json.schema(taken.fields)["$defs"][taken.fields.__name__]
    for name, source in taken.sources.items():
        called = source.called(name)
        yield {
            "name": called,
            "in": source.place,
            "required": called in fields["required"],
            **({"description": source.description} if source.description else {}),
            "schema": fields["properties"][called],
        }


def _body(endpoint: Endpoint) -> dict[str, Any] | None:
    if endpoint.taken.body is None:
        return None
    return {"required": endpoint.taken.body_needed, "content": {JSON: {"schema": _schema(endpoint.taken.body[1])}}}


def _answers(endpoint: Endpoint) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, answers in endpoint.answers.items():
        kinds = answers.kinds
        content = {media_type: {"schema": _schema(kind)} for media_type, kind in kinds.items() if kind is not NoneType}
        found[str(status)] = _answer(answers.description or HTTPStatus(status).description, content)
    return found


def _answer(sentence: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"description": sentence, **({"content": content} if content else {})}


def _schema(kind: Any) -> dict[str, Any]:
    """How a value is written. Bytes go out as they are, not as JSON would have them."""
    if kind is bytes:
        return {"type": "string"}
    if len(kinds := members(kind)) > 1:
        return {"anyOf": [_schema(each) for each in kinds]}
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return schema


def _refusals(path: str, *, open_to_all: bool) -> dict[str, Any]:
    """How an operation may fail. No `default`: whatever else it answered would be a mistake."""
    codes = [*([] if open_to_all else ["401"]), *(["404"] if "{" in path else []), "4XX", "5XX"]
    return {code: {"$ref": f"#/components/responses/{code}"} for code in codes}


def written() -> bytes:
    """The document as it is checked in."""
    return msgspec.json.format(msgspec.json.encode(description()), indent=2) + b"\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(written())
