"""The last lines that an agent wrote to stderr, for the message that explains its end."""

from collections import deque

LINES = 40
WIDTH = 2_000


class Tail:
    """Forgets all but the end. A long line costs its first characters only."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LINES)
        self._rest = b""

    def feed(self, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        if lines:
            self._keep(self._rest + lines[0])
            for line in lines[1:][-LINES:]:
                self._keep(line)
            self._rest = b""
        self._rest = (self._rest + rest[: 4 * WIDTH])[: 4 * WIDTH]

    def _keep(self, line: bytes) -> None:
        self._lines.append(line[: 4 * WIDTH].decode("utf-8", "replace").rstrip()[:WIDTH])

    def __str__(self) -> str:
        lines = [*self._lines]
        if self._rest:
            lines.append(self._rest.decode("utf-8", "replace")[:WIDTH])
        return "\n".join(lines[-LINES:]).strip("\n")
