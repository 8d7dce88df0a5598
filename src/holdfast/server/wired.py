"""What every route may ask for by name: the wiring, the name of the device that asks, and who it is to the gate."""

from typing import Any, cast

from litestar import Request
from litestar.di import NamedDependency

from holdfast.server.visitor import SCOPE, Visitor
from holdfast.server.wiring import Wiring

HEADER = "holdfast-client"
LONGEST = 64

Wired = NamedDependency[Wiring]
Caller = NamedDependency[str]
Visiting = NamedDependency[Visitor]


def caller(request: Request[Any, Any, Any]) -> str:
    """A name that the device chose for itself, kept in the log with what its person did; empty if it gave none."""
    said = request.headers.get(HEADER, "")[:LONGEST]
    return said if said.isprintable() else ""


def visiting(request: Request[Any, Any, Any]) -> Visitor:
    """Who asks, as the gate found it. Without the gate there is nobody, so a route can't be reached around it."""
    return cast("dict[str, Visitor]", request.scope)[SCOPE]  # the gate's own entry
