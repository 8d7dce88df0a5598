"""What is said of the samples: memory, descriptors, lateness and disk, each flat or not."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from tests.soak.flatness import ENOUGH, Growth, Limit, between, growth, rates
from tests.soak.report import Line
from tests.soak.samples import Process, Sample

MB = 1_000_000
SERVER_MEMORY = Limit(0.10, 8 * MB)
RUNNER_MEMORY = Limit(0.10, 4 * MB)
STARTING_MEMORY = Limit(0.15, 10 * MB)
DESCRIPTORS = Limit(0.10, 8)
LATENESS = Limit(1.0, 20)
DISK = Limit(0.25, 0)
WAL = 80 * MB
"""Runners checkpoint at 16,000 pages, which is 66 MB, when there is no server; a commit may come on top."""
SPOOLS = Limit(0.10, 20 * MB)
GROWN = 5.0
"""Seconds after which a server has started."""
WARM = 300.0
"""Seconds below which nothing is said of a server's memory: the windows of what it watches fill for minutes."""


def judged(samples: Sequence[Sample]) -> Iterator[Line]:
    server = max(generations([(each.at, each.server) for each in samples]), key=len, default=[])
    runners = _runners(samples)
    yield _memory(server)
    yield _starting(samples)
    yield _flat("server: descriptors", [found.descriptors for _, found in server], DESCRIPTORS, _plain, "+ 8 or 10 %")
    memory = [[found.memory for _, found in one] for one in runners]
    yield _many("runners: memory", memory, RUNNER_MEMORY, _mb, "+ 4 MB or 10 %")
    descriptors = [[found.descriptors for _, found in one] for one in runners]
    yield _many("runners: descriptors", descriptors, DESCRIPTORS, _plain, "+ 8 or 10 %")
    late = [each.late for each in samples if each.late is not None and server and each.at >= server[0][0]]
    yield _flat("server: event loop late", late, LATENESS, _ms, "+ 20 ms or double")
    yield _disk(samples)
    yield _flat("disk: spools", [each.spools for each in samples], SPOOLS, _mb, "+ 20 MB or 10 %")
    wal = max((each.wal for each in samples), default=0)
    yield Line(kind="flat", name="disk: largest WAL", found=_mb(wal), limit=f"<= {_mb(WAL)}", fine=wal <= WAL)


def generations(seen: Sequence[tuple[float, Process | None]]) -> list[list[tuple[float, Process]]]:
    """The samples of each process by itself, in order."""
    found: dict[int, list[tuple[float, Process]]] = {}
    for at, process in seen:
        if process is not None:
            found.setdefault(process.pid, []).append((at, process))
    return list(found.values())


def _runners(samples: Sequence[Sample]) -> list[list[tuple[float, Process]]]:
    sessions = sorted({session for each in samples for session in each.runners})
    seen = [[(each.at, each.runners.get(session)) for each in samples] for session in sessions]
    return [one for each in seen for one in generations(each) if len(one) >= ENOUGH]


def _flat(name: str, values: Sequence[float], limit: Limit, show: Callable[[float], str], told: str) -> Line:
    return _line(name, growth(values), limit, show, told)


def _line(name: str, found: Growth | None, limit: Limit, show: Callable[[float], str], told: str) -> Line:
    if found is None:
        return Line(kind="flat", name=name, found="", limit=told)
    words = f"{show(found.early)} -> {show(found.late)}"
    return Line(kind="flat", name=name, found=words, limit=told, fine=found.within(limit))


def _many(name: str, each: Sequence[Sequence[float]], limit: Limit, show: Callable[[float], str], told: str) -> Line:
    """Of many processes: the one in the middle. Each begins anew with its session's past, so one alone says little."""
    found = sorted((one for values in each if (one := growth(values)) is not None), key=lambda one: one.by)
    if not found:
        return Line(kind="flat", name=name, found="", limit=told)
    line = _line(name, found[len(found) // 2], limit, show, told)
    note = f"{len(found)} lived long enough; the one that grew most: {show(found[-1].early)} -> {show(found[-1].late)}"
    return msgspec.structs.replace(line, notes=[note])


def _memory(server: Sequence[tuple[float, Process]]) -> Line:
    line = _flat("server: memory", [found.memory for _, found in server], SERVER_MEMORY, _mb, "+ 8 MB or 10 %")
    lived = server[-1][0] - server[0][0] if server else 0.0
    return line if lived >= WARM else msgspec.structs.replace(line, fine=None)


def _starting(samples: Sequence[Sample]) -> Line:
    """A server that starts later, upon a larger store, takes no more."""
    servers = generations([(each.at, each.server) for each in samples])
    grown = [next((p.memory for at, p in one if at - one[0][0] >= GROWN), None) for one in servers]
    found = between([memory for memory in grown if memory is not None])
    return _line("server: memory after a start", found, STARTING_MEMORY, _mb, "+ 10 MB or 15 %")


def _disk(samples: Sequence[Sample]) -> Line:
    found = rates([each.store for each in samples], [each.records for each in samples])
    return _line("disk: bytes for a byte of records", found, DISK, _ratio, "+ 25 %")


def _mb(value: float) -> str:
    return f"{value / MB:.1f} MB"


def _ms(value: float) -> str:
    return f"{value:.1f} ms"


def _plain(value: float) -> str:
    return f"{value:.0f}"


def _ratio(value: float) -> str:
    return f"{value:.2f}"
