"""Plays cases, several homes at a time, and says what became of each."""

import asyncio
import signal
import time
import traceback
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path

import msgspec

from tests.crashes.cases import Case
from tests.crashes.home import Home
from tests.crashes.plays import played
from tests.crashes.points import NotReached
from tests.crashes.scene import Missed, Scene
from tests.crashes.verdict import Flaw, complaints, judge, missed
from tests.crashes.viewer import Stuck

ATTEMPTS = 4
"""A blow that falls when nothing runs is struck again; so often."""
CASES_PER_HOME = 12


class Outcome(msgspec.Struct, kw_only=True):
    """What became of a case. `back` is how long after the server was up, or after the blow, all was done again."""

    case: Case
    flaws: list[Flaw]
    seconds: float
    back: float
    attempts: int
    home: str = ""


async def play(cases: Iterable[Case], folder: Path, workers: int) -> AsyncGenerator[Outcome]:
    """Play all cases and give the outcomes as they come. Asked to end, leave nothing running."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    waiting = list(cases)[::-1]
    done: asyncio.Queue[Outcome] = asyncio.Queue()
    total = len(waiting)
    async with asyncio.TaskGroup() as group:
        for worker in range(min(workers, total)):
            group.create_task(_work(worker, waiting, folder, done))
        for _ in range(total):
            yield await done.get()


async def _work(worker: int, waiting: list[Case], folder: Path, done: "asyncio.Queue[Outcome]") -> None:
    """Play cases in homes of our own; one that has shown a flaw is kept as it is."""
    number = 0
    while waiting:
        number += 1
        home = Home(folder / f"home-{worker}-{number}", spare=(worker + number) % 2 == 0)
        flawed = False
        try:
            for _ in range(CASES_PER_HOME):
                if not waiting or flawed:
                    break
                outcome = await _play_one(waiting.pop(), home)
                flawed = bool(outcome.flaws)
                outcome.home = str(home.path) if flawed else ""
                await done.put(outcome)
        finally:
            await home.close(keep=flawed)


async def _play_one(case: Case, home: Home) -> Outcome:
    started = time.monotonic()
    flaws, back, attempt = list[Flaw](), 0.0, 0
    for attempt in range(1, ATTEMPTS + 1):
        flaws, back, counts = await _try(case, home, attempt)
        if counts:
            break
    else:
        flaws = [Flaw("missed", f"nothing ran at the kill, {ATTEMPTS} times")]
    return Outcome(case=case, flaws=flaws, seconds=time.monotonic() - started, back=back, attempts=attempt)


async def _try(case: Case, home: Home, attempt: int) -> tuple[list[Flaw], float, bool]:
    """The flaws, the time until the session was back, and whether the case counts."""
    logs = Watched(home)
    session = f"{case.session}-{attempt}"
    scenes: list[Scene] = []
    try:
        async with played(case, home, session, attempt) as scenes:
            flaws = [flaw for scene in scenes for flaw in judge(scene)]
            counts = not any(missed(scene) for scene in scenes)
    except Exception as exc:  # noqa: BLE001  whatever went wrong is the outcome of this case
        home.points.clear()
        if _is(exc, Missed):
            await home.stop_runner(session)
            return [], 0.0, False
        return [_flaw(exc)], 0.0, True
    stuck = [scene for scene in scenes if not await home.stop_runner(scene.session)]
    flaws += [Flaw("stuck", f"asked to end, these do not: {home.tagged(scene.session)}") for scene in stuck]
    flaws += logs.complaints()
    return flaws, max(scene.seconds for scene in scenes), counts or bool(flaws)


def _is(exc: BaseException, kind: type[Exception]) -> bool:
    return isinstance(exc, kind) or (isinstance(exc, BaseExceptionGroup) and all(_is(e, kind) for e in exc.exceptions))


def _flaw(exc: BaseException) -> Flaw:
    if isinstance(exc, BaseExceptionGroup):
        return _flaw(exc.exceptions[0])
    if isinstance(exc, Stuck | NotReached):
        return Flaw("stuck", str(exc))
    return Flaw("broken", "".join(traceback.format_exception(exc)))


class Watched:
    """The logs of a home, from now on."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._places = {path: complaints(path, 0)[0] for path in self._paths()}

    def complaints(self) -> list[Flaw]:
        found = [line for path in self._paths() for line in complaints(path, self._places.get(path, 0))[1]]
        return [Flaw("complained", line) for line in found]

    def _paths(self) -> list[Path]:
        logs = self._home.settings.logs
        return [self._home.path / "server.err", *logs.glob("*.log"), *logs.glob("runners/*")]


def told(outcome: Outcome) -> str:
    """What became of the case, and, if it is flawed, how and where to look."""
    line = f"{outcome.seconds:5.1f} s, back in {outcome.back:4.1f} s  {outcome.case.name}"
    if not outcome.flaws:
        return f"{line}: ok"
    flaws = [f"{'':7}{flaw.kind}: {flaw.sentence}" for flaw in outcome.flaws]
    return "\n".join([f"{line}: FLAWED, kept in {outcome.home}", *flaws])
