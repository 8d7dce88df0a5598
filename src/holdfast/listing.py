"""Which models an endpoint serves: one request, bounded in time and size, that never raises.

The standard library does it, in a thread: the server shall not load a model client for this.
"""

import asyncio
import http.client
import ipaddress
import re
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, cast

import msgspec

from holdfast.endpoints import Endpoint

LARGEST = 8 * 1024 * 1024
WINDOWS = ("context_length", "max_model_len", "context_window", "max_context_length")
"""What servers call the number of tokens that a model can look at."""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """`windows` has the models that say how much they can look at. `problem` is a sentence, empty if there is none."""

    models: tuple[str, ...] = ()
    windows: dict[str, int] = {}
    problem: str = ""


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to whoever it names."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


async def list_models(endpoint: Endpoint, timeout: float = 10.0) -> Listing:  # noqa: ASYNC109 (it bounds a thread)
    """Ask the endpoint. A server that answers and lists nothing is a problem too."""
    return await asyncio.to_thread(list_now, endpoint, timeout)


def list_now(endpoint: Endpoint, seconds: float) -> Listing:
    """The same, for whoever is in a thread."""
    address = f"{endpoint.base_url.rstrip('/')}/models"
    if not re.match(r"https?://[^/\s]", address):
        return Listing(problem=f"{endpoint.base_url} is no http or https address.")
    headers = {"Accept": "application/json", "User-Agent": "holdfast"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    try:
        request = urllib.request.Request(address, headers=headers)  # noqa: S310 (looked at above)
        with _opener(address).open(request, timeout=seconds) as response:
            return _read(response.read(LARGEST), endpoint.base_url)
    except urllib.error.HTTPError as exc:
        return Listing(problem=_refusal(exc.code, endpoint))
    except TimeoutError:
        return Listing(problem=f"{endpoint.base_url} did not answer within {seconds:.0f} seconds.")
    except urllib.error.URLError as exc:
        return Listing(problem=f"{endpoint.base_url} can't be reached: {_plain(exc.reason)}.")
    except (OSError, ValueError, http.client.HTTPException) as exc:
        return Listing(problem=f"{endpoint.base_url} can't be reached: {_plain(exc)}.")


def _opener(address: str) -> urllib.request.OpenerDirector:
    """What speaks http and nothing else: the library's own would read files too."""
    opener = urllib.request.OpenerDirector()
    for each in (
        urllib.request.ProxyHandler({} if _nearby(address) else None),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.UnknownHandler(),
        _Stay(),
    ):
        opener.add_handler(each)
    return opener


def _nearby(address: str) -> bool:
    host = urllib.parse.urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _refusal(status: int, endpoint: Endpoint) -> str:
    match status:
        case 401 | 403:
            missing = "Check its key." if endpoint.key else "It wants a key."
            return f"{endpoint.base_url} refused the request ({status}). {missing}"
        case 404:
            return f"{endpoint.base_url} has no list of models (404). Most addresses end in /v1."
        case _ if 300 <= status < 400:
            return f"{endpoint.base_url} sends elsewhere ({status}). Use the address that it sends to."
        case _:
            return f"{endpoint.base_url} answered with an error ({status})."


def _read(body: bytes, base_url: str) -> Listing:
    try:
        said = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Listing(problem=f"{base_url} did not answer with a list of models. Most addresses end in /v1.")
    entries: Any = cast("dict[str, Any]", said).get("data") if isinstance(said, dict) else None
    found = [cast("dict[str, Any]", each) for each in entries if isinstance(each, dict)] if entries else []
    named = {each["id"]: each for each in found if isinstance(each.get("id"), str)}
    if not named:
        return Listing(problem=f"{base_url} serves no models.")
    windows = {name: size for name, each in named.items() if (size := _window(each))}
    return Listing(models=tuple(named), windows=windows)


def _window(entry: dict[str, Any]) -> int:
    """How many tokens the model can look at, if the server says so; 0 if not."""
    meta = entry.get("meta")
    inner = cast("dict[str, Any]", meta) if isinstance(meta, dict) else {}
    sizes = [entry.get(name) for name in WINDOWS] + [inner.get("n_ctx"), inner.get("n_ctx_train")]
    return next((size for size in sizes if isinstance(size, int) and size > 0), 0)


def _plain(reason: object) -> str:
    strerror = getattr(reason, "strerror", None)
    return str(strerror or reason).rstrip(".")
