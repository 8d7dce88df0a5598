"""`python -m holdfast.agents.builtin`: speak ACP on stdin and stdout until stdin ends.

All that it needs is imported before the first line is read, so that a process that was started early answers at once.
What anything here prints goes to stderr: stdout belongs to the protocol.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from holdfast.agents.builtin.agent import Agent
from holdfast.agents.builtin.link import Link
from holdfast.agents.tree import HOME
from holdfast.settings import read_settings

CHUNK = 256 * 1024


def main() -> None:
    out = os.dup(1)
    os.dup2(2, 1)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(out))
    os._exit(0)  # a look-up may still hold a thread; nobody listens any more


async def _serve(out: int) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=CHUNK)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", buffering=0))
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(out, "wb", buffering=0)
    )
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    home = os.environ.get(HOME)
    settings = read_settings(os.environ, home=Path(home) if home else None)
    turns: set[asyncio.Task[str]] = set()

    def spawn(turn: Coroutine[Any, Any, str]) -> asyncio.Task[str]:
        task = asyncio.create_task(turn)
        turns.add(task)
        task.add_done_callback(turns.discard)
        return task

    agent = Agent(Link(writer), settings, dict(os.environ), spawn)
    await agent.warm()
    reading = asyncio.create_task(_read(reader, agent))
    loop.add_signal_handler(signal.SIGTERM, reading.cancel)
    with contextlib.suppress(asyncio.CancelledError, ConnectionError):
        await reading
    for task in list(turns):
        task.cancel()
    if turns:
        await asyncio.wait(turns, timeout=2)
    await agent.close()


async def _read(reader: asyncio.StreamReader, agent: Agent) -> None:
    while data := await reader.read(CHUNK):
        agent.feed(data)


if __name__ == "__main__":
    main()
