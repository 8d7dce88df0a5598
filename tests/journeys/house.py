"""A home whose server can die and come back, and whose runners live on meanwhile."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from holdfast.agents.tree import end_tree, tree
from holdfast.core.ids import SessionId
from holdfast.ownership import Holder, living, probe
from tests.journeys.patience import wait_until
from tests.served import HOLDFAST, PATIENCE_SECONDS, Served, served

QUIET = "[runners]\nspare = false\n"
"""No runner is kept warm: a test that counts processes or arms faults wants those that it asked for."""


class House:
    """Use it as a context: every process that it started ends with it."""

    def __init__(self, home: Path, config: str = QUIET) -> None:
        self.home = home
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        (home / "config.toml").write_text(config)
        self._serving = ExitStack()
        self._server: Served | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._serving.close()
        for holder in living(self.home / "run"):
            self.end_runner(SessionId(holder.session))
            end_tree(f"{holder.session}:", home=str(self.home))

    # The server.

    def start(self, *, command: Sequence[str] = HOLDFAST, faults: str = "") -> Served:
        """Start the server. Faults are armed in it and in the runners that it starts."""
        armed = ("env", f"HOLDFAST_FAULTS={faults}") if faults else ()
        self._server = self._serving.enter_context(served(self.home, command=(*armed, *command)))
        return self._server

    def kill(self) -> None:
        """End the server as kill -9 does."""
        self.server.kill()
        self._serving.close()

    def stop(self) -> None:
        """End what `KillMode=process` ends: the server's main process, politely."""
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.wait(PATIENCE_SECONDS)
        self._serving.close()

    def restart(self, *, command: Sequence[str] = HOLDFAST, faults: str = "") -> None:
        self.stop()
        self.start(command=command, faults=faults)

    @property
    def server(self) -> Served:
        """The server that was started last; it may be dead."""
        assert self._server is not None
        return self._server

    # Runners and their agents.

    def runner(self, session: SessionId) -> Holder | None:
        """Who owns the session now."""
        return probe(self.home / "run", session)

    def running(self, session: SessionId) -> int:
        """The process that owns the session; there must be one soon."""
        wait_until(lambda: self.runner(session), f"an owner of {session}")
        holder = self.runner(session)
        assert holder is not None
        return holder.pid

    def end_runner(self, session: SessionId, number: signal.Signals = signal.SIGKILL) -> None:
        """End the session's runner, and return when it is gone."""
        holder = self.runner(session)
        if holder is not None and holder.pid > 0:
            os.kill(holder.pid, number)
            wait_until(lambda: not owns(self.runner(session), holder.pid), f"the end of {holder.pid}")

    def end_agent(self, session: SessionId) -> None:
        """Kill the session's agent, as the machine does when it is out of memory: it, and nothing that it started.

        Return when it is dead: a signal is sent at once and is obeyed later, and until then it can be handed a message.
        """
        agents = self.agents(session)
        for pid in agents:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(map(alive, agents)), f"the end of {agents}")

    def agents(self, session: SessionId) -> set[int]:
        """The agents themselves: of all that carries the mark of the session, what its runner has started."""
        runner = self.running(session)
        return {pid for pid in self.tree(session) if parent(pid) == runner}

    def tree(self, session: SessionId) -> set[int]:
        """The living processes of the session's agents, of whatever epoch."""
        return tree(f"{session}:", home=str(self.home))

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Use the command on this home."""
        command = [*HOLDFAST, *arguments, "--home", str(self.home)]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)


def owns(holder: Holder | None, pid: int) -> bool:
    return holder is not None and holder.pid == pid


def parent(pid: int) -> int:
    """Who started the process; 0 if it has gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except FileNotFoundError:
        return 0


def alive(pid: int) -> bool:
    """Whether the process can still do anything: a zombie can't."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # gone before, or while it was read
        return False
    return state not in ("Z", "X")
