"""Choices from a row of bytes: one cheap draw for Hypothesis, a whole history for us.

Drawing every field of forty events by itself would take longer than all that is tested with them. So two bytes are
drawn for each step, and every throw within the step follows from them. Zeros throw zeros, and so does a row that is
used up: a history shrinks with its bytes.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    def __init__(self, source: bytes) -> None:
        self._source = iter(source)
        self._state = 0

    def shake(self) -> None:
        """Begin a step."""
        self._state = next(self._source, 0) * 256 + next(self._source, 0)

    def below(self, bound: int) -> int:
        self._state = self._state * 48_271 % 65_521
        return self._state % bound

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def once_in(self, times: int) -> bool:
        return self.below(times) == times - 1
