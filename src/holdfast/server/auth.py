"""The credential of a home, and the one-time links that hand it over.

Law: the token is made once and lies in a file that only its owner can read. A link's code is known by its digest alone;
using it removes the file, and the file system lets only one remove it, so a code works once, across restarts too.
"""

import contextlib
import hmac
import os
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from holdfast.core.errors import Refused

TOKEN = "token"  # noqa: S105  a file's name
LINKS = "links"
LINK_SECONDS = 600
SCHEME = "bearer "


class LinkUsed(Refused):
    """This link has been used or is too old. Make a new one with: holdfast link"""

    status = 403


class Gatekeeper:
    """Knows the token of a home. Its methods are quick; those that touch the disk say so."""

    def __init__(self, home: Path, now: Callable[[], float] = time.time) -> None:
        self._links = home / LINKS
        self._now = now
        self.token = _token_in(home)
        self._expected = self.token.encode()

    def admits(self, authorization: bytes) -> bool:
        """Whether an Authorization header carries the token. Takes the same time whatever it carries."""
        scheme, given = authorization[: len(SCHEME)].decode("latin-1"), authorization[len(SCHEME) :]
        return hmac.compare_digest(given.strip(), self._expected) and scheme.lower() == SCHEME

    def issue(self) -> str:
        """Make a code that `redeem` takes once within ten minutes. Touches the disk."""
        self._links.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._sweep()
        code = secrets.token_urlsafe(24)
        _write_new(self._place(code), str(int(self._now()) + LINK_SECONDS))
        return code

    def redeem(self, code: str) -> str:
        """Exchange a code for the token. Raise `LinkUsed` if it is no code, was used, or is too old."""
        place = self._place(code)
        try:
            expires = int(place.read_text("ascii"))
            place.unlink()
        except (FileNotFoundError, ValueError):
            raise LinkUsed from None
        if expires <= self._now():
            raise LinkUsed
        return self.token

    def _place(self, code: str) -> Path:
        return self._links / sha256(code.encode()).hexdigest()

    def _sweep(self) -> None:
        for path in self._links.iterdir():
            with contextlib.suppress(FileNotFoundError, ValueError):
                if int(path.read_text("ascii")) <= self._now():
                    path.unlink()


def _token_in(home: Path) -> str:
    """The home's token, made at the first start. Two that start at once agree on one."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = home / TOKEN
    if not path.exists():
        draft = home / f"{TOKEN}.{secrets.token_hex(8)}"
        _write_new(draft, secrets.token_urlsafe(32))
        try:
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)  # all or nothing, and never over one that is there
        finally:
            draft.unlink()
    path.chmod(0o600)
    return path.read_text("ascii").strip()


def _write_new(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
