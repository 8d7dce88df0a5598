"""Bytes as they come, cut into lines. The cost of a line is linear in its length, however many pieces it comes in."""

LIMIT = 64 * 1024 * 1024
"""The longest line that is read. Agents send images and whole files as one line of JSON."""


class LineTooLong(Exception):
    """A line grew beyond the limit without an end."""


class Lines:
    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._held = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that `data` completes, without their ends. Raise `LineTooLong` beyond the limit."""
        first, *rest = data.split(b"\n")
        self._hold(first)
        if not rest:
            return []
        lines = [b"".join(self._pieces), *rest[:-1]]
        self._pieces, self._held = [], 0
        self._hold(rest[-1])
        return lines

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        if self._held > self._limit:
            raise LineTooLong(self._limit)
        if piece:
            self._pieces.append(piece)
