"""A child process with its pipes and its tree.

It starts in its own session and group, with a scrubbed environment, its run's mark in it, and, on Linux, the wish to be
killed when its parent dies. Writing never waits: what the child does not read yet lies in a buffer, so that its output
is read on even while its input is stuck. Reading is the caller's: what is not asked for stays in the pipe, and in the
end holds up the child.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from holdfast.agents.pipes import End
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

PR_SET_PDEATHSIG = 1
# Looked up once, here: between fork and exec nothing may be imported.
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


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
        self._stderr = Tail()
        self._complained = asyncio.Event()
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
        """Raise OSError if the program can't be started.

        To be called in a thread that lives as long as the child may: Linux takes the end of that thread for the end
        of the parent.
        """
        environment = scrubbed(os.environ, keep) | dict(env or {}) | {MARK: tag} | ({HOME: home} if home else {})
        child = cls(spawn(command, cwd, environment), tag, home)
        connecting = asyncio.create_task(child._connect(), name="connecting")
        try:
            await asyncio.shield(connecting)  # a few steps, which can't be left half done
        except asyncio.CancelledError:
            await connecting
            await child.end()
            raise
        return child

    @property
    def stderr(self) -> str:
        """The last lines that it wrote to stderr."""
        return str(self._stderr)

    @property
    def code(self) -> int | None:
        """Its exit code, negative for a signal; None while it lives."""
        return self._process.returncode

    def write(self, data: bytes) -> None:
        """Hand over `data` and go on. To a child that is gone it says nothing."""
        if self._input is not None and not self._input.is_closing():
            self._input.write(data)

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
        """Kill it and all that it started; return the pids of what would not die."""
        left = await asyncio.to_thread(
            end_tree, self.tag, self.group, home=self._home, leader_born=self.born if self.code is None else 0
        )
        with contextlib.suppress(TimeoutError):  # its last words: they explain its end
            async with asyncio.timeout(GRACE):
                await self._complained.wait()
        for pipe in self._pipes:
            pipe.close()
        return left

    async def _connect(self) -> None:
        process, loop = self._process, self._loop
        self._input, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, End(process.stdin))
        said, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self._output), End(process.stdout))
        complained, _ = await loop.connect_read_pipe(
            lambda: _Complaints(self._stderr, self._complained), End(process.stderr)
        )
        self._pipes = [self._input, said, complained]
        threading.Thread(target=self._watch, name="child", daemon=True).start()

    def _watch(self) -> None:
        self._process.wait()
        with contextlib.suppress(RuntimeError):  # the loop may have ended before the child
            self._loop.call_soon_threadsafe(self._note_exit)

    def _note_exit(self) -> None:
        self._exited.set()
        if self._patience is not None:
            self._patience.reschedule(self._loop.time() + GRACE)


class _Complaints(asyncio.Protocol):
    def __init__(self, tail: Tail, over: asyncio.Event) -> None:
        self._tail = tail
        self._over = over

    def data_received(self, data: bytes) -> None:
        self._tail.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's signature)
        self._over.set()


def dying_with_parent() -> Callable[[], None] | None:
    """What a child does between fork and exec, so that the kernel kills it when we die; None where that can't be."""
    if _prctl is None:
        return None
    parent, ask = os.getpid(), _prctl

    def die_with_parent() -> None:
        # Safe between fork and exec although other threads run: one C call and two system calls, nothing allocated
        # that another thread could have locked. The parent may have died before the wish was made.
        ask(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return die_with_parent


def spawn(
    command: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    *,
    stdin: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> "subprocess.Popen[bytes]":
    """Start a program in a session and group of its own that dies with us. See `Child.start` for where to call it."""
    with warnings.catch_warnings():
        # From Python 3.12 on, any fork beside threads is warned of, whatever is done after it.
        warnings.simplefilter("ignore", DeprecationWarning)
        return subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(environment),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            start_new_session=True,
            preexec_fn=dying_with_parent(),  # noqa: PLW1509 (see there)
        )
