"""Our end of a pipe, for an event loop that may close its descriptor itself; and what lies in a pipe unread.

uvloop closes the descriptor and then asks the file to close as well (its issue 763). By then another thread may have
opened something under the same number, and would lose it: a folder that is being read, or the log. So this end closes
only what still is the pipe.
"""

import contextlib
import os
from typing import IO

CHUNK = 256 * 1024


class End:
    """What `connect_read_pipe` and `connect_write_pipe` need of a file. It takes the pipe over from `file`."""

    def __init__(self, file: IO[bytes] | None) -> None:
        assert file is not None  # asked for, when the process was started
        self._fd = os.dup(file.fileno())
        self._pipe = _identity(self._fd)
        file.close()

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        if _identity(self._fd) == self._pipe:
            os.close(self._fd)


class Unread:
    """What lies in a pipe: its reading end, opened once more beside whoever reads it. Where there is no /proc it can't
    be looked at, and counts as nothing."""

    def __init__(self, fd: int) -> None:
        try:
            self._fd = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            self._fd = -1

    def take(self) -> int:
        """Take it out, so that nobody reads it any more, and return how many bytes it was. The second time: none."""
        fd, self._fd, taken = self._fd, -1, 0
        if fd < 0:
            return 0
        with contextlib.suppress(BlockingIOError):
            while data := os.read(fd, CHUNK):
                taken += len(data)
        os.close(fd)
        return taken


def _identity(fd: int) -> tuple[int, int] | None:
    try:
        about = os.fstat(fd)
    except OSError:
        return None
    return about.st_dev, about.st_ino
