"""`python -m holdfast.agents.scripted`: speak ACP on stdin and stdout until stdin ends.

Words behind it name extensions that it is not to offer: `steer`, `reasons`, `commitMemory`.
"""

import os
import signal
import sys

from holdfast.agents.scripted.agent import Agent


def main() -> None:
    agent = Agent(write=_write, without=sys.argv[1:])

    def terminated(_signal: int, _frame: object) -> None:
        if not agent.hanging:
            os._exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, terminated)
    while data := os.read(0, 1 << 16):
        agent.feed(data)
    if agent.hanging:
        while True:
            signal.pause()
    os._exit(0)  # a turn may still run in its thread; nobody listens any more


def _write(data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(1, view) :]
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
