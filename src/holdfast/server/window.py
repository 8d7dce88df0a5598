"""What was sent last, shared by everybody who watches the same thing.

Law: chunks lie end to end. Whoever stands between two of them gets the next one as it is; whoever stands elsewhere
reads the store up to the next boundary. So memory is bounded by the window, however slow a viewer is, and nobody ever
misses or doubles a record.
"""

from bisect import bisect_left

import msgspec

LIMIT = 256 * 1024
"""Bytes that a window keeps. The newest chunk stays, whatever its size."""


class Chunk(msgspec.Struct, frozen=True):
    """The frames of everything above `after` up to and including `last`."""

    after: int
    last: int
    body: bytes


class Window:
    """The newest chunks, and `head`: how far they reach."""

    def __init__(self, head: int, limit: int = LIMIT) -> None:
        self.head = head
        self._limit = limit
        self._chunks: list[Chunk] = []
        self._size = 0

    def add(self, last: int, body: bytes) -> None:
        """Lay down what lies between the head and `last`, which becomes the head."""
        self._chunks.append(Chunk(self.head, last, body))
        self._size += len(body)
        self.head = last
        dropped = 0
        while self._size > self._limit and dropped < len(self._chunks) - 1:
            self._size -= len(self._chunks[dropped].body)
            dropped += 1
        del self._chunks[:dropped]

    def next(self, cursor: int) -> Chunk | None:
        """The chunk that begins exactly at the cursor."""
        i = self._first_from(cursor)
        found = self._chunks[i] if i < len(self._chunks) else None
        return found if found is not None and found.after == cursor else None

    def boundary(self, cursor: int) -> int:
        """How far someone at the cursor must read by himself to stand where a chunk begins or the window ends."""
        i = self._first_from(cursor)
        return self._chunks[i].after if i < len(self._chunks) else self.head

    def _first_from(self, cursor: int) -> int:
        return bisect_left(self._chunks, cursor, key=lambda chunk: chunk.after)
