"""The thread that owns a connection: jobs in order, every answer handed back, nothing left behind."""

import asyncio
import contextlib
import threading
from collections import deque
from typing import Any

import pytest

from holdfast.core.errors import StoreError
from holdfast.store.sqlite.worker import Worker

PATIENCE = 15.0


def broken(_: object) -> None:
    raise RuntimeError("It broke.")


async def started(**options: Any) -> Worker[list[int]]:
    worker: Worker[list[int]] = Worker("tests", list, lambda _: None, **options)
    await worker.start()
    return worker


async def test_jobs_are_done_one_after_the_other() -> None:
    """In the order in which they were handed over, on one thread that is not ours."""
    worker = await started()
    threads = await asyncio.gather(
        *(worker.do(lambda row, n=n: (row.append(n), threading.get_ident())) for n in range(50))
    )
    assert await worker.do(lambda row: row) == list(range(50))
    assert len({thread for _, thread in threads} - {threading.get_ident()}) == 1
    await worker.stop()


async def test_a_job_that_fails_fails_its_caller_alone() -> None:
    """The worker goes on."""
    worker = await started()
    with pytest.raises(RuntimeError, match="It broke"):
        await worker.do(broken)
    assert await worker.do(lambda _: 7) == 7
    await worker.stop()


class Sly(deque[Any]):
    """A row of answers that somebody empties at the worst moment: after the worker looked, before it adds the next."""

    def __init__(self, worker: Worker[Any]) -> None:
        super().__init__()
        self.worker = worker

    def append(self, answer: Any) -> None:
        if len(self) == 1:
            done = threading.Event()
            self.worker._loop.call_soon_threadsafe(lambda: (self.worker._hand_back(), done.set()))
            done.wait(PATIENCE)
        super().append(answer)


async def test_an_answer_is_handed_back_although_the_row_was_emptied_meanwhile() -> None:
    """Whoever adds an answer to an empty row wakes the loop, however the two threads meet."""
    worker = await started()
    worker._finished = Sly(worker)
    async with asyncio.timeout(PATIENCE):
        for _ in range(20):
            assert await asyncio.gather(*(worker.do(lambda _, n=n: n) for n in range(5))) == [0, 1, 2, 3, 4]
    await worker.stop()


async def test_what_was_done_together_is_handed_back_together() -> None:
    """Whoever hears of one outcome finds all of them there: so those who wait in step stay in step."""
    worker = await started(together=lambda _, __: contextlib.nullcontext())
    worker._finished = Sly(worker)
    first = threading.Event()
    waiting = [asyncio.ensure_future(worker.do(lambda _: first.wait(PATIENCE)))]
    waiting += [asyncio.ensure_future(worker.share(lambda _: True, synced=False)) for _ in range(8)]
    await asyncio.sleep(0)  # all are handed over
    first.set()
    assert await waiting[1]
    assert all(each.done() for each in waiting)
    await worker.stop()


async def test_a_worker_that_could_not_start_can_be_stopped() -> None:
    """What it needs could not be made: the caller is told, and nothing hangs."""
    worker: Worker[None] = Worker("tests", lambda: broken(None), lambda _: None)
    with pytest.raises(RuntimeError, match="It broke"):
        await worker.start()
    async with asyncio.timeout(PATIENCE):
        await worker.stop()
        await worker.stop()


async def test_a_worker_that_was_never_started_can_be_stopped() -> None:
    """There is no thread to wait for."""
    worker: Worker[None] = Worker("tests", lambda: None, lambda _: None)
    async with asyncio.timeout(PATIENCE):
        await worker.stop()


async def test_what_goes_wrong_with_closing_is_told_once() -> None:
    """The thread ends all the same, and a second stop is harmless."""
    worker: Worker[None] = Worker("tests", lambda: None, broken)
    await worker.start()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(RuntimeError, match="It broke"):
            await worker.stop()
        await worker.stop()
    assert not worker._thread.is_alive()


async def test_a_stopped_worker_takes_no_jobs() -> None:
    """Nobody waits for what will never be done."""
    worker = await started()
    await worker.stop()
    with pytest.raises(StoreError, match="closed"):
        await worker.do(lambda _: 7)


async def test_tidying_that_fails_ends_nothing() -> None:
    """It is tried again, and jobs are done in between."""
    tries: list[int] = []

    def tidy(_: object) -> None:
        tries.append(1)
        raise RuntimeError("It broke.")

    worker = await started(rest=lambda _: 0.01, tidy=tidy)
    async with asyncio.timeout(PATIENCE):
        while len(tries) < 3:
            assert await worker.do(lambda _: 7) == 7
            await asyncio.sleep(0.02)
    await worker.stop()
