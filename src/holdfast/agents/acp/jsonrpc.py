"""One end of a JSON-RPC 2.0 connection, one message a line, without any I/O.

Bytes go in by `feed` and come out as messages, in reading order; what is to be sent comes back as bytes. Whoever
owns the pipe does the reading and writing, so two peers can be joined in memory.

Law: nothing that the other side says raises. A line that is no message becomes `Malformed`, and the next line is
read as if nothing had happened. Only a line beyond the limit ends the connection: `Overlong` is the last message.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from holdfast.agents.lines import LIMIT, Lines, LineTooLong

PARSE_ERROR = -32700
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
AUTH_REQUIRED = -32000

Id = int | str
NOTHING = Raw(b"null")
EXCERPT = 200


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The other side asks and waits. Whoever does not know the method answers `unknown`."""

    id: Id
    method: str
    params: Raw


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    params: Raw


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request of ours that was open."""

    id: Id
    method: str
    result: Raw


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A request of ours that was open was answered with an error."""

    id: Id
    method: str
    code: int
    message: str
    data: Raw = NOTHING


class Malformed(msgspec.Struct, frozen=True, kw_only=True):
    """A line that is no message, or that answers nothing we asked."""

    reason: str
    line: str


class Overlong(msgspec.Struct, frozen=True, kw_only=True):
    """A line without an end. Nothing after it can be read."""

    limit: int


Message = Request | Notification | Response | Failure | Malformed | Overlong


class _Error(msgspec.Struct):
    code: int | float | str = 0
    message: str = ""
    data: Raw = NOTHING


class _Envelope(msgspec.Struct):
    id: int | str | float | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: Raw = NOTHING
    result: Raw | UnsetType = UNSET
    error: _Error | UnsetType | None = UNSET


class _Sent(msgspec.Struct, omit_defaults=True):
    jsonrpc: Literal["2.0"]
    id: Id | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: Any = UNSET
    result: Any = UNSET
    error: Any = UNSET


_encoder = msgspec.json.Encoder()
_decode = msgspec.json.Decoder(_Envelope).decode
# In this order: a surrogate pair, which is one character; half of one, which is none; any other escape.
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)


class Peer:
    """Remembers which of our requests are open, and nothing else."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._lines = Lines(limit)
        self._limit = limit
        self._open: dict[Id, str] = {}
        self._last = 0
        self._deaf = False
        self.malformed = 0

    def feed(self, data: bytes) -> list[Message]:
        if self._deaf:
            return []
        try:
            lines = self._lines.feed(data)
        except LineTooLong:
            self._deaf = True
            return [Overlong(limit=self._limit)]
        return [self._read(line) for line in lines if line and not line.isspace()]

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[Id, bytes]:
        """Return the request's id, by which its response will be known, and what to send."""
        self._last += 1
        self._open[self._last] = method
        return self._last, _line(_Sent(jsonrpc="2.0", id=self._last, method=method, params=params))

    def notify(self, method: str, params: Mapping[str, Any]) -> bytes:
        return _line(_Sent(jsonrpc="2.0", method=method, params=params))

    def respond(self, request: Id, result: Any) -> bytes:
        return _line(_Sent(jsonrpc="2.0", id=request, result=result))

    def refuse(self, request: Id | None, code: int, message: str) -> bytes:
        return _line(_Sent(jsonrpc="2.0", id=request, error={"code": code, "message": message}))

    def unknown(self, request: Request) -> bytes:
        """Answer a request whose method nobody here knows."""
        return self.refuse(request.id, METHOD_NOT_FOUND, f"Method not found: {request.method[:EXCERPT]}")

    def forget(self, request: Id) -> None:
        """Nobody waits for this response any more."""
        self._open.pop(request, None)

    def _read(self, line: bytes) -> Message:
        try:
            envelope = _parse(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
            return self._strange(str(exc), line)
        match envelope:
            case _Envelope(method=str(method), id=int() | str() as number):
                return Request(id=number, method=method, params=envelope.params)
            case _Envelope(method=str(method), id=UnsetType()):
                return Notification(method=method, params=envelope.params)
            case _Envelope(method=UnsetType(), id=int() | str() as number) if number in self._open:
                return self._answered(number, envelope, line)
            case _:
                return self._strange("it is neither a request nor the answer to an open one", line)

    def _answered(self, number: Id, envelope: _Envelope, line: bytes) -> Message:
        error = envelope.error
        if isinstance(error, _Error):
            method = self._open.pop(number)
            code = error.code if isinstance(error.code, int) else 0
            return Failure(id=number, method=method, code=code, message=error.message, data=error.data)
        if envelope.result is UNSET:
            return self._strange("it has neither a result nor an error", line)
        return Response(id=number, method=self._open.pop(number), result=envelope.result)

    def _strange(self, reason: str, line: bytes) -> Malformed:
        self.malformed += 1
        return Malformed(reason=reason, line=line[:EXCERPT].decode("utf-8", "replace"))


def _line(message: _Sent) -> bytes:
    return _encoder.encode(message) + b"\n"


def _parse(line: bytes) -> _Envelope:
    try:
        if not line.isascii():
            line.decode()  # what stays raw is not looked at by the decoder
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _decode(_mended(line))


def _mended(line: bytes) -> bytes:
    """The line with what no text may hold replaced: bytes that are not UTF-8, and halves of surrogate pairs."""
    text = line.decode("utf-8", "replace").encode()
    return _ESCAPE.sub(_mend, text)


def _mend(found: re.Match[bytes]) -> bytes:
    return found[0] if found[1] is None else b"\\ufffd"
