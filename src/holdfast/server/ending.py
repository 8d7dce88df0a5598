"""The signals that ask a server to end, while it starts.

Law: they cut no step of the start in two. What comes before there is a loop waits for the loop (`held_back`, then
`let_through` by the loop's first task, which they cancel); what comes once it serves is uvicorn's.
"""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held_back() -> Generator[None]:
    """They wait until somebody lets them through, at the latest the end of the block. SIGTERM counts as Ctrl-C.

    Both are heard even by a server that was started to ignore Ctrl-C, as a shell starts what is in its background.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _as_interrupt)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_through() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    """What Ctrl-C does at that moment."""
    interrupt = signal.getsignal(signal.SIGINT)
    assert callable(interrupt)
    interrupt(number, frame)
