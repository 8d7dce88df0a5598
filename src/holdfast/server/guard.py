"""The one gate: what every request passes, whatever the route.

It stands before all routes, so that a request which matches none passes it too.

Three questions, in this order. Is it addressed to us? A page on another site can point its own name at this machine
and then talk to us as if it were our page; such a request still says that other name in its Host header. Does it come
from our page? A browser says in its Origin header which page asks, and where it says none, how near that page is. Does
it carry a credential that counts? Everything but what `OPEN` and the page's own addresses name needs one. A read that
goes on ends when its credential does, and a command counts when the last of it has come: its credential is asked for
again with every part.
"""

import asyncio
import contextlib
import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.server import headers as h
from holdfast.server.assets import OPENS
from holdfast.server.auth import Gatekeeper, NotSignedIn
from holdfast.server.endpoint import EVENTS
from holdfast.server.proxies import Headers, Proxies, gathered
from holdfast.server.schema.records import Failure
from holdfast.server.visitor import SCOPE, Visitor
from holdfast.server.visits import Ended
from holdfast.settings import ServerSettings

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]]+))(?::\d{1,5})?")
READS = ("GET", "HEAD")

OPEN = frozenset(
    {
        ("GET", "/health"),
        ("HEAD", "/health"),
        ("GET", "/api/status"),
        ("POST", "/api/sign-in"),
        ("GET", "/api/auth/status"),
        ("POST", "/api/auth/login"),
    }
)
"""What answers without a credential, beside the page, which is a shell without data."""
PAGE = re.compile(OPENS)
PAGE_FILES = re.compile(r"/assets/[^/]+|/diagram\.html|/[\w-]+\.(svg|png|ico)|/manifest\.webmanifest|/sw\.js")
"""The page's own addresses: where it opens, and which of its files are sent to anybody who asks."""

ELSEWHERE = frozenset({b"cross-site", b"same-site"})
"""What a browser says of a request of another page, another port's included, even where it names no origin."""


class Refusal(NamedTuple):
    """Why a request is not answered."""

    status: int
    code: str
    sentence: str


NOT_SIGNED_IN = Refusal(NotSignedIn.status, NotSignedIn.__name__, str(NotSignedIn()))


class CookieRule(NamedTuple):
    """The cookie that may hold a credential, and whether it counts for a method and a path."""

    name: str
    counts: Callable[[str, str], bool]


class Guard:
    """Decides who is answered. `files` are the addresses of the page's own files. Without a rule no cookie counts."""

    def __init__(
        self,
        gatekeeper: Gatekeeper,
        bound_host: str,
        files: Iterable[str],
        server: ServerSettings,
        cookies: CookieRule | None = None,
    ) -> None:
        self.gatekeeper = gatekeeper
        self._cookies = cookies
        self.path = server.path
        self.secure = bool(server.certificate)
        self._proxies = Proxies(server.proxies)
        self._exposed = not is_loopback(bound_host)
        self._names = LOOPBACK_NAMES | {bound_host.lower(), *map(str.lower, server.names)}
        if self._exposed:
            own = socket.gethostname().lower()
            self._names |= {own, f"{own}.local"}
        self._files = frozenset(path for path in files if PAGE_FILES.fullmatch(path))

    def shows(self, method: str, path: str) -> bool:
        """Whether this is the page itself, or one of its files."""
        return method in READS and (PAGE.fullmatch(path) is not None or path in self._files)

    def opens(self, method: str, path: str) -> bool:
        """Whether an address answers without a credential."""
        return (method, path) in OPEN or self.shows(method, path)

    def judge(self, scope: Scope) -> Visitor | Refusal:
        """Who asks, or why they are not answered."""
        said = gathered(scope["headers"])
        peer = scope["client"]
        arrival = self._proxies.arrival(peer[0] if peer else "", scope["scheme"], said)
        if len(arrival.hosts) != 1 or not self._answers_to(host_name(arrival.hosts[0])):
            names = ", ".join(sorted(self._names))
            return Refusal(
                421, "WrongHost", f"This server answers only to these names: {names}. Open it by one of them."
            )
        method, path = scope["method"], scope["path"]
        if not self._own_page(arrival.hosts[0], path, said):
            return Refusal(403, "WrongOrigin", "This request comes from another page. Only Holdfast's own is answered.")
        device = self._device(method, path, said, arrival.address)
        if device is None and not self.opens(method, path):
            return NOT_SIGNED_IN
        scheme = "https" if arrival.secure else "http"
        return Visitor(arrival.address, f"{scheme}://{arrival.hosts[0].decode('latin-1')}", device)

    def _device(self, method: str, path: str, said: Headers, address: str) -> str | None:
        """Whose credential it carries: one bearer, or where there is none and the rule allows it, one cookie."""
        credentials = said.get(b"authorization", [])
        if credentials:
            return self.gatekeeper.admits(credentials[0], address) if len(credentials) == 1 else None
        if self._cookies is None or not self._cookies.counts(method, path):
            return None
        found = cookies_in(said, self._cookies.name)
        device = self.gatekeeper.admits(b"Bearer " + found[0], address) if len(found) == 1 else None
        return device or None  # the token of the home itself is for no cookie

    def _answers_to(self, name: str | None) -> bool:
        """A name that is an address can't be pointed elsewhere, so on an open network each of ours will do."""
        return name is not None and (name in self._names or (self._exposed and is_address(name)))

    def _own_page(self, host: bytes, path: str, said: Headers) -> bool:
        if any(not same_origin(origin, host) for origin in said.get(b"origin", ())):
            return False
        return not (path.startswith("/api/") and ELSEWHERE.intersection(said.get(b"sec-fetch-site", ())))


