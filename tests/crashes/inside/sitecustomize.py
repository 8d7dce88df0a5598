"""Lets a crash test stop, or fail, this process at a named fault point, from outside and while it runs.

Every Python of a home under test finds this file on its path, servers and runners alike; agents have an environment of
their own. A file `<role>.<point>` in the folder that HOLDFAST_CRASHES names says what happens there: `stop N` stops the
process at the Nth visit from then on (the file is renamed to tell who it was, so only one process ever is), `full`
fails every visit as a full disk would, for as long as the file is there.
"""

import errno
import os
import signal
import sys
import threading
from pathlib import Path

from holdfast import faults

FOLDER = Path(os.environ["HOLDFAST_CRASHES"])
ROLE = "runner" if "holdfast.runner" in sys.orig_argv else "server"


def point(name: str) -> None:
    order = FOLDER / f"{ROLE}.{name}"
    try:
        act, _, left = order.read_text("ascii").partition(" ")
    except FileNotFoundError:
        return
    if act == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
    if int(left) > 1:
        order.write_text(f"stop {int(left) - 1}", "ascii")
        return
    order.rename(FOLDER / f"{ROLE}.{name}.{os.getpid()}")
    # To this thread: sent to the process, it would go to the main thread, and this one would run on for a while.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


faults.point = point
