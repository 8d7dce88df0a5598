"""From a message to the first word: a runner started for it, or the one that was kept warm; and what they weigh.

The times are those of the records in the log, in whole milliseconds, so that they hold what a person waits for: the
server's look, the process, the claim, the agent, every sync. Beside them are bare processes that only start, or only
answer.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from time import sleep

import msgspec

from bench.house import Serving, busy, resident, serving, until
from bench.measure import Number, percentile, seconds
from bench.workshop import Workshop

LIBRARIES = "import asyncio, apsw, msgspec"
SERVER_LIBRARIES = f"{LIBRARIES}, uvloop, httptools, uvicorn, litestar"
ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
RUNNER_GOAL, AGENT_GOAL = 40, 100
STILL = 0.3
"""Seconds without work after which a process counts as waiting."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of one launch, and MB of what was launched."""

    runner: int
    agent: int
    word: int
    runner_weight: float
    agent_weight: float


def run(workshop: Workshop) -> list[Number]:
    count = max(3, workshop.size(15))
    cold, idle = _launches(workshop.folder / "cold", count, spare=False)
    warm, _ = _launches(workshop.folder / "warm", count, spare=True)
    libraries, nothing = _start(f"{LIBRARIES}; print()", count), _start("print()", count)
    return [
        _time("a runner says its first, started for it", [x.runner for x in cold], libraries, "Python with libraries"),
        _time("a runner says its first, from the spare", [x.runner for x in warm], _echo(count), "a line and back"),
        _time("the scripted agent is ready after that", [x.agent for x in cold], nothing, "bare Python", AGENT_GOAL),
        _time("message to first word, runner started for it", [x.word for x in cold], libraries + nothing, "both bare"),
        _time("message to first word, from the spare", [x.word for x in warm], nothing, "bare Python"),
        _weight(
            "a runner with a turn behind it", [x.runner_weight for x in cold], _bare_weight(LIBRARIES), RUNNER_GOAL
        ),
        _weight("its scripted agent", [x.agent_weight for x in cold], _bare_weight("import json")),
        _weight("the idle server", [idle], _bare_weight(SERVER_LIBRARIES)),
    ]


def _launches(home: Path, count: int, *, spare: bool) -> tuple[list[Launch], float]:
    """Launch one after the other; also what the server weighs before."""
    with serving(home, runners=count + 1, spare=spare) as house:
        until(lambda: _waits(house.pid), "a server at rest")
        idle = resident(house.pid)
        return [_launch(house, spare=spare) for _ in range(count)], idle


def _launch(house: Serving, *, spare: bool) -> Launch:
    if spare:
        until(lambda: any(_waits(pid) for pid in _spares(house)), "a spare that waits")
    (session,) = house.begin("tour")
    house.say(session, "!say hello")
    house.quiet()
    times = {record["event"]["kind"]: record["time"] for record in reversed(house.records(session))}
    return Launch(
        runner=times["runner.started"] - times["turn.submitted"],
        agent=times["agent.opened"] - times["turn.started"],
        word=times["text.appended"] - times["turn.submitted"],
        runner_weight=resident(house.runner(session)),
        agent_weight=sum(resident(pid) for pid in house.agents(session)),
    )


def _spares(house: Serving) -> Iterable[int]:
    """The server's children that were started without the name of a session, and have not been given one since."""
    children = Path(f"/proc/{house.pid}/task/{house.pid}/children").read_text("ascii").split()
    started = [int(pid) for pid in children if b"--spare" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return [pid for pid in started if not _owns(pid)]


def _owns(pid: int) -> bool:
    """A runner that has its session has the threads of its store."""
    return len(list(Path(f"/proc/{pid}/task").iterdir())) > 1


def _waits(pid: int) -> bool:
    before = busy(pid)
    sleep(STILL)
    return busy(pid) == before


def _start(program: str, count: int) -> float:
    """Seconds until a bare process has said a line, as a median."""

    def once() -> None:
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    return median(seconds(once) for _ in range(count))


def _echo(count: int) -> float:
    with subprocess.Popen([sys.executable, "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def once() -> None:
            stdin.write(b"session\n")
            stdin.flush()
            stdout.readline()

        once()
        took = median(seconds(once) for _ in range(count))
        stdin.close()
        return took


def _bare_weight(program: str) -> float:
    measure = "print(int(open('/proc/self/statm').read().split()[1]) * 4096 / 1e6)"
    found = subprocess.run([sys.executable, "-c", f"{program}\n{measure}"], capture_output=True, check=True)
    return float(found.stdout)


def _time(name: str, took: list[int], raw: float, raw_name: str, goal: int | None = None) -> Number:
    value = median(took)
    return Number(
        group="starts",
        name=name,
        value=value,
        unit="ms",
        raw=raw * 1000,
        raw_name=raw_name,
        ratio=value / (raw * 1000),
        goal="" if goal is None else f"< {goal} ms",
        met=None if goal is None else value < goal,
        note=f"median of {len(took)}, worst {percentile(took, 1)} ms",
    )


def _weight(name: str, found: list[float], raw: float, goal: int | None = None) -> Number:
    value = max(found)
    return Number(
        group="starts",
        name=f"memory of {name}",
        value=value,
        unit="MB",
        raw=raw,
        raw_name="Python with the same libraries",
        ratio=value / raw,
        goal="" if goal is None else f"<= {goal} MB",
        met=None if goal is None else value <= goal,
    )
