"""The ASGI app: the page, the API, and the guard in front of both."""

from collections.abc import Callable, Iterable

from litestar import Litestar, Response, route
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.types import ASGIApp

from holdfast.core.errors import HoldfastError
from holdfast.server.assets import PLACES, Asset, Page
from holdfast.server.dialect import approvals, changes, chat, listing, questions, signing, streams, vitals, watching
from holdfast.server.dialect import sessions as dialect_sessions
from holdfast.server.errors import LARGEST_BODY, answer_broken, answer_deep, answer_ours, answer_refused
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
from holdfast.server.routes.health import READ
from holdfast.server.wired import caller, visiting
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
    approvals.ROUTES,
    questions.ROUTES,
    chat.ROUTES,
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
    return guarded(create_routes(lambda: wiring, page_routes(page)), guard)


def create_routes(
    wiring: Callable[[], Wiring], page: Iterable[HTTPRouteHandler], description: OpenAPIConfig | None = None
) -> Litestar:
    """Every route, without the guard."""
    return Litestar(
        route_handlers=[*API, *DIALECT, *page],
        dependencies={
            "wiring": Provide(wiring, sync_to_thread=False),
            "client": Provide(caller, sync_to_thread=False),
            "visitor": Provide(visiting, sync_to_thread=False),
        },
        exception_handlers={
            HTTPException: answer_refused,
            HoldfastError: answer_ours,
            RecursionError: answer_deep,
            Exception: answer_broken,
        },
        openapi_config=description,
        logging_config=None,
        request_max_body_size=LARGEST_BODY,
    )


def page_routes(page: Page) -> Iterable[HTTPRouteHandler]:
    yield asset_route(list(PLACES), page.shell)
    for path, asset in page.files.items():
        yield asset_route([path], asset)


def asset_route(paths: list[str], asset: Asset) -> HTTPRouteHandler:
    """A route that sends one file of the page."""

    @route(paths, http_method=READ, sync_to_thread=False, include_in_schema=False)
    def send_asset() -> Response[bytes]:
        return Response(asset.content, media_type=asset.media_type, headers=asset.headers)

    return send_asset
