"""What every request passes and every answer carries, whatever the route.

It stands outside the framework, because a framework's own middleware does not see the requests that match no route.

Three questions, in this order. Is it addressed to us? A page on another site can point its own name at this machine
and then talk to us as if it were our page; such a request still says that other name in its Host header. Does it come
from our page? A browser says in its Origin header which page asks. Does it carry the credential? Everything but the
page and the addresses in `OPEN` needs it.
"""

import ipaddress
import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.server.auth import Gatekeeper
from holdfast.server.schema import Failure

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]]+))(?::\d{1,5})?")

CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # Pictures that came with a message are fetched with the credential and shown from memory.
        "img-src 'self' blob:",
        "connect-src 'self'",
        # Diagrams are drawn in a frame that has a policy of its own.
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
SECURITY_HEADERS = [
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
PRIVATE = [(b"cache-control", b"no-store")]
CHALLENGE = [(b"www-authenticate", b"Bearer")]

OPEN = frozenset({"/health", "/ready", "/api/sign-in"})
"""The addresses that answer without a credential, beside the page and its files."""
SESSION_PAGE = re.compile(r"/session/[^/]+")

SIGN_IN = "This needs a credential. Open the link that this command prints: holdfast link"


class Refusal(NamedTuple):
    """Why a request is not answered."""

    status: int
    code: str
    sentence: str


class Guard:
    """Decides who is answered. `page` are the addresses of the page's own files."""

    def __init__(self, gatekeeper: Gatekeeper, bound_host: str, page: Iterable[str]) -> None:
        self._gatekeeper = gatekeeper
        self._names = LOOPBACK_NAMES | {bound_host.lower()}
        self._open = OPEN | {"/", "/settings"} | frozenset(page)

    def opens(self, path: str) -> bool:
        """Whether an address answers without a credential."""
        return path in self._open or SESSION_PAGE.fullmatch(path) is not None

    def refusal(self, path: str, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Why this request is not answered; None if it is."""
        said: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            said.setdefault(name, []).append(value)
        hosts, origins, credentials = (said.get(name, []) for name in (b"host", b"origin", b"authorization"))
        if len(hosts) != 1 or host_name(hosts[0]) not in self._names:
            names = ", ".join(sorted(self._names))
            return Refusal(
                421, "WrongHost", f"This server answers only to these names: {names}. Open it by one of them."
            )
        if any(not same_origin(origin, hosts[0]) for origin in origins):
            return Refusal(403, "WrongOrigin", "This request comes from another page. Only Holdfast's own is answered.")
        if self.opens(path) or (len(credentials) == 1 and self._gatekeeper.admits(credentials[0])):
            return None
        return Refusal(401, "NotSignedIn", SIGN_IN)


def guarded(app: ASGIApp, guard: Guard) -> ASGIApp:
    """`app`, answering only what `guard` lets through, with the security headers on every answer."""

    async def guard_app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        path = scope["path"]
        added = added_headers(guard, path)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                said = {name.lower() for name, _ in headers}
                headers += [(name, value) for name, value in added if name not in said]
                message["headers"] = headers
            await send(message)

        refusal = guard.refusal(path, scope["headers"])
        if refusal is None:
            await app(scope, receive, send_guarded)
        else:
            await turn_away(send_guarded, refusal)

    return guard_app


def added_headers(guard: Guard, path: str) -> list[tuple[bytes, bytes]]:
    """What an answer carries that does not say it itself. Only the page and its files may be kept by anybody."""
    return SECURITY_HEADERS if guard.opens(path) and path not in OPEN else [*PRIVATE, *SECURITY_HEADERS]


def host_name(header: bytes) -> str | None:
    """The name in a Host header, without its port; none if it is malformed."""
    found = HOST.fullmatch(header.decode("latin-1").lower())
    return found and (found["v6"] or found["name"].removesuffix("."))


def same_origin(origin: bytes, host: bytes) -> bool:
    """Whether a page at `origin` was sent by whoever is addressed as `host`. A proxy may have added the s of https."""
    parts = urlsplit(origin.decode("latin-1").lower())
    return parts.scheme in ("http", "https") and parts.netloc == host.decode("latin-1").lower()


def is_loopback(host: str) -> bool:
    """True when only this machine can reach what listens on `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


async def turn_away(send: Send, refusal: Refusal) -> None:
    content = msgspec.json.encode(Failure(error=refusal.sentence, code=refusal.code))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    headers += CHALLENGE if refusal.status == 401 else []
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": content, "more_body": False})
