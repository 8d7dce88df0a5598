"""The live connection: everything that a browser watches, over one response that does not end."""

from typing import Annotated

from msgspec import Meta
from starlette.types import ASGIApp

from holdfast.core import ids
from holdfast.core.errors import BadCommand
from holdfast.core.ids import SessionId
from holdfast.server.endpoint import QueryField, get, streaming
from holdfast.server.hub import Wish
from holdfast.server.live import Live
from holdfast.server.wired import Wired

FOLLOWS = 16
DESCRIPTION = """Server-sent events. `ready` comes first. `record` (id `<session>:<seq>`) is a record of a followed
session; `session` a changed line of the session list; `gone` a session that was deleted; `reset` says that a cursor is
not of this history: load the snapshot anew; `store` says whether the store can be written, `places` which sessions wait
for a free place because enough runs go on already. A comment comes at least every ten seconds."""


@get(
    "/api/stream",
    summary="Watch sessions and the session list",
    **streaming(DESCRIPTION),
)
async def stream(
    wiring: Wired,
    listed: Annotated[
        int | None, QueryField("Follow the list from this change", name="list", limits=Meta(ge=0))
    ] = None,
    follow: Annotated[
        list[str] | None, QueryField("Follow a session: `<session>:<after>`", limits=Meta(max_length=FOLLOWS))
    ] = None,
    lineage: Annotated[str | None, QueryField("The history that the cursors belong to")] = None,
    visible: Annotated[bool, QueryField("A person looks at it, and need not be notified")] = False,  # noqa: FBT002  a query's field
) -> ASGIApp:
    follows = [_parsed(text) for text in follow or ()]
    if len({session for session, _ in follows}) != len(follows):
        raise BadCommand("A session is followed twice. Name each session once.")
    return Live(wiring.hub, Wish(follows=follows, listed=listed, lineage=lineage, visible=visible))


def _parsed(text: str) -> tuple[SessionId, int]:
    name, _, after = text.partition(":")
    if not after.isdecimal() or len(after) > 18:
        raise BadCommand(f"{text!r} is no cursor. Write it as <session>:<seq of the last record you have>.")
    return ids.session_id(name), int(after)


ROUTES = (stream,)
