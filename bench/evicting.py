"""Requests while idle agents commit their memory slowly, and how soon a cleared session is seen empty meanwhile.

Beside the list as it is answered then stands the same list, asked in the same rhythm, a moment before.
"""

import os
import signal
from collections.abc import Callable
from time import perf_counter, sleep

from bench.house import Serving, serving, until
from bench.measure import Number, percentile
from bench.workshop import Workshop
from holdfast.core.ids import SessionId

SLOW = 2_000
"""Milliseconds that a commit takes."""
RHYTHM = 0.01
"""Seconds between requests."""
LIST_GOAL, CLEAR_GOAL = 10, 200


def run(workshop: Workshop) -> list[Number]:
    count = max(4, workshop.size(20))
    with serving(workshop.folder / "evicting", runners=count + 4) as house:
        sessions = house.begin("tour", count)
        house.say_all(sessions, f"!memory slow {SLOW}\n!say done")
        house.quiet()
        before = _sampled(house, lambda elapsed: elapsed < SLOW / 1000)
        runners = [house.runner(session) for session in sessions]
        for runner in runners:
            os.kill(runner, signal.SIGUSR2)
        during = _sampled(house, lambda _: any(house.runner(session) for session in sessions[:1]))
        until(lambda: not any(house.runner(session) for session in sessions), "the end of every runner")
        cleared = [_clear(house) for _ in range(max(3, workshop.size(10)))]
    ours, raw = percentile(during, 99) * 1000, percentile(before, 99) * 1000
    worst = max(cleared) * 1000
    return [
        Number(
            group="memory",
            name=f"p99 of the session list while {count} idle agents commit for {SLOW / 1000:.0f} s each",
            value=ours,
            unit="ms",
            raw=raw,
            raw_name="the same without",
            ratio=ours / raw,
            goal=f"<= 2 x or + {LIST_GOAL} ms",
            met=ours <= max(2 * raw, raw + LIST_GOAL),
            note=f"{len(during)} requests; {len(before)} before",
        ),
        Number(
            group="memory",
            name="a cleared session is seen empty while its commit is slow, worst",
            value=worst,
            unit="ms",
            goal=f"<= {CLEAR_GOAL} ms",
            met=worst <= CLEAR_GOAL,
        ),
    ]


def _sampled(house: Serving, goes_on: Callable[[float], bool]) -> list[float]:
    """Seconds of each request for the list."""
    taken, began = list[float](), perf_counter()
    while goes_on(perf_counter() - began):
        started = perf_counter()
        house.browse()
        taken.append(perf_counter() - started)
        sleep(RHYTHM)
    return taken


def _clear(house: Serving) -> float:
    """Seconds from the wish to an empty transcript, with a commit in flight behind it."""
    (session,) = house.begin("tour")
    house.say(session, f"!memory slow {SLOW}\n!say done")
    house.quiet()
    started = perf_counter()
    house.clear(session)
    assert not _shown(house, session)
    return perf_counter() - started


def _shown(house: Serving, session: SessionId) -> bool:
    snapshot = house.snapshot(session)
    return bool(snapshot["page"]["items"] or snapshot["session"].get("turns"))
