"""The raw limit of a stream: agents on pipes, and their words straight to every viewer. No store, no log, no sessions.

`python -m bench.bare COUNT` starts that many agents of `bench.stamps` and says on which port it is. `GET /K` follows
the Kth. Each line that it is then given is a prompt to all of them. A frame has the bytes of ours.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import cast

import uvloop

from holdfast.core import codec
from holdfast.core.events import TextAppended, TurnEnded
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Record
from holdfast.server.sse import HEADERS, record_frames

TURN = TurnId("turn-1-01234567")
HEAD = "HTTP/1.1 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items()) + "\r\n: hello\n\n"
MARK = "@@"
PROGRAM = str(Path(__file__).parent / "stamps.py")


class Wire:
    """One agent's words as frames, to whoever follows it."""

    def __init__(self, number: int) -> None:
        self.viewers: set[asyncio.WriteTransport] = set()
        self._session = SessionId(f"session-{number}")
        said = TextAppended(turn=TURN, text=MARK, message="m1")
        record = Record(seq=1_000_001, time=1_700_000_000_000, event=said, epoch=1, n=1_000_001)
        self._before, _, self._after = codec.encode_record(record).partition(MARK.encode())
        self._seq = 0

    def pass_on(self, line: bytes) -> None:
        self._seq += 1
        text = line.partition(b'"text":"')[2].partition(b'"')[0]
        if text:
            data = self._before + text + self._after
            frame = b"id: %s:%d\nevent: record\ndata: %s\n\n" % (self._session.encode(), self._seq, data)
        else:
            ended = Record(seq=self._seq, time=0, event=TurnEnded(turn=TURN, outcome="completed"))
            frame = record_frames(self._session, [ended])
        for viewer in self.viewers:
            viewer.write(frame)


class Agent(asyncio.SubprocessProtocol):
    """Reads an agent's output, and hands it prompts."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._rest = b""
        self._transport: asyncio.SubprocessTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)  # uvloop's are no subclasses

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        del fd
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._wire.pass_on(line)

    def prompt(self, text: str) -> None:
        assert self._transport is not None
        pipe = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
        params = {"prompt": [{"type": "text", "text": text}]}
        pipe.write(json.dumps({"id": 1, "method": "session/prompt", "params": params}).encode() + b"\n")

    def end(self) -> None:
        if self._transport is not None:
            self._transport.kill()
            self._transport.close()


class Door(asyncio.Protocol):
    """Lets a viewer in."""

    def __init__(self, wires: list[Wire]) -> None:
        self._wires = wires
        self._wire: Wire | None = None
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        self._wire = self._wires[int(data.split(b" ", 2)[1][1:])]
        self._wire.viewers.add(self._transport)
        self._transport.write(HEAD.encode())

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if self._wire is not None and self._transport is not None:
            self._wire.viewers.discard(self._transport)


async def serve(count: int) -> None:
    loop = asyncio.get_running_loop()
    wires = [Wire(number) for number in range(count)]
    agents = [Agent(wire) for wire in wires]
    server = await loop.create_server(lambda: Door(wires), "127.0.0.1", 0, backlog=1_000)
    try:
        for agent in agents:
            await loop.subprocess_exec(lambda agent=agent: agent, sys.executable, "-P", PROGRAM, stderr=None)
        print(server.sockets[0].getsockname()[1], flush=True)
        while prompt := (await asyncio.to_thread(sys.stdin.readline)).strip():
            for agent in agents:
                agent.prompt(prompt)
    finally:
        server.close()
        for agent in agents:
            agent.end()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(int(sys.argv[1])))
