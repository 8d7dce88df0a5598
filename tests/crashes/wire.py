"""Just enough HTTP for a browser that lives through crashes: one request, or a stream of server-sent events."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any, NamedTuple

import msgspec

LIMIT = 64 * 1024 * 1024


class Address(NamedTuple):
    """Where a server listens, and what it asks for."""

    host: str
    port: int
    token: str


class Answer(NamedTuple):
    """What a request got."""

    status: int
    body: Any


async def ask(address: Address, method: str, path: str, body: object = None) -> Answer:
    """One request. Raise OSError or EOFError if the server goes away."""
    content = b"" if body is None else msgspec.json.encode(body)
    async with _connected(address) as (reader, writer):
        writer.write(_head(address, method, path, len(content), close=True) + content)
        status, _ = await _answered(reader)
        text = b"".join([chunk async for chunk in _chunks(reader)]) if _ else await reader.read()
    try:
        return Answer(status, msgspec.json.decode(text))
    except msgspec.DecodeError as exc:
        raise EOFError from exc


class Event(NamedTuple):
    """One server-sent event. `size` is what it took on the wire."""

    name: str
    id: str
    data: bytes
    size: int


async def events(address: Address, path: str) -> AsyncGenerator[Event]:
    """Every whole event, until the server goes away."""
    async with _connected(address) as (reader, writer):
        writer.write(_head(address, "GET", path, 0))
        status, _ = await _answered(reader)
        if status != 200:
            raise EOFError
        rest = b""
        async for chunk in _chunks(reader):
            *whole, rest = (rest + chunk).split(b"\n\n")
            for text in whole:
                lines = [line.partition(b": ") for line in text.split(b"\n") if not line.startswith(b":")]
                fields = {name: value for name, _, value in lines}
                if fields:
                    name, cursor = fields[b"event"].decode(), fields.get(b"id", b"").decode()
                    yield Event(name, cursor, fields[b"data"], len(text) + 2)


@contextlib.asynccontextmanager
async def _connected(address: Address) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(address.host, address.port, limit=LIMIT)
    try:
        yield reader, writer
    finally:
        writer.close()


def _head(address: Address, method: str, path: str, length: int, *, close: bool = False) -> bytes:
    lines = [
        f"{method} {path} HTTP/1.1",
        f"host: {address.host}:{address.port}",
        f"authorization: Bearer {address.token}",
        *([f"content-length: {length}", "content-type: application/json"] if length else []),
        *(["connection: close"] if close else []),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


async def _answered(reader: asyncio.StreamReader) -> tuple[int, bool]:
    """The status, and whether the body comes in chunks."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    return int(head.split(b" ", 2)[1]), b"transfer-encoding: chunked" in head


async def _chunks(reader: asyncio.StreamReader) -> AsyncGenerator[bytes]:
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield (await reader.readexactly(size + 2))[:-2]
