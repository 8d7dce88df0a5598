"""How often a password or a code may be tried: each address for itself, and all of them together.

Law: a try counts when it begins, so that many at once are many; a good one is forgotten. After the first few, the
pause before the next try doubles, up to five minutes. All addresses together get a few tries a minute, so that nobody
gains by having many of them, and what is remembered is bounded. The code of a one-time link counts only if it is
wrong: whoever is kept out by another's wrong guesses can still come in by `holdfast link`.
"""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from holdfast.core.errors import Refused

FREE = 4
LONGEST = 300.0
MOST = 4_096
"""Addresses that are remembered."""
TOGETHER = 40
SECONDS_EACH = 10.0
"""All together may try `TOGETHER` times at once, and then once in so many seconds."""


class TooManyAttempts(Refused):
    """Too many wrong sign-ins. Try again in {0} s, or use a link: holdfast link"""

    status = 429

    def __init__(self, seconds: float) -> None:
        self.seconds = math.ceil(seconds)
        super().__init__(self.seconds)


class Tried(NamedTuple):
    times: int
    until: float


class Attempts:
    """The tries that were not good, as far as they are remembered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tried: OrderedDict[str, Tried] = OrderedDict()
        self._left, self._at = float(TOGETHER), clock()

    def begin(self, address: str) -> None:
        """Count a try. Raise `TooManyAttempts` if it comes too early; then it does not count."""
        now, name = self._clock(), network(address)
        tried = self._tried.get(name, Tried(0, now))
        if now < tried.until:
            raise TooManyAttempts(tried.until - now)
        self._left, self._at = min(TOGETHER, self._left + (now - self._at) / SECONDS_EACH), now
        if self._left < 1:
            raise TooManyAttempts((1 - self._left) * SECONDS_EACH)
        self._left -= 1
        times = tried.times + 1
        self._tried[name] = Tried(times, now + (0 if times < FREE else min(2.0 ** (times - FREE), LONGEST)))
        self._tried.move_to_end(name)
        if len(self._tried) > MOST:
            self._tried.popitem(last=False)

    def succeeded(self, address: str) -> None:
        self._tried.pop(network(address), None)
        self._left = min(TOGETHER, self._left + 1)

    def __len__(self) -> int:
        return len(self._tried)


def network(address: str) -> str:
    """Who an address belongs to: one that has an IPv6 address has 2 to the 64 of them."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
