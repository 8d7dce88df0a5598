"""The sign-in of hermes-webui's clients: a password for a cookie. Off unless the home's owner has switched it on.

Law: the cookie holds the credential of a device like any other, which is listed, signed out, and ended by a new
password or token like any other. It counts at the dialect's own addresses alone, never for the one read that changes
something, and never beside a bearer: the native API has no cookie.
"""

import re
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, get, post
from litestar.datastructures import Cookie
from litestar.params import JSONBody

from holdfast.core.errors import Refused
from holdfast.server.account import IDLE
from holdfast.server.schema.base import Answer
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


@post("/api/auth/login", summary="Sign in by the password, for a cookie", status_code=200)
async def log_in(wiring: Wired, visitor: Visiting, client: Caller, data: JSONBody[Login]) -> Response[LoggedIn]:
    if not wiring.settings.file.dialect.cookies:
        raise CookiesOff
    name = client or "cookie"
    credential, _ = await wiring.gatekeeper.sign_in_by_password(data.password, name, visitor.address)
    cookie = _cookie(wiring, credential, IDLE // 1000, secure=visitor.origin.startswith("https:"))
    return Response(LoggedIn(), cookies=[cookie])


@get("/api/auth/status", summary="Whether the one who asks is signed in", sync_to_thread=False)
def auth_status(wiring: Wired, visitor: Visiting) -> AuthStatus:
    return AuthStatus(logged_in=visitor.device is not None, cookies=wiring.settings.file.dialect.cookies)


@post("/api/auth/logout", summary="Sign this device out", status_code=200)
async def log_out(wiring: Wired, visitor: Visiting) -> Response[LoggedIn]:
    """The token of the home is no device: it stays."""
    if visitor.device:
        wiring.gatekeeper.sign_out(visitor.device)
    return Response(LoggedIn(), cookies=[_cookie(wiring, "", 0, secure=visitor.origin.startswith("https:"))])


def _cookie(wiring: Wiring, value: str, seconds: int, *, secure: bool) -> Cookie:
    settings: dict[str, Any] = {"httponly": True, "samesite": "strict", "secure": secure, "max_age": seconds}
    return Cookie(key=COOKIE, value=value, path=wiring.settings.file.server.path or "/", **settings)


ROUTES = (log_in, auth_status, log_out)
