"""What every route may ask for by name: the wiring, and the device that the request comes from."""

from typing import Any

from litestar import Request
from litestar.di import NamedDependency

from holdfast.server.wiring import Wiring

HEADER = "holdfast-client"
LONGEST = 64

Wired = NamedDependency[Wiring]
Caller = NamedDependency[str]


def caller(request: Request[Any, Any, Any]) -> str:
    """A name that the device chose for itself, kept in the log with what its person did; empty if it gave none."""
    said = request.headers.get(HEADER, "")[:LONGEST]
    return said if said.isprintable() else ""