def guarded(app: ASGIApp, guard: Guard) -> ASGIApp:
    """`app`, answering only what `guard` lets through, with the security headers on every answer."""

    async def guard_app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            with contextlib.suppress(asyncio.CancelledError):  # the server ends, and nobody is left to be answered
                await _answer(app, guard, _unmounted(scope, guard.path), receive, send)
        elif scope["type"] != "websocket":  # the server's own start and end; there is no other way in
            await app(scope, receive, send)

    return guard_app


async def _answer(app: ASGIApp, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
    added = added_headers(guard, scope["method"], scope["path"])
    started = endless = False

    async def send_guarded(message: Message) -> None:
        nonlocal started, endless
        if message["type"] == "http.response.start":
            started = True
            headers = list(message.get("headers", []))
            said = {name.lower(): value for name, value in headers}
            endless = said.get(b"content-type", b"").startswith(EVENTS.encode())
            message["headers"] = headers + [(name, value) for name, value in added if name not in said]
        await send(message)

    visitor = guard.judge(scope)
    if isinstance(visitor, Refusal):
        await turn_away(send_guarded, visitor)
        return
    scope[SCOPE] = visitor
    if visitor.device is None:
        await app(scope, receive, send_guarded)
        return
    if scope["method"] not in READS:
        await app(scope, _still_admitted(guard, scope, receive), send_guarded)
        return
    try:
        async with guard.gatekeeper.visits.visit(visitor.device):
            await app(scope, receive, send_guarded)
    except Ended:
        if not started:
            await turn_away(send_guarded, NOT_SIGNED_IN)
        elif endless:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        # Anything else is left unfinished: the beginning of a file must not pass for the whole.


def _still_admitted(guard: Guard, scope: Scope, receive: Receive) -> Receive:
    """`receive`, for as long as whoever sends is signed in: a request may be finished long after it was begun."""

    async def receive_admitted() -> Any:
        message = await receive()
        if message["type"] == "http.request" and isinstance(guard.judge(scope), Refusal):
            raise NotSignedIn
        return message

    return receive_admitted


def _unmounted(scope: Scope, mount: str) -> Scope:
    """The request as if nothing were mounted: a proxy may have taken the path off, or left it on."""
    path = scope["path"]
    if not mount or not (path == mount or path.startswith(f"{mount}/")):
        return scope
    shortened = dict(scope)
    shortened["path"] = path.removeprefix(mount) or "/"
    shortened["raw_path"] = shortened["path"].encode("utf-8", "surrogatepass")
    return shortened


def added_headers(guard: Guard, method: str, path: str) -> list[tuple[bytes, bytes]]:
    """What an answer carries that does not say it itself. Only the page and its files may be kept by anybody."""
    kept = [] if guard.shows(method, path) else h.PRIVATE
    return [*kept, *h.SECURITY, *(h.ONLY_SECURE if guard.secure else [])]


def cookies_in(said: Headers, name: str) -> list[bytes]:
    """The values of the cookies of this name."""
    pairs = (pair.strip().partition(b"=") for header in said.get(b"cookie", ()) for pair in header.split(b";"))
    return [value for key, _, value in pairs if key == name.encode()]


def host_name(header: bytes) -> str | None:
    """The name in a Host header, without its port; none if it is malformed."""
    found = HOST.fullmatch(header.decode("latin-1").lower())
    return found and (found["v6"] or found["name"].removesuffix("."))


def same_origin(origin: bytes, host: bytes) -> bool:
    """Whether a page at `origin` was sent by whoever is addressed as `host`. A proxy may have added the s of https."""
    try:
        parts = urlsplit(origin.decode("latin-1").lower())
    except ValueError:  # a bracket without its other half
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host.decode("latin-1").lower()


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """True when only this machine can reach what listens on `host`."""
    return ipaddress.ip_address(host).is_loopback if is_address(host) else host.lower() == "localhost"


async def turn_away(send: Send, refusal: Refusal) -> None:
    content = msgspec.json.encode(Failure(error=refusal.sentence, code=refusal.code))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    headers += h.CHALLENGE if refusal.status == 401 else []
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": content, "more_body": False})
