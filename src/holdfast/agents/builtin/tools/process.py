"""A program that a tool starts, from its start to the end of all that it left.

Law: what a program starts ends with it: its group is killed when it returns, is stopped or takes too long, and on Linux
whatever of it made a group of its own is found by its mark. What it prints is shown as it comes.
"""

import asyncio
import codecs
import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Sequence

from holdfast.agents.builtin.deed import Bench, Done, Say, bounded
from holdfast.agents.spawning import connected, spawn
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
    program, output, late = await Program.start(command, bench), Output(say), False
    try:
        async with asyncio.timeout(seconds):
            await program.hear_out(output)
    except TimeoutError:
        late = True
    finally:
        await program.end()
    await output.feed(b"", final=True)
    text = output.whole(_ending(program.code, seconds, late=late))
    return Done(text=bounded(text) or "(no output)", shown=text, failed=late or program.code != 0)


class Program:
    """Use `start`. asyncio's own processes are not over while anything holds their output open; this one is."""

    def __init__(self, process: "subprocess.Popen[bytes]", mark: str, home: str) -> None:
        self._process = process
        self._mark = mark
        self._home = home
        self._loop = asyncio.get_running_loop()
        self._reader = asyncio.StreamReader(limit=CHUNK)
        self._pipe: asyncio.ReadTransport | None = None
        self._exited = asyncio.Event()

    @classmethod
    async def start(cls, command: Sequence[str], bench: Bench) -> "Program":
        mark = f"{os.getpid()}.{bench.call}"
        process = spawn(
            command,
            bench.workspace.root,
            {**bench.environ, **QUIET, CALL: mark},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        program = cls(process, mark, bench.environ.get(HOME, ""))
        await connected(program._connect(), program.end)
        return program

    async def _connect(self) -> None:
        threading.Thread(target=self._watch, name="program", daemon=True).start()
        self._pipe, _ = await self._loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), self._process.stdout
        )

    @property
    def code(self) -> int | None:
        return self._process.returncode

    def _watch(self) -> None:
        self._process.wait()
        with contextlib.suppress(RuntimeError):  # the loop may have ended before the program
            self._loop.call_soon_threadsafe(self._exited.set)

    async def hear_out(self, output: "Output") -> None:
        """Hear it to the end of its output, or until a moment after its own."""
        exited = asyncio.create_task(self._exited.wait())
        try:
            while data := await self._piece(exited):
                await output.feed(data)
            await exited
        finally:
            exited.cancel()

    async def _piece(self, exited: "asyncio.Task[bool]") -> bytes:
        reading = asyncio.create_task(self._reader.read(CHUNK))
        try:
            await asyncio.wait({reading, exited}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await asyncio.wait({reading}, timeout=GRACE)
            return reading.result() if reading.done() else b""
        finally:
            reading.cancel()

    async def end(self) -> None:
        """Kill what is left of it, and come back when it is gone, also if whoever waits is cancelled again."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        ending = asyncio.to_thread(end_tree, self._mark, home=self._home, mark=CALL, patience=1.0)
        await asyncio.shield(asyncio.ensure_future(ending))
        await self._exited.wait()
        if self._pipe is not None:
            self._pipe.close()


def _ending(code: int | None, seconds: float, *, late: bool) -> str:
    if late:
        return f"[It was ended after {seconds:.0f} seconds.]"
    if code is not None and code < 0:
        return f"[It was killed by signal {-code}.]"
    return f"[It ended with exit code {code}.]" if code else ""
