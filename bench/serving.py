"""What a browser waits for, over real HTTP: the list of many sessions, a long session, and the server itself.

The home has 10,000 sessions, one of 20,000 messages and one of 200. Every question is asked of a server that has been
asked before; `/health`, which says only ok, takes turns with it.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter

import httpx

from bench.house import at_rest, resident, until
from bench.launching import SERVER_LIBRARIES, bare_weight
from bench.material import Material
from bench.measure import Number, Pairs, seconds
from bench.stores import Author, writer
from bench.workshop import Workshop
from holdfast.core.ids import SessionId
from tests.journeys.house import House

FEW, MANY = SessionId("few"), SessionId("many")
LIST_GOAL, LIST_BYTES, OPEN_GOAL = 20, 60_000, 20
START_GOAL, IDLE_GOAL, CROWDED_GOAL = 800, 75, 95
PLAIN = (sys.executable, "-m", "holdfast")


def run(workshop: Workshop) -> list[Number]:
    home = _home(workshop)
    starts, idle = _starts(workshop.folder / "empty", max(3, workshop.size(10)))
    with House(home) as house:
        house.start(command=PLAIN)
        with house.server.client() as client:
            asked = [*_lists(client, workshop), _opening(client, workshop)]
            until(lambda: at_rest(house.server.process.pid), "a server at rest")
            crowded = resident(house.server.process.pid)
    sessions = f"{workshop.size(10_000):,}"
    bare = bare_weight(SERVER_LIBRARIES)
    return [
        *asked,
        starts,
        _weight("the idle server, an empty home", idle, IDLE_GOAL, bare),
        _weight(f"the server, {sessions} sessions, after all of this", crowded, CROWDED_GOAL, bare),
    ]


def _home(workshop: Workshop) -> Path:
    home = workshop.folder / "served"
    shutil.copytree(workshop.crowd, home / "store")
    with writer(home / "store") as writing:
        _write(Author(writing, FEW, "Few"), workshop.material, 200)
        _write(Author(writing, MANY, "Many"), workshop.material, workshop.size(20_000))
    return home


def _write(author: Author, material: Material, messages: int) -> None:
    author.begin()
    for _ in range(messages // 200):
        author.fill(material.exchanges(100, together=20))


def _lists(client: httpx.Client, workshop: Workshop) -> list[Number]:
    plain, renamed, names = Pairs(), Pairs(), count()
    sizes: list[int] = []

    def listed() -> None:
        sizes.append(len(_get(client, "/api/sessions?limit=50").content))

    for _ in range(workshop.pairs):
        plain.measure(listed, lambda: _get(client, "/health"))
    for _ in range(workshop.pairs):
        number = next(names)
        client.patch(f"/api/sessions/s{number * 7}", json={"title": f"Renamed {number}"}).raise_for_status()
        renamed.measure(listed, lambda: _get(client, "/health"))
    total = f"{workshop.size(10_000):,}"
    return [
        _list(f"first page of {total} sessions", plain, max(sizes)),
        _list("the same after a rename", renamed, max(sizes)),
    ]


def _list(name: str, pairs: Pairs, size: int) -> Number:
    return Number(
        group="http",
        name=name,
        value=pairs.ours * 1000,
        unit="ms",
        raw=pairs.raw * 1000,
        raw_name="/health",
        ratio=pairs.ratio,
        goal=f"<= {LIST_GOAL} ms, <= {LIST_BYTES // 1000} kB",
        met=pairs.ours * 1000 <= LIST_GOAL and size <= LIST_BYTES,
        note=f"{size:,} bytes",
    )


def _opening(client: httpx.Client, workshop: Workshop) -> Number:
    pairs = Pairs()
    sizes: dict[str, int] = {}

    def opened(session: SessionId) -> Callable[[], None]:
        def open_it() -> None:
            sizes[session] = len(_get(client, f"/api/sessions/{session}").content)

        return open_it

    for _ in range(workshop.pairs):
        pairs.measure(opened(MANY), opened(FEW))
    more = pairs.ours - pairs.raw
    return Number(
        group="http",
        name=f"open a session of {workshop.size(20_000):,} messages",
        value=pairs.ours * 1000,
        unit="ms",
        raw=pairs.raw * 1000,
        raw_name="one of 200",
        ratio=pairs.ratio,
        goal=f"<= {OPEN_GOAL} ms, <= 1.3 x or + 3 ms",
        met=pairs.ours * 1000 <= OPEN_GOAL and (pairs.ratio <= 1.3 or more <= 0.003),
        note=f"{sizes[MANY]:,} bytes, of the other {sizes[FEW]:,}",
    )


def _starts(home: Path, times: int) -> tuple[Number, float]:
    """From the command to the first `ok`, again and again in one home; and what the server weighs then."""
    took: list[float] = []
    weights: list[float] = []
    with House(home) as house:
        for _ in range(times):
            began = perf_counter()
            server = house.start(command=PLAIN)
            httpx.get(f"{server.link}/health").raise_for_status()
            took.append(perf_counter() - began)
            until(lambda pid=server.process.pid: at_rest(pid), "a server at rest")
            weights.append(resident(server.process.pid))
            house.stop()
    bare = median(seconds(lambda: _python(f"{SERVER_LIBRARIES}; print()")) for _ in range(times))
    number = Number(
        group="http",
        name="from the command to healthy",
        value=median(took) * 1000,
        unit="ms",
        raw=bare * 1000,
        raw_name="Python with the same libraries",
        ratio=median(took) / bare,
        goal=f"<= {START_GOAL} ms",
        met=median(took) * 1000 <= START_GOAL,
        note=f"median of {times}, worst {max(took) * 1000:.0f} ms",
    )
    return number, median(weights)


def _weight(name: str, value: float, goal: float, raw: float) -> Number:
    return Number(
        group="http",
        name=f"memory of {name}",
        value=value,
        unit="MB",
        raw=raw,
        raw_name="Python with the same libraries",
        ratio=value / raw,
        goal=f"<= {goal} MB",
        met=value <= goal,
    )


def _get(client: httpx.Client, path: str) -> httpx.Response:
    return client.get(path).raise_for_status()


def _python(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
