"""What a route says of itself: where it lies, what it takes, what it answers. Reading a request and describing the API
both follow from this, so the two can't disagree.

A handler names what it takes in its signature: `FromPath`, `FromQuery` (or `Annotated` with a `QueryField` that has
limits), `JSONBody`, a `Given` value, or the request itself.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from holdfast.core.errors import HoldfastError

JSON = "application/json"
EVENTS = "text/event-stream"
READ = ("GET", "HEAD")
LARGEST_BODY = 1_000_000
FROM_STRANGERS = 10_000
"""Bytes of a body that is taken before anybody knows who sends it."""
USUAL = {"POST": HTTPStatus.CREATED, "DELETE": HTTPStatus.NO_CONTENT}

Handler = Callable[..., Awaitable[Any]]
Refuse = Callable[[Request, HoldfastError], Response]
T = TypeVar("T")


@dataclass(frozen=True)
class Field:
    """A part of the address. `name` is what it is called there, if that is no name for Python."""

    place: ClassVar[Literal["path", "query"]]
    description: str = ""
    name: str = ""
    limits: Meta | None = None

    def called(self, name: str) -> str:
        return self.name or name


class PathField(Field):
    place = "path"


class QueryField(Field):
    place = "query"


class InBody:
    """The whole body, as JSON."""


@dataclass(frozen=True)
class Given:
    """What `read` finds in the request."""

    read: Callable[[Request], Any]


FromPath = Annotated[T, PathField()]
FromQuery = Annotated[T, QueryField()]
JSONBody = Annotated[T, InBody()]
Source = Field | InBody | Given


@dataclass(frozen=True)
class Answers:
    """What an endpoint may answer, where its signature does not tell."""

    type: Any
    description: str = ""
    media_type: str = JSON
    others: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Media types that it may be instead, and what it is then."""

    @property
    def kinds(self) -> dict[str, Any]:
        return {self.media_type: self.type, **self.others}


@dataclass(frozen=True)
class Taken:
    """What a handler wants. `fields` is a value of all that stands in the address, read and checked
    together; `lists` are those that may be given more than once."""

    fields: type[msgspec.Struct] | None = None
    sources: Mapping[str, Field] = field(default_factory=dict[str, Field])
    lists: frozenset[str] = frozenset()
    given: Mapping[str, Callable[[Request], Any]] = field(default_factory=dict[str, Callable[[Request], Any]])
    body: tuple[str, Any] | None = None
    body_needed: bool = False

    @classmethod
    def by(cls, handler: Handler) -> Self:
        hints = get_type_hints(handler, include_extras=True)
        sources: dict[str, Field] = {}
        lists: set[str] = set()
        fields: list[Any] = []
        given: dict[str, Callable[[Request], Any]] = {}
        body, body_needed = None, False
        for name, parameter in inspect.signature(handler).parameters.items():
            needed = parameter.default is inspect.Parameter.empty
            kind, source = _source(hints[name])
            match source:
                case Given():
                    given[name] = source.read
                case InBody():
                    body, body_needed = (name, kind), needed
                case Field():
                    sources[name] = source
                    if any(get_origin(each) is list for each in members(kind)):
                        lists.add(source.called(name))
                    limited = _limited(kind, source.limits)
                    fields.append((name, limited) if needed else (name, limited, parameter.default))
        renamed = {name: source.name for name, source in sources.items() if source.name}
        called = f"fields_of_{getattr(handler, '__name__', '')}"
        struct = msgspec.defstruct(called, fields, frozen=True, kw_only=True, rename=renamed) if fields else None
        return cls(struct, sources, frozenset(lists), given, body, body_needed)


def _source(hint: Any) -> tuple[Any, Source]:
    """What a parameter is, and where it comes from."""
    if hint is Request:
        return hint, Given(lambda request: request)
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    found = [note for note in notes if isinstance(note, Field | InBody | Given)]
    if len(found) != 1:
        raise TypeError(f"{hint} does not say where it comes from.")
    return kind, found[0]


def _limited(kind: Any, limits: Meta | None) -> Any:
    """The type with its limits, which are no limits for being left out."""
    if limits is None:
        return kind
    return Union[tuple(each if each is NoneType else Annotated[each, limits] for each in members(kind))]  # noqa: UP007  made of values


def members(kind: Any) -> tuple[Any, ...]:
    """What a value of this type may be."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One operation. `refuse` puts what it does not do into words of its own; of a body it takes `largest` bytes."""

    path: str
    methods: tuple[str, ...]
    handler: Handler
    taken: Taken
    status: int
    summary: str
    description: str = ""
    answers: Mapping[int, Answers] = field(default_factory=dict[int, Answers])
    largest: int = LARGEST_BODY
    refuse: Refuse | None = None

    @property
    def name(self) -> str:
        return getattr(self.handler, "__name__", "")


def route(
    path: str,
    *methods: str,
    summary: str,
    description: str = "",
    status: int | None = None,
    answers: Mapping[int, Answers] | None = None,
    largest: int = LARGEST_BODY,
) -> Callable[[Handler], Endpoint]:
    """Make a handler an endpoint. Unless `answers` tells, it answers with its signature's type, by `status`."""

    def made(handler: Handler) -> Endpoint:
        usual = status or USUAL.get(methods[0], HTTPStatus.OK)
        said = answers or {usual: Answers(get_type_hints(handler, include_extras=True)["return"])}
        return Endpoint(
            path=path,
            methods=methods,
            handler=handler,
            taken=Taken.by(handler),
            status=usual,
            summary=summary,
            description=description,
            answers=said,
            largest=largest,
        )

    return made


def get(path: str, **said: Any) -> Callable[[Handler], Endpoint]:
    return route(path, "GET", **said)


def post(path: str, **said: Any) -> Callable[[Handler], Endpoint]:
    return route(path, "POST", **said)


def put(path: str, **said: Any) -> Callable[[Handler], Endpoint]:
    return route(path, "PUT", **said)


def patch(path: str, **said: Any) -> Callable[[Handler], Endpoint]:
    return route(path, "PATCH", **said)


def delete(path: str, **said: Any) -> Callable[[Handler], Endpoint]:
    return route(path, "DELETE", **said)


def refusing(refuse: Refuse, *endpoints: Endpoint) -> tuple[Endpoint, ...]:
    """The endpoints, refusing in words of their own."""
    return tuple(replace(endpoint, refuse=refuse) for endpoint in endpoints)


def streaming(description: str) -> dict[str, Any]:
    """What an endpoint says of itself that answers with events for as long as somebody listens."""
    return {"description": description, "answers": {200: Answers(str, description, EVENTS)}}
