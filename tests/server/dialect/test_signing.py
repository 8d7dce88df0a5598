"""Which requests a cookie may sign in: asked of the rule itself, for every route of the app."""

import re

from holdfast.server.app import API, DIALECT, all_endpoints
from holdfast.server.dialect.signing import accepts_cookie

NEVER = {("GET", "/api/chat/cancel"), ("POST", "/api/auth/login")}
"""The one read that changes something, and what makes the cookie."""
SHARED = {("GET", "/api/status")}
"""A native address that says more to whoever is signed in."""


def routes() -> set[tuple[str, str]]:
    return {(method, endpoint.path) for endpoint in all_endpoints(None) for method in endpoint.methods}


def native() -> set[tuple[str, str]]:
    return {(method, endpoint.path) for endpoint in API for method in endpoint.methods}


def address(path: str) -> str:
    return re.sub(r"{[^}]+}", "x1", path)


def test_a_cookie_counts_for_every_route_of_the_dialect_and_for_no_other() -> None:
    assert len(DIALECT) > 10
    for method, path in routes():
        expected = (method, path) in SHARED or ((method, path) not in native() and (method, path) not in NEVER)
        assert accepts_cookie(method, address(path)) is expected, (method, path)


def test_what_a_cookie_counts_for_has_no_other_spelling() -> None:
    for path in (
        "/api/session/../account",
        "/api/sessions/x1",
        "/api/sessions/x1/turns",
        "/api/session/a/b",
        "/api/chat",
    ):
        for method in ("GET", "POST", "DELETE", "PATCH", "PUT"):
            assert not accepts_cookie(method, path), (method, path)
