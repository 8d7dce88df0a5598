"""Gives memory back to the system that a crowd of viewers needed and has left behind."""

import ctypes
import gc
import sys

CROWD = 50
"""So many must have gone for it to be worth the look."""


def give_back() -> None:
    """Collect what nobody holds, and let the C library return its free pages, where it can (glibc)."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
