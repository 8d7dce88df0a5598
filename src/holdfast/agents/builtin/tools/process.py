"""A program that a tool starts, from its start to the end of all that it left.

Law: what a program starts ends with it: its group is killed when it returns, is stopped or takes too long, and on Linux
whatever of it made a group of its own is found by its mark. What it prints is shown as it comes.
"""

import asyncio
import codecs
import contextlib
import os
import signal
from collections.abc import Sequence

from holdfast.agents.builtin.deed import Bench, Done, Say, bounded
from holdfast.agents.child import dying_with_parent
from holdfast.agents.tree import HOME, end_tree

CALL = "HOLDFAST_CALL"
"""The mark of one program, beside that of its run."""
SHOWN = 200_000
"""Characters of output that a person is shown as they come, and that are kept."""
CHUNK = 64 * 1024
GRACE = 0.3
"""Seconds that output may still come after the end: something it left behind can hold the pipe open."""
QUIET = {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "TERM": "dumb", "PYTHONUNBUFFERED": "1"}


class Output:
    """What a command printed: shown as it comes up to a limit, and of the rest the end."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head: list[str] = []
        self._tail = ""
        self._size = 0
        self._left = 0

    async def feed(self, data: bytes, *, final: bool = False) -> None:
        text = self._decoder.decode(data, final)
        shown, rest = text[: max(0, SHOWN - self._size)], text[max(0, SHOWN - self._size) :]
        self._size += len(shown)
        self._left += len(rest)
        self._tail = (self._tail + rest)[-SHOWN // 10 :]
        if shown:
            self._head.append(shown)
            await self._say(shown)

    def whole(self, ending: str) -> str:
        text = "".join(self._head)
        if self._left > len(self._tail):
            text += f"\n[... {self._left - len(self._tail):,} characters left out ...]\n"
        text += self._tail
        return f"{text}\n{ending}".lstrip("\n") if ending else text


async def run(command: Sequence[str], seconds: float, bench: Bench, say: Say) -> Done:
    """Run it in the workspace and return what it printed."""
    home = bench.environ.get(HOME, "")
    mark = f"{os.getpid()}.{bench.call}"
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=bench.workspace.root,
        env={**bench.environ, **QUIET, CALL: mark},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=dying_with_parent(),
    )
    output, late = Output(say), False
    try:
        async with asyncio.timeout(seconds):
            await _listen(process, output)
    except TimeoutError:
        late = True
    finally:
        await _end(process, mark, home)
    await output.feed(b"", final=True)
    ending = _ending(process.returncode, seconds, late=late)
    text = output.whole(ending)
    return Done(text=bounded(text) or "(no output)", shown=text, failed=late or process.returncode != 0)


async def _listen(process: asyncio.subprocess.Process, output: Output) -> None:
    """Hear it out: to the end of its output, or a moment after its own."""
    assert process.stdout is not None
    exited = asyncio.create_task(process.wait())
    try:
        while True:
            reading = asyncio.create_task(process.stdout.read(CHUNK))
            try:
                await asyncio.wait({reading, exited}, return_when=asyncio.FIRST_COMPLETED)
                if not reading.done():
                    await asyncio.wait({reading}, timeout=GRACE)
                if not reading.done() or not (data := reading.result()):
                    break
            finally:
                reading.cancel()
            await output.feed(data)
        await exited
    finally:
        exited.cancel()


async def _end(process: asyncio.subprocess.Process, mark: str, home: str) -> None:
    """Kill what is left, and come back when it is gone, whoever is waiting or not."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    ending = asyncio.ensure_future(asyncio.to_thread(end_tree, mark, home=home, mark=CALL, patience=1.0))
    await asyncio.shield(ending)
    await process.wait()


def _ending(code: int | None, seconds: float, *, late: bool) -> str:
    if late:
        return f"[It was ended after {seconds:.0f} seconds.]"
    if code is not None and code < 0:
        return f"[It was killed by signal {-code}.]"
    return f"[It ended with exit code {code}.]" if code else ""
