"""The ASGI app: the page, the API, and the guard in front of both."""

from collections.abc import Iterable

from starlette.responses import Response
from starlette.types import ASGIApp

from holdfast.server.assets import PLACES, Asset, Page
from holdfast.server.dialect import approvals, changes, chat, listing, questions, signing, streams, vitals, watching
from holdfast.server.dialect import sessions as dialect_sessions
from holdfast.server.endpoint import READ, Endpoint, route
from holdfast.server.guard import CookieRule, Guard, guarded
from holdfast.server.routes import (
    about,
    account,
    agents,
    asks,
    audit,
    endpoints,
    files,
    forks,
    health,
    insights,
    memory,
    push,
    replay,
    rules,
    sessions,
    storage,
    stream,
    transfer,
    turns,
)
from holdfast.server.routing import routed
from holdfast.server.wired import wired
from holdfast.server.wiring import Wiring

API = (
    *health.ROUTES,
    *account.ROUTES,
    *push.ROUTES,
    *sessions.ROUTES,
    *turns.ROUTES,
    *asks.ROUTES,
    *memory.ROUTES,
    *files.ROUTES,
    *forks.ROUTES,
    *replay.ROUTES,
    *stream.ROUTES,
    *rules.ROUTES,
    *audit.ROUTES,
    *agents.ROUTES,
    *endpoints.ROUTES,
    *transfer.ROUTES,
    *insights.ROUTES,
    *storage.ROUTES,
    *about.ROUTES,
)
DIALECT = (
    *approvals.ROUTES,
    *questions.ROUTES,
    *chat.ROUTES,
    *streams.ROUTES,
    *dialect_sessions.ROUTES,
    *changes.ROUTES,
    *listing.ROUTES,
    *watching.ROUTES,
    *vitals.ROUTES,
    *signing.ROUTES,
)


def create_app(wiring: Wiring, *, page: Page, bound_host: str) -> ASGIApp:
    """The whole app, as it is served on `bound_host`."""
    cookies = CookieRule(signing.COOKIE, signing.accepts_cookie) if wiring.settings.file.dialect.cookies else None
    guard = Guard(wiring.gatekeeper, bound_host, page.files, wiring.settings.file.server, cookies)
    return guarded(wired(routed(all_endpoints(page)), wiring), guard)


def all_endpoints(page: Page | None) -> Iterable[Endpoint]:
    """Every route there is; without a page, those of the API alone."""
    yield from API
    yield from DIALECT
    if page is not None:
        yield from (asset_route(path, page.shell) for path in PLACES)
        yield from (asset_route(path, asset) for path, asset in page.files.items())


def asset_route(path: str, asset: Asset) -> Endpoint:
    """A route that sends one file of the page."""

    @route(path, *READ, summary="The page")
    async def send_asset() -> Response:
        return Response(asset.content, media_type=asset.media_type, headers=asset.headers)

    return send_asset
