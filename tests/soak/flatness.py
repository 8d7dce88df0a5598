"""Whether something stays as it is. Pure.

Warm-up is the first quarter of a process's life. After it the median of the second quarter is held against that of the
last: one spike moves neither, and what grows without end moves the last one further, the longer the run is.
"""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

ENOUGH = 12
"""Samples below which nothing is said."""


class Limit(NamedTuple):
    """By how much the last quarter may lie above the second: so much, or this share of it, whichever is more."""

    share: float
    absolute: float


class Growth(NamedTuple):
    """The medians of the second and of the last quarter."""

    early: float
    late: float

    @property
    def by(self) -> float:
        return self.late - self.early

    def within(self, limit: Limit) -> bool:
        return self.by <= max(limit.absolute, limit.share * self.early)


def growth(values: Sequence[float]) -> Growth | None:
    """None if there are too few values to say."""
    if len(values) < ENOUGH:
        return None
    quarter = len(values) // 4
    return Growth(median(values[quarter : 2 * quarter]), median(values[-quarter:]))


def between(values: Sequence[float], steps: int = 3) -> Growth | None:
    """The medians of the first third of values and of the last: for what has no warm-up of its own."""
    third = len(values) // steps
    return Growth(median(values[:third]), median(values[-third:])) if third else None


def rates(amounts: Sequence[float], causes: Sequence[float]) -> Growth | None:
    """How much of an amount came with each unit of its cause, in the second quarter and in the last."""
    if len(amounts) < ENOUGH:
        return None
    quarter = len(amounts) // 4
    pairs = [(quarter, 2 * quarter), (len(amounts) - 1 - quarter, len(amounts) - 1)]
    caused = [causes[last] - causes[first] for first, last in pairs]
    if not all(caused):
        return None
    early, late = ((amounts[last] - amounts[first]) / new for (first, last), new in zip(pairs, caused, strict=True))
    return Growth(early, late)
