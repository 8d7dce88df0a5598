"""The ASGI app: the page, and `GET /health`, which says that somebody answers."""

from collections.abc import Iterable

from litestar import HttpMethod, Litestar, Response, route
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from holdfast.server.assets import Asset, Page
from holdfast.server.errors import answer_broken, answer_refused
from holdfast.server.guard import guarded

READ = [HttpMethod.GET, HttpMethod.HEAD]
# The addresses at which the page itself opens; which view it shows there is the page's own matter.
PAGE_PATHS = ["/", "/session/{session_id:str}"]


def create_app(*, page: Page, bound_host: str) -> ASGIApp:
    """The whole app, as it is served on `bound_host`."""
    app = Litestar(
        route_handlers=[health, *page_routes(page)],
        exception_handlers={HTTPException: answer_refused, Exception: answer_broken},
        openapi_config=None,
        logging_config=None,
    )
    return guarded(app, bound_host)


@route("/health", http_method=READ, sync_to_thread=False)
def health() -> Response[dict[str, str]]:
    return Response({"status": "ok"}, headers={"cache-control": "no-store"})


def page_routes(page: Page) -> Iterable[HTTPRouteHandler]:
    yield asset_route(PAGE_PATHS, page.shell)
    for path, asset in page.files.items():
        yield asset_route([path], asset)


def asset_route(paths: list[str], asset: Asset) -> HTTPRouteHandler:
    """A route that sends one file of the page."""

    @route(paths, http_method=READ, sync_to_thread=False)
    def send_asset() -> Response[bytes]:
        return Response(asset.content, media_type=asset.media_type, headers={"cache-control": asset.cache})

    return send_asset
