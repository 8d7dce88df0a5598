"""What every route may ask for: the wiring, the name of the device that asks, and who it is to the gate."""

from typing import Annotated

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from holdfast.server.endpoint import Given
from holdfast.server.visitor import SCOPE, Visitor
from holdfast.server.wiring import Wiring

HEADER = "holdfast-client"
LONGEST = 64
WIRING = "holdfast.wiring"
"""Where a request carries the wiring."""


def _wired(request: Request) -> Wiring:
    return request.scope[WIRING]


def _caller(request: Request) -> str:
    """A name that the device chose for itself, kept in the log with what its person did; empty if it gave none."""
    said = request.headers.get(HEADER, "")[:LONGEST]
    return said if said.isprintable() else ""


def _visiting(request: Request) -> Visitor:
    """Who asks, as the gate found it. Without the gate there is nobody, so a route can't be reached around it."""
    return request.scope[SCOPE]


Wired = Annotated[Wiring, Given(_wired)]
Caller = Annotated[str, Given(_caller)]
Visiting = Annotated[Visitor, Given(_visiting)]


def wired(app: ASGIApp, wiring: Wiring) -> ASGIApp:
    """`app`, whose requests carry the wiring."""

    async def wired_app(scope: Scope, receive: Receive, send: Send) -> None:
        scope[WIRING] = wiring
        await app(scope, receive, send)

    return wired_app
