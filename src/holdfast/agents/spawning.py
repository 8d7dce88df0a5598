"""Starting a program, so that it dies with us and is never left half connected."""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
# Looked up once, here: between fork and exec nothing may be imported.
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def spawn(
    command: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    stdin: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> "subprocess.Popen[bytes]":
    """Start a program in a session and group of its own that dies with us. Raise OSError if that can't be done.

    To be called in a thread that lives as long as the program may: Linux takes the end of that thread for the end of
    the parent.
    """
    with warnings.catch_warnings():
        # From Python 3.12 on, any fork beside threads is warned of, whatever is done after it.
        warnings.simplefilter("ignore", DeprecationWarning)
        return subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(environment),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            start_new_session=True,
            preexec_fn=_dying_with_parent(),  # noqa: PLW1509 (see there)
        )


async def connected(connecting: Coroutine[Any, Any, None], end: Callable[[], Awaitable[object]]) -> None:
    """Take the few steps after a start, which can't be left half done; `end` what was started if they fail, or if
    cancelled then."""
    steps = asyncio.create_task(connecting, name="connecting")
    try:
        await asyncio.shield(steps)
    except BaseException:
        await asyncio.wait([steps])
        await end()
        raise


def _dying_with_parent() -> Callable[[], None] | None:
    """What a child does between fork and exec, so that the kernel kills it when we die; None where that can't be."""
    if _prctl is None:
        return None
    parent, ask = os.getpid(), _prctl

    def die_with_parent() -> None:
        # Safe between fork and exec although other threads run: one C call and two system calls, nothing allocated
        # that another thread could have locked. The parent may have died before the wish was made.
        ask(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return die_with_parent
