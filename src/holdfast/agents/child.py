"""A child process with its pipes and its tree.

It starts in its own session and group, with a scrubbed environment, its run's mark in it, and, on Linux, the wish to be
killed when its parent dies. Writing never waits: what the child does not read yet lies in a buffer, so that its output
is read on even while its input is stuck. Reading is the caller's: what is not asked for stays in the pipe, and in the
end holds up the child.

Law: of what it was told, only what nobody can have read is called unread. At its end that is taken out of the pipe,
which is proof: whoever may still hold the other end finds nothing.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from holdfast.agents.pipes import End, Unread
from holdfast.agents.spawning import connected, spawn
from holdfast.agents.stderr import Tail
from holdfast.agents.tree import HOME, MARK, born, end_tree

ALLOWED = frozenset(
    {"PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR"}
)
ALLOWED_PREFIXES = ("LC_", "XDG_")
CHUNK = 256 * 1024
GRACE = 0.5
"""How long after the child's end its output may still come: a tool that it left behind can hold the pipe open."""

Pipe = TypeVar("Pipe", bound=asyncio.BaseTransport)


def scrubbed(environ: Mapping[str, str], keep: Sequence[str] = ()) -> dict[str, str]:
    """What an agent may see of our environment: what a program needs to run, and what `keep` names."""
    allowed = ALLOWED | set(keep)
    return {name: value for name, value in environ.items() if name in allowed or name.startswith(ALLOWED_PREFIXES)}


class Child:
    """Use `start`. `read` gives what it says, `write` takes what it is told, `wait` its exit code."""

    def __init__(self, process: "subprocess.Popen[bytes]", tag: str, home: str) -> None:
        self._process = process
        self.tag = tag
        self._home = home
        self._loop = asyncio.get_running_loop()
        self._exited = asyncio.Event()
        self._patience: asyncio.Timeout | None = None
        self._output = asyncio.StreamReader(limit=CHUNK)
        self._pipes: list[asyncio.BaseTransport] = []
        self._input: asyncio.WriteTransport | None = None
        self._ear = _Ear()
        self._unread: Unread | None = None
        self.told = 0
        """How many bytes were written to it."""
        self.heard: int | None = None
        """How many of them, at most, anybody has read or will. Known at its end."""
        self._stderr = Tail()
        self._complained = asyncio.Event()
        self._ending: asyncio.Task[set[int]] | None = None
        self.pid = process.pid
        self.group = process.pid
        self.born = born(process.pid)

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        tag: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        home: str = "",
    ) -> "Child":
        """Raise OSError if the program can't be started. See `spawn` for where to call it."""
        environment = scrubbed(os.environ, keep) | dict(env or {}) | {MARK: tag} | ({HOME: home} if home else {})
        child = cls(spawn(command, cwd, environment), tag, home)
        await connected(child._connect(), child.end)
        return child

    @property
    def stderr(self) -> str:
        """The last lines that it wrote to stderr."""
        return str(self._stderr)

    @property
    def code(self) -> int | None:
        """Its exit code, negative for a signal; None while it lives."""
        return self._process.returncode

    @property
    def gone(self) -> bool:
        """Whether it has ended. The kernel is asked: the thread that waits for the end may be late to say so."""
        if self.code is not None or sys.platform != "linux":
            return self.code is not None
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # that thread has heard of it just now
            return True

    def write(self, data: bytes) -> None:
        """Hand over `data` and go on. To a child that is gone it says nothing."""
        if self._input is not None and not self._input.is_closing():
            self._input.write(data)
            self.told += len(data)

    async def read(self) -> bytes:
        """Return what it said next; empty at its end."""
        limit = self._loop.time() + GRACE if self._exited.is_set() else None
        try:
            async with asyncio.timeout_at(limit) as self._patience:
                return await self._output.read(CHUNK)
        except TimeoutError:
            return b""
        finally:
            self._patience = None

    async def wait(self) -> int:
        await self._exited.wait()
        return self._process.returncode

    def hang_up(self) -> None:
        """Close its input, which tells it to end when it has nothing to do."""
        if self._input is not None:
            self._input.close()

    def terminate(self) -> None:
        """Ask it, not its tools, to end."""
        if self.code is None:
            self._process.terminate()

    async def end(self) -> set[int]:
        """Kill it and all that it started; return the pids of what would not die.

        Whoever waits for this may be cut off; the killing goes on then, and the next call returns after it.
        """
        self._ending = asyncio.create_task(self._end_after(self._ending), name="ending")
        left = await asyncio.shield(self._ending)
        await self._take_back()
        with contextlib.suppress(TimeoutError):  # its last words: they explain its end
            async with asyncio.timeout(GRACE):
                await self._complained.wait()
        for pipe in self._pipes:
            pipe.close()
        for file in (self._process.stdin, self._process.stdout, self._process.stderr):
            if file is not None:
                file.close()  # one that was never connected
        return left

    async def _take_back(self) -> None:
        """Nothing that it has not read by now is read any more. What a closed pipe held can't be told.

        The loop may go on writing until it lets go of the pipe, so nothing is counted before that.
        """
        if self._input is not None:
            self._input.abort()
            await self._ear.closed.wait()
        if self._unread is not None:
            self.heard, self._unread = self.told - self._ear.unsent - self._unread.take(), None

    async def _end_after(self, earlier: "asyncio.Task[set[int]] | None") -> set[int]:
        if earlier is not None:
            await asyncio.wait([earlier])
        return await asyncio.to_thread(
            end_tree, self.tag, self.group, home=self._home, leader_born=self.born if self.code is None else 0
        )

    async def _connect(self) -> None:
        threading.Thread(target=self._watch, name="child", daemon=True).start()
        process, loop = self._process, self._loop
        assert process.stdin is not None  # asked for, when it was started
        self._unread = Unread(process.stdin.fileno())
        self._input = await self._joined(loop.connect_write_pipe, lambda: self._ear, process.stdin)
        await self._joined(loop.connect_read_pipe, lambda: asyncio.StreamReaderProtocol(self._output), process.stdout)
        await self._joined(loop.connect_read_pipe, lambda: _Complaints(self._stderr, self._complained), process.stderr)

    async def _joined(
        self,
        connect: Callable[[Callable[[], asyncio.BaseProtocol], Any], Awaitable[tuple[Pipe, Any]]],
        protocol: Callable[[], asyncio.BaseProtocol],
        file: IO[bytes] | None,
    ) -> Pipe:
        end = End(file)
        try:
            pipe, _ = await connect(protocol, end)
        except BaseException:
            end.close()
            raise
        self._pipes.append(pipe)
        return pipe

    def _watch(self) -> None:
        self._process.wait()
        with contextlib.suppress(RuntimeError):  # the loop may have ended before the child
            self._loop.call_soon_threadsafe(self._note_exit)

    def _note_exit(self) -> None:
        self._exited.set()
        if self._patience is not None:
            self._patience.reschedule(self._loop.time() + GRACE)


class _Ear(asyncio.BaseProtocol):
    """Our end of its input: what of all that was written was never sent, known when no more can be."""

    def __init__(self) -> None:
        self.unsent = 0
        self.closed = asyncio.Event()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)  # what uvloop gives is one, but derives from none

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's signature)
        if self._transport is not None:
            self.unsent = self._transport.get_write_buffer_size()
        self.closed.set()


class _Complaints(asyncio.Protocol):
    def __init__(self, tail: Tail, over: asyncio.Event) -> None:
        self._tail = tail
        self._over = over

    def data_received(self, data: bytes) -> None:
        self._tail.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's signature)
        self._over.set()
