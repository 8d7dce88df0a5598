"""A real `holdfast serve` process for a test, started on a free port and ended again."""

import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

LINK = re.compile(r"Holdfast is at (https?://\S+)/#code=(\S+) ")
PATIENCE_SECONDS = 60  # a limit against hanging, not a measure of speed

# Warnings are errors in the process under test too.
HOLDFAST = (sys.executable, "-W", "error", "-m", "holdfast")


@dataclass(frozen=True, kw_only=True)
class Served:
    """A running server: where it is, the code of its link, its home, its process, and what it wrote to stderr."""

    link: str
    code: str
    home: Path
    process: subprocess.Popen[str]
    errors: IO[str]

    @property
    def token(self) -> str:
        return (self.home / "token").read_text("ascii")

    @property
    def authorization(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    def client(self) -> httpx.Client:
        """A client that is signed in."""
        return httpx.Client(base_url=self.link, headers=self.authorization, timeout=PATIENCE_SECONDS)

    def async_client(self) -> httpx.AsyncClient:
        limits = httpx.Limits(max_connections=None)
        return httpx.AsyncClient(
            base_url=self.link, headers=self.authorization, timeout=PATIENCE_SECONDS, limits=limits
        )

    def wait(self) -> tuple[int, str]:
        """Wait for its end: the exit code, and all that it wrote to stderr."""
        code = self.process.wait(PATIENCE_SECONDS)
        self.errors.seek(0)
        return code, self.errors.read()

    def kill(self) -> None:
        """End it as a power failure of the process would."""
        self.process.kill()
        self.process.wait(PATIENCE_SECONDS)


@contextmanager
def served(
    home: Path, *, command: Sequence[str] = HOLDFAST, options: Sequence[str] = ("--port", "0")
) -> Generator[Served]:
    """Run `holdfast serve` with `home` for the length of the block."""
    arguments = [*command, "serve", "--home", str(home), "--no-open", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with (
        # A file, because a pipe that nobody reads would stop a server that has much to say.
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            link, code = link_said_by(process, errors)
            yield Served(link=link, code=code, home=home, process=process, errors=errors)
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def link_said_by(process: subprocess.Popen[str], errors: IO[str]) -> tuple[str, str]:
    """Wait until the process says where it is: the address of the page, and the code that signs in once."""
    assert process.stdout is not None
    line = first_line(process.stdout)
    found = LINK.match(line)
    if found is None:
        errors.seek(0)
        raise AssertionError(f"holdfast said no link but {line!r}, and on stderr: {errors.read()!r}")
    return found[1], found[2]


def first_line(stream: IO[str]) -> str:
    """The next line of `stream`; empty at its end, or when patience is."""
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=lambda: lines.put(stream.readline()), daemon=True).start()
    try:
        return lines.get(timeout=PATIENCE_SECONDS)
    except queue.Empty:
        return ""
