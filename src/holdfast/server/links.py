"""One-time links: a code that signs a browser in, once, within ten minutes.

Law: a code is known by its digest alone. Using it removes its file, and the file system lets only one remove it, so a
code works once, across restarts too. Codes are 192 random bits: nobody guesses one. Whoever tries is slowed down like
with passwords, so that trying costs us nothing; a good code is never made to wait.
"""

import contextlib
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from holdfast.core.errors import Refused
from holdfast.server.private import write_new

FOLDER = "links"
LINK_SECONDS = 600
MOST = 1_000


class LinkUsed(Refused):
    """This link has been used or is too old. Make a new one with: holdfast link"""

    status = 403


class TooManyLinks(Refused):
    """There are {0} links that nobody has used. Use one, or wait ten minutes until they are too old."""

    status = 429


class Links:
    """The links of a home that nobody has used yet. Its methods touch the disk."""

    def __init__(self, home: Path, now: Callable[[], float] = time.time) -> None:
        self._folder = home / FOLDER
        self._now = now

    def issue(self) -> str:
        """Make a code that `redeem` takes once within ten minutes."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (left := self._sweep()) >= MOST:
            raise TooManyLinks(left)
        code = secrets.token_urlsafe(24)
        write_new(self._place(code), str(int(self._now()) + LINK_SECONDS))
        return code

    def redeem(self, code: str) -> None:
        """Use a code up. Raise `LinkUsed` if it is no code, was used, or is too old."""
        place = self._place(code)
        try:
            expires = int(place.read_text("ascii"))
            place.unlink()
        except (FileNotFoundError, ValueError):
            raise LinkUsed from None
        if expires <= self._now():
            raise LinkUsed

    def clear(self) -> None:
        """No code that was made so far works any more."""
        with contextlib.suppress(FileNotFoundError):
            for path in self._folder.iterdir():
                path.unlink(missing_ok=True)

    def _place(self, code: str) -> Path:
        return self._folder / sha256(code.encode("utf-8", "surrogatepass")).hexdigest()

    def _sweep(self) -> int:
        """Remove what is too old; how many are left."""
        left = 0
        for path in self._folder.iterdir():
            with contextlib.suppress(FileNotFoundError, ValueError):
                if int(path.read_text("ascii")) <= self._now():
                    path.unlink()
                else:
                    left += 1
        return left
