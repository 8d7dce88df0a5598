"""The page as it was built, read once and held in memory.

An upgrade may replace the files under a running server; the page that it sends stays whole.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import msgspec

from holdfast.core.errors import HoldfastError

FOLDER = Path(__file__).resolve().parent.parent / "static"
HASHED = "assets"
DIAGRAMS = "diagram.html"
DIAGRAM_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        # What is drawn carries its styles with it. Nothing else may be loaded, sent or led to from there.
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    ]
)
VERSION_TAG = '<meta name="holdfast-version" content="{}" />'

# Written out, because what the machine's own table says of .js differs from machine to machine.
MEDIA_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
BESIDE = ("*.svg", "*.png", "*.webmanifest", DIAGRAMS, f"{HASHED}/*")
WORKER = "sw.js"
KEPT = 1_000_000
"""Bytes of a file that a browser keeps for when the server is away. What draws diagrams is larger: it can wait."""

PLACES = (
    "/",
    "/settings",
    "/insights",
    "/session/{session_id}",
    "/session/{session_id}/replay/{turn_id}",
)
"""The addresses at which the page itself opens; which view it shows there is the page's own matter."""
OPENS = "|".join(re.sub(r"\{[^}]*\}", "[^/]+", place) for place in PLACES)
"""The same for the guard, and for the worker of the page, which opens it there while the server is away."""

FOR_EVER = "public, max-age=31536000, immutable"
ASK_FIRST = "no-cache"


class PageMissing(HoldfastError):
    """The page has not been built: {0} has no index.html. Run `make web`, or install Holdfast with pip."""


@dataclass(frozen=True, kw_only=True)
class Asset:
    """One file of the page, ready to be sent."""

    content: bytes
    media_type: str
    cache: str
    policy: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """What is said of this file that is not said of all."""
        named = {"cache-control": self.cache, "content-security-policy": self.policy}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, kw_only=True)
class Page:
    """The shell, which every address of the page gets, and the files that it names, by their path."""

    shell: Asset
    files: Mapping[str, Asset]


def read_page(folder: Path, version: str, mount: str = "") -> Page:
    """Read the built page and write into its shell the server's version and the path under which it is mounted."""
    index = folder / "index.html"
    if not index.is_file():
        raise PageMissing(folder)
    paths = sorted(path for pattern in BESIDE for path in folder.glob(pattern))
    files = {f"/{path.relative_to(folder).as_posix()}": read_asset(path) for path in paths}
    shell = shell_with(version, mount, read_asset(index))
    worker = worker_with(shell, files, mount, read_asset(folder / WORKER))
    return Page(shell=shell, files=files | {f"/{WORKER}": worker})


def read_asset(path: Path) -> Asset:
    media_type = MEDIA_TYPES.get(path.suffix, "application/octet-stream")
    # Vite puts a digest of the content into the names under assets/, so what such a name means never changes.
    cache = FOR_EVER if path.parent.name == HASHED else ASK_FIRST
    policy = DIAGRAM_POLICY if path.name == DIAGRAMS else ""
    return Asset(content=path.read_bytes(), media_type=media_type, cache=cache, policy=policy)


def shell_with(version: str, mount: str, shell: Asset) -> Asset:
    """What the shell names lies beside it; as it is sent for more than one address, it names the whole path."""
    content = shell.content.replace(b'="./', f'="{html.escape(mount)}/'.encode())
    content = content.replace(VERSION_TAG.format("").encode(), VERSION_TAG.format(html.escape(version)).encode())
    return Asset(content=content, media_type=shell.media_type, cache=shell.cache)


def worker_with(shell: Asset, files: Mapping[str, Asset], mount: str, worker: Asset) -> Asset:
    """The service worker, told first what the page is made of: with every other page it is another worker."""
    content = sha256(shell.content)
    for name, asset in files.items():
        content.update(f"{name} {sha256(asset.content).hexdigest()}".encode())
    kept = [f"{mount}{name}" for name, asset in files.items() if len(asset.content) <= KEPT]
    page = msgspec.json.encode({"digest": content.hexdigest(), "files": kept, "opens": OPENS})
    return replace(worker, content=b"self.page=" + page + b";\n" + worker.content)
