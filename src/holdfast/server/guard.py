"""What every request passes and every answer carries, whatever the route.

It stands outside the framework, because a framework's own middleware does not see the requests that match no
route. A page on another site can point its own name at this machine and then talk to us as if it were our page;
such a request still says that other name in its Host header, so only the names we know are answered.
"""

import ipaddress
import re

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]]+))(?::\d{1,5})?")

CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
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
MISDIRECTED = 421


def guarded(app: ASGIApp, bound_host: str) -> ASGIApp:
    """`app`, answering only to loopback names and `bound_host`, with the security headers on every answer."""
    names = LOOPBACK_NAMES | {bound_host.lower()}

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *SECURITY_HEADERS]
            await send(message)

        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) == 1 and host_name(hosts[0]) in names:
            await app(scope, receive, send_guarded)
        else:
            await turn_away(send_guarded, names)

    return guard


def host_name(header: bytes) -> str | None:
    """The name in a Host header, without its port; none if it is malformed."""
    found = HOST.fullmatch(header.decode("latin-1").lower())
    return found and (found["v6"] or found["name"].removesuffix("."))


def is_loopback(host: str) -> bool:
    """True when only this machine can reach what listens on `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


async def turn_away(send: Send, names: frozenset[str]) -> None:
    sentence = f"This server answers only to these names: {', '.join(sorted(names))}. Open it by one of them."
    content = msgspec.json.encode({"error": sentence})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": MISDIRECTED, "headers": headers})
    await send({"type": "http.response.body", "body": content, "more_body": False})
