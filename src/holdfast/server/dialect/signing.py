"""The sign-in of hermes-webui's clients: a password for a cookie. Off unless the home's owner has switched it on.

Law: the cookie holds the credential of a device like any other, which is listed, signed out, and ended by a new
password or token like any other. It counts at the dialect's own addresses alone, never for the one read that changes
something, and never beside a bearer: the native API has no cookie.
"""

import re
from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from holdfast.core.errors import Refused
from holdfast.server.account import IDLE
from holdfast.server.endpoint import FROM_STRANGERS, Answers, JSONBody, get, post
from holdfast.server.packed import packed
from holdfast.server.schema.base import Answer
from holdfast.server.visitor import Visitor
from holdfast.server.wired import Caller, Visiting, Wired
from holdfast.server.wiring import Wiring

COOKIE = "holdfast_session"
LISTS = re.compile(r"/api/sessions(/events|/search|/[^/]+/events)?")
READS = re.compile(r"/health|/api/status|/api/auth/status|/api/session(/[a-z]+)?|/api/(approval|clarify)/[a-z]+")
STREAMS = re.compile(r"/api/chat/stream(/status)?")
WRITES = re.compile(r"/api/(session|chat|approval|clarify)/[a-z]+|/api/auth/logout")


class CookiesOff(Refused):
    """Sign-in by a cookie is switched off here. Use a bearer, or switch it on in config.toml: [dialect] cookies =
    true"""

    status = 403


class Login(msgspec.Struct, frozen=True, kw_only=True):
    password: Annotated[str, msgspec.Meta(max_length=1000)]


class LoggedIn(Answer, frozen=True, kw_only=True):
    ok: Literal[True] = True


class AuthStatus(Answer, frozen=True, kw_only=True):
    """`auth_enabled`: a credential is always needed. `cookies`: one may be got by the password, in a cookie."""

    auth_enabled: Literal[True] = True
    logged_in: bool
    cookies: bool


VALUES: tuple[type, ...] = (Login, LoggedIn, AuthStatus)


def accepts_cookie(method: str, path: str) -> bool:
    """Whether a cookie may sign this request in."""
    if method in ("GET", "HEAD"):
        return any(pattern.fullmatch(path) for pattern in (LISTS, READS, STREAMS))
    return method == "POST" and WRITES.fullmatch(path) is not None


@post(
    "/api/auth/login",
    summary="Sign in by the password, for a cookie",
    answers={200: Answers(LoggedIn)},
    largest=FROM_STRANGERS,
)
async def log_in(wiring: Wired, visitor: Visiting, client: Caller, data: JSONBody[Login]) -> Response:
    if not wiring.settings.file.dialect.cookies:
        raise CookiesOff
    name = client or "cookie"
    credential, _ = await wiring.gatekeeper.sign_in_by_password(data.password, name, visitor.address)
    return _with_cookie(wiring, visitor, credential, IDLE // 1000)


@get("/api/auth/status", summary="Whether the one who asks is signed in")
async def auth_status(wiring: Wired, visitor: Visiting) -> AuthStatus:
    return AuthStatus(logged_in=visitor.device is not None, cookies=wiring.settings.file.dialect.cookies)


@post("/api/auth/logout", summary="Sign this device out", answers={200: Answers(LoggedIn)})
async def log_out(wiring: Wired, visitor: Visiting) -> Response:
    """The token of the home is no device: it stays."""
    if visitor.device:
        wiring.gatekeeper.sign_out(visitor.device)
    return _with_cookie(wiring, visitor, "", 0)


def _with_cookie(wiring: Wiring, visitor: Visitor, value: str, seconds: int) -> Response:
    response = packed(LoggedIn())
    response.set_cookie(
        COOKIE,
        value,
        max_age=seconds,
        path=wiring.settings.file.server.path or "/",
        secure=visitor.origin.startswith("https:"),
        httponly=True,
        samesite="strict",
    )
    return response


ROUTES = (log_in, auth_status, log_out)
