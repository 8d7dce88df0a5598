"""From a message to the first word: a runner started for it, or the one that was kept warm; and what they weigh.

The times are those of the records in the log, in whole milliseconds, so that they hold what a person waits for: the
server's look, the process, the claim, the agent, every sync. Beside them are bare processes that only start, or only
answer.
"""

import subprocess
import sys
from pathlib import Path
from statistics import median

import httpx
import msgspec

from bench.house import Serving, at_rest, resident, serving, until
from bench.measure import Number, percentile, seconds
from bench.workshop import Workshop
from tests.real.model import serving as mock_model

LIBRARIES = "import asyncio, apsw, msgspec"
SERVER_LIBRARIES = f"{LIBRARIES}, uvloop, httptools, uvicorn, starlette"
ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
RUNNER_GOAL, SPARE_GOAL, AGENT_GOAL, BUILTIN_GOAL = 40, 15, 100, 150


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of one launch, and MB of what was launched."""

    pid: int
    runner: int
    agent: int
    word: int
    runner_weight: float
    agent_weight: float


def run(workshop: Workshop) -> list[Number]:
    count = max(3, workshop.size(15))
    cold, idle = _launches(workshop.folder / "cold", count, spare=False)
    warm, _ = _launches(workshop.folder / "warm", count, spare=True)
    with mock_model() as model:
        builtin, _ = _launches(workshop.folder / "builtin", count, spare=True, model=model.url)
        asked = _ask(model.url, count)
    libraries, nothing = _start(f"{LIBRARIES}; print()", count), _start("print()", count)
    return [
        _time("a runner says its first, started for it", [x.runner for x in cold], libraries, "Python with libraries"),
        _time(
            "a runner says its first, from the spare",
            [x.runner for x in warm],
            _echo(count),
            "a line and back",
            SPARE_GOAL,
        ),
        _time("the scripted agent is ready after that", [x.agent for x in cold], nothing, "bare Python", AGENT_GOAL),
        _time("message to first word, runner started for it", [x.word for x in cold], libraries + nothing, "both bare"),
        _time("message to first word, from the spare", [x.word for x in warm], nothing, "bare Python"),
        _time("the same, the built-in agent", [x.word for x in builtin], asked, "the model alone", BUILTIN_GOAL),
        _weight("a runner with a turn behind it", [x.runner_weight for x in cold], bare_weight(LIBRARIES), RUNNER_GOAL),
        _weight("its scripted agent", [x.agent_weight for x in cold], bare_weight("import json")),
        _weight("the idle server", [idle], bare_weight(SERVER_LIBRARIES)),
    ]


def _launches(home: Path, count: int, *, spare: bool, model: str = "") -> tuple[list[Launch], float]:
    """Launch one after the other; also what the server weighs before."""
    with serving(home, runners=count + 1, spare=spare, model=model) as house:
        until(lambda: at_rest(house.pid), "a server at rest")
        idle = resident(house.pid)
        done: list[Launch] = []
        for _ in range(count):
            if spare:
                _wait_for_spare(house, {launch.pid for launch in done})
            done.append(_launch(house, "builtin" if model else "tour"))
        return done, idle


def _wait_for_spare(house: Serving, taken: set[int]) -> None:
    """Until there is one that was not given a session, and that has nothing to do any more, nor has its agent."""

    def ready() -> bool:
        spares = [pid for pid in _children(house.pid) if pid not in taken and _is_spare(pid)]
        return any(_children(pid) and all(at_rest(each) for each in (pid, *_children(pid))) for pid in spares)

    until(ready, "a spare that waits")


def _launch(house: Serving, agent: str) -> Launch:
    (session,) = house.begin(agent)
    house.say(session, "!say hello")
    house.quiet()
    times = {record["event"]["kind"]: record["time"] for record in reversed(house.records(session))}
    return Launch(
        pid=house.runner(session),
        runner=times["runner.started"] - times["turn.submitted"],
        agent=times["agent.opened"] - times["turn.started"],
        word=times["text.appended"] - times["turn.submitted"],
        runner_weight=resident(house.runner(session)),
        agent_weight=sum(resident(pid) for pid in house.agents(session)),
    )


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]


def _is_spare(pid: int) -> bool:
    return b"--spare" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _ask(url: str, count: int) -> float:
    """Seconds until the model has said its first to somebody who asks it without an agent, as a median."""
    body = {"model": "mock-1", "stream": True, "messages": [{"role": "user", "content": "!say hello"}]}

    def once() -> None:
        with client.stream("POST", f"{url}/chat/completions", json=body) as response:
            next(response.iter_bytes())

    with httpx.Client() as client:
        return median(seconds(once) for _ in range(count))


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


def bare_weight(program: str) -> float:
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
        goal="" if goal is None else f"<= {goal} ms",
        met=None if goal is None else value <= goal,
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
