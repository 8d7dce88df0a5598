"""Requests that Holdfast itself makes to an address that somebody gave.

Law: a name is resolved once, and what is connected to is what was looked at, so that a name which changes its mind in
between gains nothing. Addresses of this machine and of private networks are refused unless the caller allows them; how
an address is spelled does not matter, because what is judged is what the resolver made of it. No redirect is followed.
"""

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from holdfast.core.errors import HoldfastError

ANSWER = 10_000
"""Bytes of an answer that are read."""
STRANGE = frozenset(" \t\r\n\\@")
"""What programs that read addresses disagree about. Nobody needs it in one."""


class NotSent(HoldfastError):
    """{0}: {1}"""


class Declined(NotSent):
    """{0}: {1} {2}"""

    @property
    def code(self) -> object:
        """The number by which the other side said no."""
        return self.details[1]


class Place(NamedTuple):
    """Where a request goes: the address that was looked at, and the name that the other side is asked for."""

    family: int
    address: tuple[str, int]
    host: str


def post(url: str, body: bytes, headers: Mapping[str, str], *, seconds: float, private: bool) -> None:
    """Return when the other side has taken it. Raise `NotSent`. Waits: call it in a thread."""
    parts = _parsed(url)
    place = looked_up(url, private=private)
    connection = _connection(parts, place, seconds)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", target, body, dict(headers))
        answer = connection.getresponse()
        answer.read(ANSWER)
    except (OSError, http.client.HTTPException) as exc:
        raise NotSent(url, exc) from exc
    finally:
        connection.close()
    if 300 <= answer.status < 400:
        raise NotSent(url, f"it leads to {answer.getheader('location', 'another address')}. Name that one instead.")
    if answer.status >= 400:
        raise Declined(url, answer.status, answer.reason)


def looked_up(url: str, *, private: bool) -> Place:
    """Resolve the name in `url`, once. Raise `NotSent` if it can't be, or leads to where it may not."""
    parts = _parsed(url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise NotSent(url, f"{host} can't be found ({exc})") from exc
    allowed = [entry for entry in found if private or is_public(str(entry[4][0]))]
    if not allowed:
        raise NotSent(url, f"{host} is an address of this machine or of a private network, which is not allowed here")
    family, _, _, _, address = allowed[0]
    return Place(family, (str(address[0]), int(address[1])), host)


def is_public(address: str) -> bool:
    """Whether an address lies on the open internet; one inside another, as IPv6 can write it, is judged as itself."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo and parsed.teredo[1])
        if inner or parsed in NAT64:
            parsed = inner or ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
    return parsed.is_global and not parsed.is_multicast


NAT64 = ipaddress.ip_network("64:ff9b::/96")


def _parsed(url: str) -> SplitResult:
    if STRANGE & set(url) or not url.isprintable():
        raise NotSent(url, "this is no plain address. Write it without spaces, backslashes and user names.")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as exc:
        raise NotSent(url, exc) from exc
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NotSent(url, "only http and https addresses are used.")
    return parts


def _connection(parts: SplitResult, place: Place, seconds: float) -> http.client.HTTPConnection:
    """To the place itself; the name serves the certificate and the Host header, and is not looked up again."""
    port = place.address[1]
    if parts.scheme == "http":
        connection = http.client.HTTPConnection(place.host, port, timeout=seconds)
    else:
        connection = http.client.HTTPSConnection(place.host, port, timeout=seconds)
    try:
        raw = socket.create_connection(place.address, timeout=seconds)
        if parts.scheme == "https":
            raw = ssl.create_default_context().wrap_socket(raw, server_hostname=place.host)
    except OSError as exc:
        raise NotSent(parts.geturl(), exc) from exc
    connection.sock = raw
    return connection
