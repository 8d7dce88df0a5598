"""A runner that only lacks the name of its session: everything is imported, and one agent may be started already.

Law: there is at most one, and its agent is the one that the next session will most likely want. When that changes, it
makes room for another.
"""

import subprocess
from collections.abc import Callable

Process = subprocess.Popen[str]
FAREWELL = 3.0
"""Seconds that one gets to end, with its agent, when the server does."""


class Spare:
    """`start` starts one with the agent of that name, or with none if there is no name."""

    def __init__(self, start: Callable[[str], Process]) -> None:
        self._start = start
        self._process: Process | None = None
        self._agent = ""
        self._leaving: list[Process] = []

    def keep(self, agent: str) -> None:
        """Have one, with that agent. One that is dead or has another goes first; the next look starts its successor."""
        self._leaving = [process for process in self._leaving if process.poll() is None]
        if self._process is None:
            self._process, self._agent = self._start(agent), agent
        elif self._process.poll() is not None or self._agent != agent:
            _hang_up(self._process)
            self._leaving.append(self._process)  # it has an agent to end: nobody waits for that
            self._process = None

    def take(self, line: str) -> Process | None:
        """Give it its session and let go of it; None if there is none, or if it has gone."""
        process, self._process = self._process, None
        if process is None:
            return None
        try:
            assert process.stdin is not None
            with process.stdin as named:
                named.write(line)
        except OSError:
            return None
        return process if process.poll() is None else None

    def dismiss(self) -> None:
        """End it, and wait for that."""
        process, self._process = self._process, None
        if process is not None:
            _hang_up(process)
            self._leaving.append(process)
        for process in self._leaving:
            _see_off(process)


def _see_off(process: Process) -> None:
    try:
        process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _hang_up(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
