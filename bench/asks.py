"""How soon does a client know what waits? On connecting, after a change, and after the server was killed.

A connection is opened anew for every first event, and beside it one for `/health`. A change is an answer; its age is
taken when the last of the crowd has it, counted from before the answer is sent, so that it holds the commit. The crowd
before the dialect and the same crowd before the native stream take turns.
"""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from bench.house import Serving, serving, until
from bench.measure import Number, Pairs, percentile
from bench.workshop import Workshop
from holdfast.core.ids import SessionId
from holdfast.settings import Settings
from tests.journeys.house import House
from tests.journeys.person import Person

CROWD = 200
FULL = 50
ROUNDS = 20
FIRST_GOAL, UPDATE_GOAL, BACK_GOAL = 100, 250, 2
PATIENCE = 60.0
"""Seconds: a limit against hanging, not a measure of speed."""


class Ear(asyncio.Protocol):
    """A connection that waits for words."""

    def __init__(self, words: bytes) -> None:
        self._words = words
        self._heard = b""
        self._at: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        self._heard += data
        if not self._at.done() and self._words in self._heard:
            self._at.set_result(perf_counter())

    def listen(self, words: bytes) -> None:
        """From now on, wait for these."""
        self._words, self._heard = words, b""
        self._at = asyncio.get_running_loop().create_future()

    async def at(self) -> float:
        """When it had heard the words."""
        async with asyncio.timeout(PATIENCE):
            return await self._at


async def opened(house: Serving, path: str, words: bytes) -> tuple[asyncio.Transport, Ear]:
    loop = asyncio.get_running_loop()
    transport, ear = await loop.create_connection(lambda: Ear(words), "127.0.0.1", house.port)
    head = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{house.port}\r\nauthorization: Bearer {house.token}\r\n\r\n"
    transport.write(head.encode())
    return transport, ear


async def connect(house: Serving, path: str, words: bytes) -> None:
    """Open a connection, wait for the words, and leave."""
    transport, ear = await opened(house, path, words)
    try:
        await ear.at()
    finally:
        transport.close()


class Times(Pairs):
    """Pairs that know their worst."""

    @property
    def worst(self) -> float:
        return percentile(self._ours, 0.99)


async def run(workshop: Workshop) -> list[Number]:
    rounds, crowd = workshop.size(ROUNDS), workshop.size(CROWD)
    with serving(workshop.folder / "asks", runners=4) as house:
        empty, approvals, questions, answered = house.begin("tour", 4)
        house.say(approvals, f"!approvemany {FULL}")
        house.say(questions, f"!askmany {FULL}")
        house.say(answered, f"!askmany {2 * rounds}")
        waits = ((approvals, FULL), (questions, FULL), (answered, 2 * rounds))
        until(lambda: all(len(house.waiting(session)) == count for session, count in waits), "that all of them wait")
        return [
            await _first(house, "nothing waits", {"approval": empty, "clarify": empty}, workshop.size(200)),
            await _first(house, f"{FULL} wait", {"approval": approvals, "clarify": questions}, workshop.size(200)),
            await _updates(house, answered, crowd, rounds),
            await asyncio.to_thread(_back, workshop.folder / "asks-killed"),
        ]


async def _first(house: Serving, name: str, sessions: dict[str, SessionId], count: int) -> Number:
    times = Times()
    for number in range(count):
        system = list(sessions)[number % len(sessions)]
        path = f"/api/{system}/stream?session_id={sessions[system]}"
        await times.measure_awaited(
            lambda path=path: connect(house, path, b'"pending_count"'), lambda: connect(house, "/health", b'"ok"')
        )
    return Number(
        group="asks",
        name=f"from connecting to the first event, p99, {name}",
        value=times.worst * 1000,
        unit="ms",
        raw=times.raw * 1000,
        raw_name="/health, p50",
        ratio=times.ratio,
        goal=f"< {FIRST_GOAL} ms",
        met=times.worst * 1000 < FIRST_GOAL,
        note=f"{count} connections; p50 {times.ours * 1000:.1f} ms",
    )


async def _updates(house: Serving, session: SessionId, crowd: int, rounds: int) -> Number:
    """The dialect's crowd and the native one hear of every other answer."""
    asks, times = house.waiting(session), Times()
    dialect = [await opened(house, f"/api/clarify/stream?session_id={session}", b"initial") for _ in range(crowd)]
    native = [await opened(house, house.follow(session), b"ready") for _ in range(crowd)]
    await asyncio.gather(*(ear.at() for _, ear in (*dialect, *native)))

    heard = [ear for _, ear in dialect]
    beside = [ear for _, ear in native]
    for _ in range(rounds):
        await times.measure_awaited(
            lambda: _answer(house, session, asks, heard, lambda _: b'"pending_count":%d}' % (len(asks) - 1)),
            lambda: _answer(house, session, asks, beside, lambda ask: f'"question.answered","ask":"{ask}"'.encode()),
        )
    for transport, _ in (*dialect, *native):
        transport.close()
    return Number(
        group="asks",
        name=f"from an answer to its update at all of {crowd} subscribers, p99",
        value=times.worst * 1000,
        unit="ms",
        raw=times.raw * 1000,
        raw_name=f"{crowd} viewers of the native stream, p50",
        ratio=times.ratio,
        goal=f"<= {UPDATE_GOAL} ms",
        met=times.worst * 1000 <= UPDATE_GOAL,
        note=f"{rounds} answers while both crowds listen; p50 {times.ours * 1000:.1f} ms",
    )


async def _answer(
    house: Serving, session: SessionId, asks: list[str], ears: Sequence[Ear], words: Callable[[str], bytes]
) -> None:
    """Answer the oldest, and return when everybody has heard of it."""
    for ear in ears:
        ear.listen(words(asks[0]))
    await asyncio.to_thread(house.answer, session, asks.pop(0))
    await asyncio.gather(*(ear.at() for ear in ears))


def _back(home: Path) -> Number:
    """Kill the server while fifty questions wait."""
    with ExitStack() as left, House(home) as house:
        left.callback(shutil.rmtree, Settings(home=home).bells, ignore_errors=True)
        house.start()
        person = Person(house)
        session = person.begin()
        person.say(session, f"!askmany {FULL}")
        person.wait_for_ask(session, FULL)
        house.kill()
        started = perf_counter()
        house.start()
        up = perf_counter()
        count = len(person.asks(session))
        seconds = perf_counter() - up
    return Number(
        group="asks",
        name=f"{FULL} questions are there again once the killed server is up",
        value=seconds,
        unit="s",
        goal=f"<= {BACK_GOAL} s, all of them",
        met=seconds <= BACK_GOAL and count == FULL,
        note=f"{count} of {FULL}; the server took {up - started:.2f} s to start",
    )
