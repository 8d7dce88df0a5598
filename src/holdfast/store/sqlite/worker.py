"""A thread that owns a connection and does one job after the other.

A job that was handed over is done, whether or not anybody still waits for it. Results travel back to the event loop
together: one wake-up for all that have finished by then.
"""

import asyncio
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, NamedTuple, TypeVar

from holdfast.core.errors import StoreError

T = TypeVar("T")
R = TypeVar("R")
_Outcome = tuple["asyncio.Future[Any]", Any, BaseException | None]
TOGETHER = 32
"""Jobs that are done together at most, so that nobody waits long for the first."""

_log = logging.getLogger(__name__)


class Job(NamedTuple, Generic[T]):
    """Something to do. `synced` says whether it must be on the disk when it is done; None: it must be done alone."""

    do: Callable[[T], Any]
    future: "asyncio.Future[Any]"
    synced: bool | None = None


class Worker(Generic[T]):
    """Runs jobs on the thing that `make` returns, which is made and closed on the worker's own thread.

    `rest` says for how many seconds the worker may wait for the next job (None: for ever); when that time is over it
    does `tidy`. Jobs that may be done together, and wait together, are done within one `together`, and their results
    are handed back after it: a job that is refused spoils nothing, any other failure is everybody's.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], T],
        close: Callable[[T], None],
        *,
        rest: Callable[[T], float | None] | None = None,
        tidy: Callable[[T], None] | None = None,
        together: Callable[[T, bool], AbstractContextManager[None]] | None = None,
        refusals: tuple[type[Exception], ...] = (),
    ) -> None:
        self._make = make
        self._close = close
        self._rest = rest
        self._tidy = tidy
        self._together = together
        self._refusals = refusals
        self._jobs: queue.SimpleQueue[Job[T] | None] = queue.SimpleQueue()
        self._held: deque[Job[T] | None] = deque()
        self._finished: deque[Sequence[_Outcome]] = deque()
        self._loop = asyncio.get_running_loop()
        self._started: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._live, name=name, daemon=True)
        self._stopped = False

    async def start(self) -> None:
        """Return when the worker has what it works on, or raise what kept it from getting it."""
        self._thread.start()
        await self._started

    async def do(self, job: Callable[[T], R]) -> R:
        """Have the job done and return its result. A cancelled caller does not stop the job."""
        if self._stopped:
            raise StoreError("it is closed.")
        future: asyncio.Future[R] = self._loop.create_future()
        self._jobs.put(Job(job, future))
        return await future

    async def share(self, job: Callable[[T], R], *, synced: bool) -> R:
        """As `do`, together with others that wait."""
        if self._stopped:
            raise StoreError("it is closed.")
        future: asyncio.Future[R] = self._loop.create_future()
        self._jobs.put(Job(job, future, synced))
        return await future

    async def stop(self) -> None:
        """Finish the jobs at hand, then close, and raise what went wrong with that. Twice is harmless."""
        if self._stopped or not self._thread.ident:
            return
        self._stopped = True
        self._jobs.put(None)
        try:
            await asyncio.shield(self._ended)
        finally:
            self._thread.join()

    def _live(self) -> None:
        try:
            thing = self._make()
        except Exception as exc:  # noqa: BLE001  handed to whoever waits for the start
            self._report((self._started, None, exc), (self._ended, None, None))
            return
        self._report((self._started, None, None))
        self._work(thing)
        self._run(thing, self._close, self._ended)

    def _work(self, thing: T) -> None:
        while (jobs := self._next(thing)) is not None:
            if len(jobs) == 1:
                self._run(thing, jobs[0].do, jobs[0].future)
            else:
                self._run_together(thing, jobs)

    def _next(self, thing: T) -> list[Job[T]] | None:
        """The next job, with those that wait and may be done together with it; None when it is time to stop."""
        job = self._held.popleft() if self._held else self._wait(thing)
        if job is None:
            return None
        jobs = [job]
        while job.synced is not None and len(jobs) < TOGETHER and not self._jobs.empty():
            following = self._jobs.get()
            if following is None or following.synced is None:
                self._held.append(following)
                break
            jobs.append(following)
        return jobs

    def _wait(self, thing: T) -> Job[T] | None:
        while True:
            try:
                return self._jobs.get(timeout=self._rest(thing) if self._rest else None)
            except queue.Empty:
                self._tidy_up(thing)

    def _run_together(self, thing: T, jobs: Sequence[Job[T]]) -> None:
        assert self._together is not None
        outcomes: list[_Outcome] = []
        try:
            with self._together(thing, any(job.synced for job in jobs)):
                for job in jobs:
                    try:
                        outcomes.append((job.future, job.do(thing), None))
                    except self._refusals as exc:
                        outcomes.append((job.future, None, exc))
        except Exception as exc:  # noqa: BLE001  handed to whoever asked for the jobs
            outcomes = [(job.future, None, exc) for job in jobs]
        self._report(*outcomes)

    def _tidy_up(self, thing: T) -> None:
        try:
            if self._tidy:
                self._tidy(thing)
        except Exception as exc:  # noqa: BLE001  nobody waits for it; whoever writes next is told
            _log.warning("store.tidy_failed", extra={"worker": self._thread.name, "error": str(exc)})

    def _run(self, thing: T, job: Callable[[T], Any], future: "asyncio.Future[Any]") -> None:
        try:
            self._report((future, job(thing), None))
        except Exception as exc:  # noqa: BLE001  handed to whoever asked for the job
            self._report((future, None, exc))

    def _report(self, *outcomes: _Outcome) -> None:
        """Hand back the outcomes in one go: those who go on from there have their next jobs done together, too."""
        self._finished.append(outcomes)
        alone = len(self._finished) == 1  # asked after the append: whatever lies before it will be handed back with it
        if alone and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hand_back)

    def _hand_back(self) -> None:
        while self._finished:
            for future, result, error in self._finished.popleft():
                if future.done():
                    continue
                if error is None:
                    future.set_result(result)
                else:
                    future.set_exception(error)
