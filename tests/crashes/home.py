"""A home with a real server, whose processes can be found, killed and started again."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from holdfast.agents.tree import born
from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.ownership import probe
from holdfast.settings import Settings, read_settings
from holdfast.store.sqlite.connection import connect
from holdfast.store.sqlite.reading import Reading
from holdfast.store.sqlite.store import DATABASE
from tests.crashes.points import PATIENCE, Points, alive
from tests.crashes.wire import Address
from tests.served import HOLDFAST

INSIDE = Path(__file__).parent / "inside"
EVERYTHING = 1 << 40


class Home:
    """One folder, one server at a time, and whatever that server starts."""

    def __init__(self, path: Path, *, spare: bool, places: int = 16) -> None:
        """`places` is how many runners may live at once."""
        self.path = path
        path.mkdir(parents=True)
        runners = f"[runners]\nidle_minutes = 2\nspare = {str(spare).lower()}\nmax = {places}\n"
        (path / "config.toml").write_text(runners)
        self.settings: Settings = read_settings({}, home=path)
        self.points = Points(path / "points")
        self.up_at = 0.0
        self._server: subprocess.Popen[bytes] | None = None
        self._seen_up: subprocess.Popen[bytes] | None = None
        self._started: list[subprocess.Popen[bytes]] = []
        self._servers: list[subprocess.Popen[bytes]] = []
        self._errors: IO[bytes] = (path / "server.err").open("ab")

    # Processes.

    @property
    def server(self) -> int:
        """The server's pid; 0 if it is dead."""
        return self._server.pid if self._server is not None and self._server.poll() is None else 0

    def start_server(self) -> None:
        """Start it and do not wait."""
        command = [*HOLDFAST, "serve", "--home", str(self.path), "--no-open", "--port", "0"]
        self._server = subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL, stderr=self._errors)
        self._started.append(self._server)
        self._servers.append(self._server)

    @property
    def deaths(self) -> list[int]:
        """How the servers that have ended did so, in order: an exit code, or the signal below zero."""
        return [code for server in self._servers if (code := server.poll()) is not None]

    def start_runner(self, session: str) -> int:
        """Start a runner as the server would."""
        command = [sys.executable, "-P", "-m", "holdfast.runner", session, "--home", str(self.path)]
        quiet = subprocess.DEVNULL
        runner = subprocess.Popen(
            command, env=self._environment, stdin=quiet, stdout=quiet, stderr=self._errors, start_new_session=True
        )
        self._started.append(runner)
        return runner.pid

    async def up(self) -> None:
        """Have a server that answers."""
        if not self.server:
            self.start_server()
        deadline = time.monotonic() + PATIENCE
        while self.address() is None:
            if not self.server or time.monotonic() > deadline:
                said = (self.path / "server.err").read_text("utf-8", "replace")
                raise AssertionError(f"the server did not come up: {said[-500:]}")
            await asyncio.sleep(0.01)
        if self._seen_up is not self._server:
            self._seen_up, self.up_at = self._server, time.monotonic()

    def address(self) -> Address | None:
        """Where the living server is; None if there is none or it does not listen yet."""
        try:
            said = json.loads((self.path / "server.json").read_bytes())
            token = (self.path / "token").read_text("ascii")
        except (OSError, ValueError):
            return None
        return Address(said["host"], said["port"], token) if said["pid"] == self.server else None

    def runner(self, session: str) -> int:
        """The pid of the session's runner; 0 if none holds its lock.

        A lock also names a server that writes down a loss, and, for the instant in which somebody else looks at it, its
        last holder: neither is a runner.
        """
        holder = probe(self.settings.locks, SessionId(session))
        return holder.pid if holder is not None and self._is_runner(holder.pid) else 0

    def _is_runner(self, pid: int) -> bool:
        try:
            arguments = Path("/proc", str(pid), "cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return b"holdfast.runner" in arguments and str(self.path).encode() in arguments and alive(pid)

    def agent(self, session: str) -> int:
        """The pid of the session's agent, if the log names one and it lives: nobody else who has its number by now."""
        process = self.state(session).process
        if process is None or not alive(process.pid) or born(process.pid) != process.born:
            return 0
        return process.pid

    def tagged(self, session: str) -> dict[int, int]:
        """The living processes of the session's runs, with their epochs."""
        home, mark = f"HOLDFAST_RUN_HOME={self.path}".encode(), f"HOLDFAST_RUN={session}:".encode()
        found: dict[int, int] = {}
        for folder in Path("/proc").iterdir():
            try:
                variables = (folder / "environ").read_bytes().split(b"\0") if folder.name.isdecimal() else []
            except OSError:
                continue
            tags = [line.removeprefix(mark) for line in variables if line.startswith(mark)]
            if tags and home in variables and alive(int(folder.name)):
                found[int(folder.name)] = int(tags[0].partition(b".")[0])
        return found

    async def stop_runner(self, session: str) -> bool:
        """Ask the session's runner to end, and return whether it and all its processes have."""
        asked: set[int] = set()
        deadline = time.monotonic() + PATIENCE
        while (pid := self.runner(session)) or self.tagged(session):
            if pid > 0 and pid not in asked:  # a second one may have waited for the session
                os.kill(pid, signal.SIGTERM)
                asked.add(pid)
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(0.01)
        return True

    async def close(self, *, keep: bool) -> None:
        """End all that was started here."""
        self.points.clear()
        for lock in self.settings.locks.glob("*.lock"):
            if (pid := self.runner(lock.stem)) > 0:
                os.kill(pid, signal.SIGKILL)
            for stray in self.tagged(lock.stem):
                os.kill(stray, signal.SIGKILL)
        if self._server is not None and self.server:
            self._server.terminate()
        for process in self._started:
            await _ended(process)
        self._errors.close()
        shutil.rmtree(self.settings.bells, ignore_errors=True)
        if not keep:
            shutil.rmtree(self.path)

    # What is in the store. Looked at from this process, which is none of the home's own.

    def state(self, session: str) -> Session:
        reading = self._reading()
        try:
            return reading.open(SessionId(session)).session
        finally:
            reading.close()

    def log(self, session: str) -> list[Record]:
        reading = self._reading()
        try:
            return reading.read(SessionId(session), 0, EVERYTHING)
        finally:
            reading.close()

    def _reading(self) -> Reading:
        return Reading(connect(self.settings.store / DATABASE))

    @property
    def _environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(INSIDE), *filter(None, [os.environ.get("PYTHONPATH")])])
        return {**os.environ, "PYTHONPATH": path, "HOLDFAST_CRASHES": str(self.points.folder)}


async def _ended(process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:  # noqa: ASYNC110  a process has no event
        await asyncio.sleep(0.01)
    if process.poll() is None:
        process.kill()
        process.wait()
