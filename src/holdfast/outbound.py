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


NAT64 = ipaddress.ip_network("64:ff9b::/96")
UNICAST = ipaddress.ip_network("2000::/3")
"""All of IPv6 that was ever given out for the open internet."""
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


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
        raise NotSent(url, f"it leads to {_host_in(answer.getheader('location', ''))}. Name that address instead.")
    if answer.status >= 400:
        raise Declined(url, answer.status, answer.reason)


def _host_in(location: str) -> str:
    """Where a redirect leads, without what may be secret in it: this is said in logs."""
    try:
        parts = urlsplit(location)
    except ValueError:
        parts = urlsplit("")
    return f"{parts.scheme}://{parts.hostname}" if parts.hostname else "another address"


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
    parsed = unwrapped(address)
    if parsed.version == 6 and parsed not in UNICAST:
        return False  # translators' own prefixes, forms that were given up: some systems still follow them inside
    return parsed.is_global and not parsed.is_multicast


def unwrapped(address: str) -> Address:
    """The address, or the IPv4 one inside of an IPv6 one that only wraps it."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if parsed.version == 4:
        return parsed
    if parsed in NAT64:
        return ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
    return parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo and parsed.teredo[1]) or parsed


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
