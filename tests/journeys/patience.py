"""Waiting for what must come: with a limit against hanging, which is no measure of speed."""

import time
from collections.abc import Callable
from typing import TypeVar

LIMIT = 60.0
PAUSE = 0.02
T = TypeVar("T")


def wait_until(look: Callable[[], T], what: str, limit: float = LIMIT) -> T:
    """Look again and again until there is something true, and return it."""
    deadline = time.monotonic() + limit
    while not (found := look()):
        assert time.monotonic() < deadline, f"after {limit:.0f} s there is still not: {what}"
        time.sleep(PAUSE)
    return found
