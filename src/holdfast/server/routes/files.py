"""Files that go with messages: stored before the message that speaks of them, read by whoever has the credential."""

import asyncio
from typing import Annotated

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from holdfast.core.errors import BadCommand
from holdfast.core.events import Attachment
from holdfast.server.endpoint import Answers, FromPath, QueryField, get, post
from holdfast.server.wired import Wired
from holdfast.store.blobs import Blobs

UNKNOWN = "application/octet-stream"
LARGEST_FILE = 25_000_000


@post(
    "/api/files",
    summary="Store a file, to be sent with a message",
    description="The body is the file, its type the Content-Type. The answer goes into `attachments` of a message.",
    status=201,
    largest=LARGEST_FILE,
)
async def store_file(
    wiring: Wired,
    request: Request,
    name: Annotated[str, QueryField("What the file is called", limits=Meta(min_length=1, max_length=255))],
) -> Attachment:
    content = await request.body()
    if not content:
        raise BadCommand("The file is empty. Choose another one.")
    blob = await asyncio.to_thread(Blobs(wiring.settings.blobs).put, [content])
    media_type = request.headers.get("content-type", UNKNOWN).partition(";")[0].strip().lower()
    return Attachment(name=name, blob=blob.name, media_type=media_type or UNKNOWN, size=blob.size)


@get(
    "/api/files/{blob}",
    summary="A file that was stored",
    description="Always as bytes of no type: what it is, the message says that speaks of it.",
    answers={200: Answers(bytes, media_type=UNKNOWN)},
)
async def read_file(wiring: Wired, blob: FromPath[str]) -> Response:
    path = Blobs(wiring.settings.blobs).path(blob)
    content = await asyncio.to_thread(path.read_bytes)
    return Response(content, media_type=UNKNOWN, headers={"content-disposition": "attachment"})


ROUTES = (store_file, read_file)
