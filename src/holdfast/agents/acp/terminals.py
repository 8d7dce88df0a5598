"""Commands that an agent has us run, and what they print.

Each runs in a group of its own, with a scrubbed environment and the mark of its run, without input, and dies with us.
On Linux what it started is found by that mark, whatever became of groups and parents.
What it prints is kept as text, at most so many bytes of it: the beginning is dropped first, by whole characters.

Law: whoever asks for the end of a command is answered after all that it printed was read. A program that the command
left behind may hold the pipe open: it is listened to for a moment more, and ended with the terminal.
"""

import asyncio
import codecs
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from holdfast.agents.child import CHUNK, GRACE, scrubbed
from holdfast.agents.pipes import End
from holdfast.agents.spawning import spawn
from holdfast.agents.tree import HOME, MARK, TERMINAL, born, end_tree
from holdfast.core.errors import Refused

KEPT = 1024 * 1024
"""Bytes of output that are kept when the agent names no limit."""
MOST = 16 * 1024 * 1024
"""Bytes that are kept at most, whatever it names."""
TICK = 0.001
"""Seconds that a read after the exit counts for at least, so that a flood of a program left behind has an end."""


class NotStarted(Refused):
    """{0} can't be started in {1}: {2}."""


class Exit(msgspec.Struct, frozen=True):
    """How a command ended: by itself, with a code, or by a signal."""

    code: int | None
    signal: str | None


class Output:
    """The last bytes of a text, cut between characters. `cut` says that there was more."""

    def __init__(self, limit: int | None) -> None:
        self._limit = KEPT if limit is None else max(0, min(limit, MOST))
        self._kept = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.cut = False

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Take what was printed; return what is new of it as text, without half a character at its end."""
        text = self._decoder.decode(data, final)
        self._kept += text.encode()
        if len(self._kept) > self._limit:
            start = len(self._kept) - self._limit
            while start < len(self._kept) and self._kept[start] & 0xC0 == 0x80:
                start += 1
            del self._kept[:start]
            self.cut = True
        return text

    def __str__(self) -> str:
        return self._kept.decode()


class Terminal:
    """Use `Terminal.start`, in a thread that lives as long as the command may."""

    def __init__(self, process: "subprocess.Popen[bytes]", name: str, home: str, limit: int | None) -> None:
        self._process = process
        self._name = name
        self._home = home
        self.pid = process.pid
        self._born = born(process.pid)
        self._exited = asyncio.Event()
        self._patience: asyncio.Timeout | None = None
        self._left = GRACE
        self.output = Output(limit)
        self.over = asyncio.Event()
        """Set when it has ended and all that it printed was read."""

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        tag: str,
        name: str,
        home: str = "",
        limit: int | None = None,
    ) -> "Terminal":
        """Start the command `name` of the run `tag`. Raise `NotStarted` if it can't be started."""
        name = f"{tag}/{name}"
        marks = {MARK: tag, TERMINAL: name} | ({HOME: home} if home else {})
        environment = {**scrubbed(os.environ), **env, **marks}
        try:
            process = spawn(command, cwd, environment, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        except (OSError, ValueError) as exc:
            reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else exc
            raise NotStarted(command[0], cwd, reason) from exc
        return cls(process, name, home, limit)

    @property
    def exit(self) -> Exit | None:
        """How it ended; None until it is over."""
        code = self._process.returncode
        if not self.over.is_set() or code is None:
            return None
        return Exit(code, None) if code >= 0 else Exit(None, _signal(-code))

    async def run(self, printed: Callable[[str], Awaitable[None]]) -> None:
        """Hand all that it prints to `printed`, which may wait and so hold the command up; return at its end."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=CHUNK)
        pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), End(self._process.stdout))
        threading.Thread(target=self._watch, args=(loop,), name="terminal", daemon=True).start()
        try:
            while data := await self._read(reader):
                await printed(self.output.feed(data))
            await self._exited.wait()
            await printed(self.output.feed(b"", final=True))
        finally:
            pipe.close()
            self.over.set()

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        """What it printed next; empty at the end, or when we have waited for a moment in all since it exited."""
        if self._left <= 0:
            return b""
        loop = asyncio.get_running_loop()
        began = loop.time()
        limit = began + self._left if self._exited.is_set() else None
        try:
            async with asyncio.timeout_at(limit) as self._patience:
                return await reader.read(CHUNK)
        except TimeoutError:
            return b""
        finally:
            self._patience = None
            if limit is not None:
                self._left -= max(TICK, loop.time() - began)

    async def kill(self) -> None:
        """End the command and all that it started. What it printed stays."""
        alive = self._process.returncode is None
        await asyncio.to_thread(
            end_tree,
            self._name,
            self.pid if alive or sys.platform == "linux" else None,  # elsewhere a group is known by its number alone
            home=self._home,
            leader_born=self._born if alive else 0,
            mark=TERMINAL,
        )

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        self._process.wait()
        with contextlib.suppress(RuntimeError):  # the loop may have ended before the command
            loop.call_soon_threadsafe(self._note_exit, loop)

    def _note_exit(self, loop: asyncio.AbstractEventLoop) -> None:
        self._exited.set()
        if self._patience is not None:
            self._patience.reschedule(loop.time() + self._left)


def shell_line(command: str, args: Sequence[str]) -> list[str]:
    """What to run. A command that comes without arguments is a line for the shell, as agents mean it."""
    if args:
        return [command, *args]
    return [shutil.which("bash") or "/bin/sh", "-c", command]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
