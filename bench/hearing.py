"""Streams and those who hear them: ours and the bare one behind the same face, with the same viewers."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import IO, Protocol

import msgspec

from bench.audience import Heard, Plan
from bench.house import Serving
from bench.measure import percentile
from holdfast.core.ids import SessionId

LATEST = 30.0
"""Seconds that the last words may take beyond their time before a round is given up."""


class Streams(Protocol):
    """One or several agents that stream words when they are told to."""

    port: int
    token: str

    def paths(self) -> list[str]:
        """Where to follow them from now on, one address for each."""
        ...

    def prompt(self, text: str) -> None: ...


class Ours:
    def __init__(self, house: Serving, sessions: Sequence[SessionId]) -> None:
        self._house = house
        self._sessions = sessions
        self.port: int = house.port
        self.token: str = house.token

    def paths(self) -> list[str]:
        return [self._house.follow(session) for session in self._sessions]

    def prompt(self, text: str) -> None:
        self._house.say_all(self._sessions, text)


class Bare:
    def __init__(self, process: "subprocess.Popen[str]", count: int) -> None:
        self._process = process
        self._count = count
        self.port: int = int(_pipe(process.stdout).readline())
        self.token: str = "none"

    def paths(self) -> list[str]:
        return [f"/{number}" for number in range(self._count)]

    def prompt(self, text: str) -> None:
        _say(self._process, text)


@contextmanager
def bare(count: int) -> Generator[Bare]:
    with _program("bench.bare", str(count)) as process:
        yield Bare(process, count)


class Hearing:
    """The ages of the words of several rounds, in milliseconds, and how many viewers had all of them."""

    def __init__(self) -> None:
        self._ages: list[int] = []
        self.viewers = 0
        self.complete = 0
        self.bytes = 0
        self.slow_bytes = 0

    def add(self, heard: Heard, viewers: int) -> None:
        self._ages += heard.ages
        self.viewers += viewers
        self.complete += heard.complete if len(heard.last_ids) == 1 or viewers == heard.complete else 0
        self.bytes += heard.bytes
        self.slow_bytes += heard.slow_bytes

    def age(self, part: float) -> float:
        return percentile(self._ages, part) / 1000

    @property
    def words(self) -> int:
        return len(self._ages)


def hear(
    streams: Streams,
    *,
    words: int,
    pause: float,
    viewers: int = 1,
    slow: Sequence[str] = (),
    meanwhile: Callable[[], None] | None = None,
) -> Heard:
    """One round: `viewers` for each stream, all there before the first word. `meanwhile` is called again and again."""
    plan = Plan(
        port=streams.port,
        token=streams.token,
        paths=streams.paths() * viewers,
        words=words,
        seconds=words * pause / 1000 + LATEST,
        slow=slow,
    )
    with tempfile.TemporaryDirectory() as folder:
        return _attend(plan, Path(folder), lambda: streams.prompt(f"stream {words} {pause}"), meanwhile)


def _attend(plan: Plan, folder: Path, begin: Callable[[], None], meanwhile: Callable[[], None] | None) -> Heard:
    paths = folder / "plan.json", folder / "heard.json"
    paths[0].write_bytes(msgspec.json.encode(plan))
    with _program("bench.audience", *map(str, paths)) as process:
        if _pipe(process.stdout).readline() != "ready\n":
            raise RuntimeError("The viewers could not connect.")
        begin()
        while process.poll() is None:
            if meanwhile is not None:
                meanwhile()
            sleep(0.1)
    return msgspec.json.decode(paths[1].read_bytes(), type=Heard)


@contextmanager
def _program(module: str, *arguments: str) -> "Generator[subprocess.Popen[str]]":
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            _pipe(process.stdin).close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _say(process: "subprocess.Popen[str]", line: str) -> None:
    _pipe(process.stdin).write(f"{line}\n")
    _pipe(process.stdin).flush()


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe
