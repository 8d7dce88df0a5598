"""From a request to its answer: which endpoint is meant, what it takes, what came of it.

Law: whatever an endpoint raises is an answer, as long as none has begun.
"""

import re
from collections.abc import Iterable
from typing import Any, cast

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.core.errors import HoldfastError
from holdfast.server.endpoint import Endpoint
from holdfast.server.errors import (
    MethodNotAllowed,
    NotFound,
    TooLarge,
    Unusable,
    answer_broken,
    answer_deep,
    answer_ours,
    log_broken,
)
from holdfast.server.packed import packed


class Answering:
    """What lies at one address, by method."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self.methods: dict[str, ASGIApp] = {}
        for endpoint in endpoints:
            for method in endpoint.methods:
                assert method not in self.methods, f"Two endpoints take {method} {endpoint.path}."
                self.methods[method] = Operation(endpoint)

    def also(self, other: "Answering", params: dict[str, str]) -> None:
        """Take from `other` what is not taken here, where its parts that may be anything are these."""
        for method, operation in other.methods.items():
            self.methods.setdefault(method, meaning(operation, params))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        operation = self.methods.get(scope["method"])
        if operation is None:
            refused = MethodNotAllowed(scope["path"], scope["method"], ", ".join(self.methods))
            await answer_ours(Request(scope), refused)(scope, receive, send)
        else:
            await operation(scope, receive, send)


class Operation:
    """An endpoint, ready to be asked."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._refuse = endpoint.refuse or answer_ours
        body = endpoint.taken.body
        self._body = None if body is None else (body[0], msgspec.json.Decoder(body[1], strict=False))
        self._names = tuple(endpoint.taken.sources)
        called = [source.called(name) for name, source in endpoint.taken.sources.items() if source.place == "query"]
        self._asked = tuple((name, name in endpoint.taken.lists) for name in called)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def send_noticed(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        request = Request(scope, bounded(scope, receive, self._endpoint.largest))
        try:
            await (await self._answer(request))(scope, receive, send_noticed)
        except ClientDisconnect:
            pass  # nobody is left to be told
        except Exception as error:
            if begun:  # the connection is cut, which says that the answer is not whole
                log_broken(request, error)
                raise
            await self._failed(request, error)(scope, receive, send)

    def _failed(self, request: Request, error: Exception) -> Response:
        match error:
            case Unusable() | TooLarge():
                return answer_ours(request, error)
            case HoldfastError():
                return self._refuse(request, error)
            case RecursionError():
                return answer_deep(request)
            case _:
                return answer_broken(request, error)

    async def _answer(self, request: Request) -> ASGIApp:
        taken = {name: read(request) for name, read in self._endpoint.taken.given.items()}
        taken |= self._read_fields(request)
        if self._body is not None:
            name, decoder = self._body
            content = await request.body()
            if content or self._endpoint.taken.body_needed:
                taken[name] = _decoded(decoder, content)
        # What can be called is an answer already.
        value: Any = await self._endpoint.handler(**taken)
        return cast("ASGIApp", value) if callable(value) else packed(value, self._endpoint.status)

    def _read_fields(self, request: Request) -> dict[str, Any]:
        fields = self._endpoint.taken.fields
        if fields is None:
            return {}
        query = request.query_params
        found: dict[str, Any] = dict(request.path_params)
        for called, several in self._asked:
            if called in query:
                found[called] = query.getlist(called) if several else query[called]
        try:
            value = msgspec.convert(found, fields, strict=False)
        except msgspec.ValidationError as exc:
            raise unusable(exc, "address") from exc
        return {name: getattr(value, name) for name in self._names}


def _decoded(decoder: msgspec.json.Decoder[Any], content: bytes) -> Any:
    try:
        return decoder.decode(content or b"null")
    except msgspec.ValidationError as exc:
        raise unusable(exc, "body") from exc
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise Unusable(f"body: {exc}") from exc


def unusable(error: msgspec.ValidationError, where: str) -> "Unusable":
    """What is wrong, and with which field."""
    message, _, place = str(error).partition(" - at `$")
    return Unusable(f"{place.strip('.`') or where}: {message}")


def bounded(scope: Scope, receive: Receive, most: int) -> Receive:
    """`receive`, until it has brought more than `most` bytes."""
    said = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    announced = int(said) if said.isdigit() and len(said) < 20 else 0
    came = 0

    async def receive_bounded() -> Message:
        nonlocal came
        if announced > most:
            raise TooLarge(_size(most))
        message = await receive()
        came += len(message.get("body", b""))
        if came > most:
            raise TooLarge(_size(most))
        return message

    return receive_bounded


def _size(most: int) -> str:
    return f"{most // 1_000_000} MB" if most >= 1_000_000 else f"{most // 1_000} kB"


class Pattern(Route):
    """Addresses with a part that may be anything. They end where they end: `$` would let a line break follow."""

    def __init__(self, path: str, endpoint: ASGIApp) -> None:
        super().__init__(path, endpoint)
        self.path_regex = re.compile(self.path_regex.pattern.removesuffix("$") + r"\Z")


def meaning(app: ASGIApp, params: dict[str, str]) -> ASGIApp:
    """`app`, at an address whose parts are known."""

    async def meant(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "path_params": params}, receive, send)

    return meant


async def nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    await answer_ours(Request(scope), NotFound(scope["path"]))(scope, receive, send)


def routed(endpoints: Iterable[Endpoint]) -> ASGIApp:
    """All of the endpoints as one app. What is named in full counts before what has a part that may be anything."""
    by_path: dict[str, list[Endpoint]] = {}
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, []).append(endpoint)
    answering = {path: Answering(found) for path, found in by_path.items()}
    plain = {path: app for path, app in answering.items() if "{" not in path}
    # An address may fit two patterns: the one that names more comes first.
    patterns = sorted(answering.keys() - plain.keys(), key=lambda path: [part[:1] == "{" for part in path.split("/")])
    routes = [Pattern(path, answering[path]) for path in patterns]
    others = Router(routes, redirect_slashes=False, default=nowhere)
    # What has a name in full may be meant by a pattern too: an endpoint of models may be called `try`.
    for path, app in plain.items():
        for route in routes:
            if found := route.path_regex.match(path):
                app.also(answering[route.path], found.groupdict())

    async def routed_app(scope: Scope, receive: Receive, send: Send) -> None:
        # An address named in full is looked up, not searched for: the page alone has dozens.
        found = plain.get(scope["path"], others) if scope["type"] == "http" else others
        await found(scope, receive, send)

    return routed_app
