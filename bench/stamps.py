"""An agent whose every word says when it was spoken: `<number>@<nanoseconds of CLOCK_MONOTONIC>`.

`python stamps.py` speaks ACP with nothing of Holdfast, so that it is ready at once and the same program can stand
before a bare pipe. The last line of a prompt says what to do: `stream COUNT MS` is that many words, one every MS
milliseconds; `fill BYTES` is that much text in large pieces.
"""

import json
import os
import sys
import time
from typing import Any

WORD = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":'
    b'"agent_message_chunk","messageId":"m1","content":{"type":"text","text":" %d@%d"}}}}\n'
)
PIECE = 64_000


def send(**message: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def write(line: bytes) -> None:
    view = memoryview(line)
    while view:
        view = view[os.write(1, view) :]


def stream(count: int, pause: float) -> None:
    begun = time.monotonic()
    for number in range(1, count + 1):
        ahead = begun + (number - 1) * pause / 1000 - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        os.write(1, WORD % (number, time.monotonic_ns()))


def fill(size: int) -> None:
    for _ in range(0, size, PIECE):
        content = {"type": "text", "text": "y" * PIECE}
        update = {"sessionUpdate": "agent_message_chunk", "messageId": "m2", "content": content}
        send(method="session/update", params={"sessionId": "s", "update": update})


def perform(wish: str) -> None:
    name, *numbers = wish.split()
    if name == "stream":
        stream(int(numbers[0]), float(numbers[1]))
    else:
        fill(int(numbers[0]))


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
            case "session/new":
                send(id=message["id"], result={"sessionId": "s"})
            case "session/prompt":
                perform(message["params"]["prompt"][0]["text"].splitlines()[-1])
                send(id=message["id"], result={"stopReason": "end_turn"})
            case _:
                pass


if __name__ == "__main__":
    main()
