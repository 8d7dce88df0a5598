"""Many viewers in one lean process: how old is each word when it arrives, and did everybody get every word?

`python -m bench.audience PLAN HEARD` reads its `Plan` from one file, connects, says `ready`, and writes what it `Heard`
to the other when all have had the end of the turn, or when time is over. Viewers that are sent the same bytes share the
work of reading them.
"""

import asyncio
import gc
import re
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import msgspec
import uvloop

STAMP = re.compile(rb"(\d+)@(\d+)")
LAST_ID = re.compile(rb"id: \S+?:(\d+)\n(?!.*\nid: )", re.DOTALL)
ENDED = b'"turn.ended"'
FRAMES_END = (b"\n\n", b"\n\n\r\n")
"""As it ends bare, and within a chunk of HTTP."""
REMEMBERED = 4_000


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Where to connect, once for each path, and how many words each is to get. `slow` is read a byte a second."""

    port: int
    token: str
    paths: Sequence[str]
    words: int
    seconds: float
    slow: Sequence[str] = ()


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """`complete` viewers had every word once and in order, and the end; `ages` are those of all words, in µs."""

    complete: int
    ages: list[int]
    bytes: int
    last_ids: list[int]
    slow_bytes: int


class Said(msgspec.Struct, frozen=True):
    """What some bytes hold: the words' numbers without a gap, or none at all."""

    first: int
    last: int
    stamps: tuple[int, ...]
    seq: int
    ended: bool


def read(data: bytes) -> Said:
    found = [(int(number), int(stamp)) for number, stamp in STAMP.findall(data)]
    numbers = [number for number, _ in found]
    whole = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True
    last = LAST_ID.search(data)
    return Said(
        numbers[0] if numbers and whole else 0,
        numbers[-1] if numbers and whole else 0,
        tuple(stamp for _, stamp in found),
        int(last[1]) if last else 0,
        ENDED in data,
    )


class Audience:
    """What all viewers share."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.ages: list[int] = []
        self.known: dict[bytes, Said] = {}
        self.greeted = 0
        self.over = 0
        self.changed = asyncio.Event()

    def understand(self, data: bytes) -> Said:
        said = self.known.get(data)
        if said is None:
            if len(self.known) > REMEMBERED:
                self.known.clear()
            said = self.known[data] = read(data)
        return said


class Viewer(asyncio.Protocol):
    def __init__(self, audience: Audience, path: str) -> None:
        self._audience = audience
        self._path = path
        self._rest = b""
        self._greeted = False
        self._transport: asyncio.WriteTransport | None = None
        self.bytes = 0
        self.last = 0
        self.seq = 0
        self.whole = True
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)  # uvloop's are no subclasses
        self._transport.write(asked(self._audience.plan, self._path))

    def data_received(self, data: bytes) -> None:
        now = time.monotonic_ns()
        self.bytes += len(data)
        if not self._greeted:
            self._greet(data)
            return
        if self._rest:
            data, self._rest = self._rest + data, b""
        if not data.endswith(FRAMES_END):
            self._rest = data
            return
        said = self._audience.understand(data)
        self.seq = said.seq or self.seq
        if said.stamps:
            self.whole = self.whole and said.first == self.last + 1
            self.last = said.last
            self._audience.ages.extend([(now - stamp) // 1000 for stamp in said.stamps])
        if said.ended:
            self._end()

    def _greet(self, data: bytes) -> None:
        """The head of the answer, and perhaps the first frames, come before any word."""
        if not data.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(data[:300].decode("utf-8", "replace"))
        self._greeted = True
        self._audience.greeted += 1
        self._audience.changed.set()

    def _end(self) -> None:
        if not self.ended:
            self.ended = True
            self._audience.over += 1
            self._audience.changed.set()

    @property
    def complete(self) -> bool:
        return self.ended and self.whole and self.last == self._audience.plan.words

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def asked(plan: Plan, path: str) -> bytes:
    head = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{plan.port}\r\nauthorization: Bearer {plan.token}\r\n\r\n"
    return head.encode()


class Slow:
    """A viewer that reads one byte a second, behind the smallest buffer that the system gives."""

    def __init__(self, plan: Plan, path: str) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        self._socket.connect(("127.0.0.1", plan.port))
        self._socket.sendall(asked(plan, path))
        self._socket.settimeout(0)
        self.bytes = 0

    async def run(self) -> None:
        while True:
            await asyncio.sleep(1)
            self.bytes += len(self._socket.recv(1))

    def close(self) -> None:
        self._socket.close()


async def attend(plan: Plan) -> Heard:
    loop = asyncio.get_running_loop()
    audience = Audience(plan)
    slow = [Slow(plan, path) for path in plan.slow]
    reading = [asyncio.create_task(viewer.run()) for viewer in slow]
    viewers = [Viewer(audience, path) for path in plan.paths]
    try:
        for viewer in viewers:
            await loop.create_connection(lambda viewer=viewer: viewer, "127.0.0.1", plan.port)
        async with asyncio.timeout(plan.seconds):
            await until(audience, lambda: audience.greeted == len(viewers))
        print("ready", flush=True)
        gc.freeze()
        try:
            async with asyncio.timeout(plan.seconds):
                await until(audience, lambda: audience.over == len(viewers))
        except TimeoutError:
            pass  # those who had not everything are not counted as complete
    finally:
        for task in reading:
            task.cancel()
        for viewer in (*viewers, *slow):
            viewer.close()
    return Heard(
        complete=sum(viewer.complete for viewer in viewers),
        ages=audience.ages,
        bytes=sum(viewer.bytes for viewer in viewers),
        last_ids=sorted({viewer.seq for viewer in viewers}),
        slow_bytes=sum(viewer.bytes for viewer in slow),
    )


async def until(audience: Audience, true: Callable[[], bool]) -> None:
    while not true():
        audience.changed.clear()
        await audience.changed.wait()


def main() -> None:
    plan = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Plan)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        heard = runner.run(attend(plan))
    Path(sys.argv[2]).write_bytes(msgspec.json.encode(heard))


if __name__ == "__main__":
    main()
