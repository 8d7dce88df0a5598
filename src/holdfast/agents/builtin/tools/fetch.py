"""Fetching a page from the web.

Law: a name is looked up once, and the connection goes to that very address; one that is not public is asked for, and a
redirect to one is refused. Size and time are bounded.
"""

import asyncio
import http.client
import ipaddress
import re
import socket
import ssl
import time
import urllib.parse
from html.parser import HTMLParser
from typing import Annotated, NamedTuple

import msgspec

from holdfast.agents.builtin.deed import Bench, Deed, Done, Say, Tool, Unable, bounded
from holdfast.outbound import Address, is_public, unwrapped

SECONDS = 30.0
LARGEST = 5 * 1024 * 1024
REDIRECTS = 5
TELLING = 300
"""Characters of an address beyond which it may carry something out."""
PRIVATE = "private address"
LEAKING = "long web address"


class Place(NamedTuple):
    """Where an address leads, looked up once."""

    url: urllib.parse.SplitResult
    host: str
    port: int
    ip: Address

    @property
    def public(self) -> bool:
        return is_public(str(self.ip))


class Fetching(msgspec.Struct, kw_only=True):
    url: Annotated[str, msgspec.Meta(description="An http or https address.")]


async def fetch(arguments: Fetching, _: Bench) -> Deed:
    place = await asyncio.to_thread(look_up, arguments.url)
    keys, why = (), ""
    if not place.public:
        keys, why = (PRIVATE,), f"{place.host} is {place.ip}, which is not on the public internet."
    elif len(arguments.url) > TELLING:
        keys, why = (LEAKING,), "A long address can carry what was read here to somebody else."

    async def do(_: Say) -> Done:
        return Done(text=bounded(await asyncio.to_thread(_get, place, time.monotonic() + SECONDS)))

    return Deed(title=f"Fetch {arguments.url}", kind="fetch", do=do, keys=keys, why=why)


def look_up(url: str) -> Place:
    """Raise `Unable` for what is no address of the web, or leads nowhere."""
    try:
        parts = urllib.parse.urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError as exc:
        raise Unable(f"{url} is no address: {exc}.") from exc
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\x00-\x20]", url.strip()):
        raise Unable(f"{url} is no http or https address.")
    if parts.username or parts.password:
        raise Unable("An address with a name or a password in it is not fetched.")
    port = port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise Unable(f"{host} can't be found.") from exc
    ip = ipaddress.ip_address(str(found[0][4][0]).partition("%")[0])
    inner = unwrapped(str(ip))
    if inner.is_link_local or inner.is_unspecified:
        raise Unable(f"{host} is {ip}, which is never fetched.")
    return Place(parts, host, port, ip)


class _Pinned(http.client.HTTPConnection):
    """Connects to the address that was looked at, whatever the name leads to by now."""

    def __init__(self, place: Place, deadline: float) -> None:
        super().__init__(place.host, place.port)
        self._place = place
        self._deadline = deadline

    def connect(self) -> None:
        left = max(0.1, self._deadline - time.monotonic())
        self.sock = socket.create_connection((str(self._place.ip), self._place.port), timeout=min(10.0, left))
        if self._place.url.scheme == "https":
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self._place.host)


def _get(place: Place, deadline: float) -> str:
    for _ in range(REDIRECTS + 1):
        connection = _Pinned(place, deadline)
        try:
            path = urllib.parse.urlunsplit(("", "", place.url.path or "/", place.url.query, ""))
            headers = {"User-Agent": "holdfast", "Accept": "text/html, text/*, application/json", "Connection": "close"}
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            if response.status in (301, 302, 303, 307, 308) and (target := response.getheader("location")):
                place = _follow(place, target)
                continue
            return _told(response, _body(connection, response, deadline))
        except (OSError, http.client.HTTPException, ValueError) as exc:
            raise Unable(f"{place.host} can't be fetched: {exc}.") from exc
        finally:
            connection.close()
    raise Unable(f"{place.host} redirects more than {REDIRECTS} times.")


def _follow(place: Place, target: str) -> Place:
    new = look_up(urllib.parse.urljoin(place.url.geturl(), target))
    # To allow one address of this machine is to allow what listens there, not what listens beside it.
    if not new.public and (new.ip, new.port) != (place.ip, place.port):
        where = f"{new.host} ({new.ip}, port {new.port})"
        raise Unable(f"{place.host} redirects to {where}, which is not on the public internet.")
    if place.url.scheme == "https" and new.url.scheme == "http":
        raise Unable(f"{place.host} redirects to an address that is not encrypted.")
    return new


def _body(connection: http.client.HTTPConnection, response: http.client.HTTPResponse, deadline: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size < LARGEST:
        left = deadline - time.monotonic()
        if left <= 0:
            raise Unable(f"This took longer than {SECONDS:.0f} seconds.")
        if connection.sock is not None:
            connection.sock.settimeout(left)
        part = response.read1(64 * 1024)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _told(response: http.client.HTTPResponse, data: bytes) -> str:
    kind = (response.getheader("content-type") or "text/plain").lower()
    if b"\0" in data[:8192] or not re.search(r"text|json|xml|javascript|yaml|toml|csv", kind):
        return f"[status {response.status}, {len(data):,} bytes of {kind}, which is no text]"
    charset = response.headers.get_content_charset() or "utf-8"
    try:
        text = data.decode(charset, "replace")
    except LookupError:
        text = data.decode("utf-8", "replace")
    if "html" in kind:
        text = readable(text)
    return text if response.status < 400 else f"[status {response.status}]\n{text}"


class _Words(HTMLParser):
    SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head"})
    BREAKING = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "pre", "table"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 (its signature)
        self._silent += tag in self.SILENT
        if tag in self.BREAKING:
            self.words.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.SILENT and self._silent:
            self._silent -= 1
        if tag in self.BREAKING:
            self.words.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.words.append(data)


def readable(html: str) -> str:
    """The words of a page."""
    parser = _Words()
    parser.feed(html)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.words).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


FETCH = Tool(
    name="fetch",
    about="Fetch a page from the web as text. It can't sign in anywhere or send anything.",
    arguments=Fetching,
    prepare=fetch,
)
