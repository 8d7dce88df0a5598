"""The API described for programs: OpenAPI, from the routes and from the values themselves.

The routes come from the framework. The values come from msgspec, which encodes them and so knows their tags, names and
limits exactly. `python -m holdfast.server.description FILE` writes what is checked in.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme

from holdfast import __version__
from holdfast.server.app import create_routes
from holdfast.server.dialect import changes, chat, listing, signing, streams, values, vitals
from holdfast.server.dialect import sessions as dialect_sessions
from holdfast.server.guard import OPEN
from holdfast.server.schema import account, agents, asks, house, live, records, sessions, transfer
from holdfast.server.schema.base import Answer, Body
from holdfast.server.wiring import Wiring
from holdfast.transfer.export import MEDIA_TYPES

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


def description() -> dict[str, Any]:
    """The whole API as an OpenAPI document."""
    document = create_routes(_unwired, (), _config()).openapi_schema.to_schema()
    _, components = msgspec.json.schema_components(VALUES, ref_template=REFERENCE)
    document["components"]["schemas"] = dict(sorted(components.items()))
    content = {"application/json": {"schema": {"$ref": REFERENCE.format(name="Failure")}}}
    document["components"]["responses"] = {
        code: {"description": sentence, "content": content} for code, sentence in REFUSALS.items()
    }
    for method, path, operation in _operations(document):
        if operation["operationId"] == "export_session":  # a route can say one type of itself
            operation["responses"]["200"]["content"] = {
                media_type: {"schema": {"type": "object" if kind == "json" else "string"}}
                for kind, media_type in MEDIA_TYPES.items()
            }
        answers = {code: _any_of(answer) for code, answer in operation["responses"].items() if code.startswith("2")}
        open_to_all = (method.upper(), path) in OPEN
        operation["responses"] = {**answers, **_refusals(path, open_to_all=open_to_all)}
        if open_to_all:
            operation["security"] = []
    return document


def _refusals(path: str, *, open_to_all: bool) -> dict[str, Any]:
    """How an operation may fail. No `default`: whatever else it answered would be a mistake."""
    codes = [*([] if open_to_all else ["401"]), *(["404"] if "{" in path else []), "4XX", "5XX"]
    return {code: {"$ref": f"#/components/responses/{code}"} for code in codes}


def _any_of(answer: dict[str, Any]) -> dict[str, Any]:
    """One that may have either of two forms may have both: the list of sessions speaks two languages at once."""
    for content in answer.get("content", {}).values():
        if "oneOf" in content["schema"]:
            content["schema"] = {"anyOf": content["schema"]["oneOf"]}
    return answer


def _unwired() -> Wiring:
    raise AssertionError("A description answers no request.")


def _config() -> OpenAPIConfig:
    bearer = SecurityScheme(
        type="http", scheme="bearer", description="The credential of a signed-in device, or the token of this home."
    )
    return OpenAPIConfig(
        title="Holdfast",
        description="Generated from the routes by `python -m holdfast.server.description`; do not edit.",
        version=__version__,
        render_plugins=[JsonRenderPlugin()],
        components=Components(security_schemes={"token": bearer}),
        security=[{"token": []}],
        operation_id_creator=_name,
    )


def _name(handler: HTTPRouteHandler, method: str, _path: object) -> str:
    return f"{handler.handler_name}_head" if method == "HEAD" else handler.handler_name


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def written() -> bytes:
    """The document as it is checked in."""
    return msgspec.json.format(msgspec.json.encode(description()), indent=2) + b"\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(written())
