"""Our end of a pipe, for an event loop that may close its descriptor itself.

uvloop closes the descriptor and then asks the file to close as well (its issue 763). By then another thread may have
opened something under the same number, and would lose it: a folder that is being read, or the log. So this end closes
only what still is the pipe.
"""

import os
from typing import IO


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


def _identity(fd: int) -> tuple[int, int] | None:
    try:
        about = os.fstat(fd)
    except OSError:
        return None
    return about.st_dev, about.st_ino
