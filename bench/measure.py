"""How numbers are taken: in pairs, one after the other in one run, because the machine is never quiet.

What is measured and what it is compared with take turns, and each pair swaps their order, so that a noisy moment
hits both. A ratio is the median over the ratios of the pairs.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from time import perf_counter

import msgspec

GOAL = re.compile(r"(<=|>=|<) ([\d,.]+) ?(%?)")
OR_MORE = re.compile(r"<= [\d.]+ x or \+ ([\d.]+) ms")


class Number(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the table. `raw` is what it is compared with; `met` is None where there is no goal."""

    group: str
    name: str
    value: float
    unit: str
    raw: float | None = None
    raw_name: str = ""
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None
    note: str = ""

    @property
    def limit(self) -> tuple[float, bool] | None:
        """What its goal says first, in its own unit, and whether that is a least; none without a goal."""
        found = GOAL.match(self.goal)
        if found is None:
            return None
        figure = float(found[2].replace(",", ""))
        return (figure / 100 if found[3] == "%" else figure), found[1] == ">="

    @property
    def share(self) -> float | None:
        """How much of what its goal allows it needs: 1 is just met, less is better."""
        if self.limit is None:
            return None
        figure, least = self.limit
        if self.raw is not None and (more := OR_MORE.match(self.goal)):
            return self.value / max(figure * self.raw, self.raw + float(more[1]))
        value = self.ratio if "%" in self.goal or " x" in self.goal.split(",")[0] else self.value
        if value is None:
            return None
        return figure / value if least else value / figure


class Pairs:
    """Seconds that two things took, side by side."""

    def __init__(self) -> None:
        self._ours: list[float] = []
        self._raw: list[float] = []

    @property
    def ours(self) -> float:
        return median(self._ours)

    @property
    def raw(self) -> float:
        return median(self._raw)

    @property
    def ratio(self) -> float:
        """How long ours takes for each second of the other."""
        return median(mine / other for mine, other in zip(self._ours, self._raw, strict=True))

    def measure(self, ours: Callable[[], object], raw: Callable[[], object]) -> None:
        """Add one pair."""
        if len(self._ours) % 2:
            self._raw.append(seconds(raw))
            self._ours.append(seconds(ours))
        else:
            self._ours.append(seconds(ours))
            self._raw.append(seconds(raw))

    async def measure_awaited(
        self, ours: Callable[[], Awaitable[object]], raw: Callable[[], Awaitable[object]]
    ) -> None:
        """Add one pair of things that are waited for."""
        if len(self._ours) % 2:
            self._raw.append(await awaited_seconds(raw))
            self._ours.append(await awaited_seconds(ours))
        else:
            self._ours.append(await awaited_seconds(ours))
            self._raw.append(await awaited_seconds(raw))


def seconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


async def awaited_seconds(work: Callable[[], Awaitable[object]]) -> float:
    started = perf_counter()
    await work()
    return perf_counter() - started


def percentile(values: Sequence[float], part: float) -> float:
    """The value below which `part` (0 to 1) of them lie."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]
