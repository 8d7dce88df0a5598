"""A real server in a home of its own, with what a measurement does to it. All that was started ends with it."""

import secrets
import shutil
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx

from holdfast.core.ids import SessionId
from holdfast.endpoints import Endpoint, save_endpoint
from holdfast.ownership import probe
from holdfast.settings import Settings
from tests.journeys.house import House

STILL = 0.3
"""Seconds without work after which a process counts as waiting."""
INSIDE = Path(__file__).parent / "inside"
PATIENCE = 120.0
"""Seconds: a limit against hanging, not a measure of speed."""


class Serving:
    """The server, and somebody who is signed in."""

    def __init__(self, house: House, client: httpx.Client) -> None:
        self._house = house
        self._client = client
        self.home: Path = house.home
        self.pid: int = house.server.process.pid
        self.port: int = httpx.URL(house.server.link).port or 0
        self.token: str = house.server.token

    def begin(self, agent: str, count: int = 1) -> list[SessionId]:
        """New sessions with this agent."""
        made = [self._client.post("/api/sessions", json={"agent": agent}).raise_for_status() for _ in range(count)]
        return [SessionId(answer.json()["id"]) for answer in made]

    def say(self, session: SessionId, text: str) -> None:
        body = {"id": f"turn-{secrets.token_hex(6)}", "text": text}
        self._client.post(f"/api/sessions/{session}/turns", json=body).raise_for_status()

    def say_all(self, sessions: Sequence[SessionId], text: str) -> None:
        for session in sessions:
            self.say(session, text)

    def clear(self, session: SessionId) -> None:
        self._client.post(f"/api/sessions/{session}/truncate", json={}).raise_for_status()

    def browse(self) -> None:
        """Ask for the session list as a page does."""
        self._client.get("/api/sessions", params={"limit": 50}).raise_for_status()

    def snapshot(self, session: SessionId) -> dict[str, Any]:
        return self._client.get(f"/api/sessions/{session}").raise_for_status().json()

    def waiting(self, session: SessionId) -> list[str]:
        """The asks that wait, oldest first."""
        asks = self._client.get(f"/api/sessions/{session}/asks").raise_for_status().json()["asks"]
        return [ask["ask"] for ask in asks]

    def answer(self, session: SessionId, ask: str, text: str = "this") -> None:
        """Answer a question."""
        self._client.post(f"/api/sessions/{session}/asks/{ask}", json={"text": text}).raise_for_status()

    def quiet(self) -> None:
        """Return when no turn runs or waits."""
        until(lambda: not any(row["state"] != "idle" for row in self._rows()), "that every turn has ended", pause=0.2)

    def seq(self, session: SessionId) -> int:
        return self._client.get(f"/api/sessions/{session}").raise_for_status().json()["seq"]

    def records(self, session: SessionId) -> list[dict[str, Any]]:
        """The first few hundred records."""
        answer = self._client.get(f"/api/sessions/{session}/records", params={"after": 0}).raise_for_status()
        return answer.json()["records"]

    def follow(self, session: SessionId, after: int | None = None) -> str:
        """The address of a live connection to the session, from now on if nothing else is said."""
        return f"/api/stream?follow={session}:{self.seq(session) if after is None else after}"

    def runner(self, session: SessionId) -> int:
        """The process that owns the session now."""
        holder = probe(self._house.home / "run", session)
        return 0 if holder is None else holder.pid

    def agents(self, session: SessionId) -> set[int]:
        return self._house.tree(session)

    def _rows(self) -> list[dict[str, Any]]:
        return self._client.get("/api/sessions", params={"limit": 200}).raise_for_status().json()["sessions"]


@contextmanager
def serving(
    home: Path, *, runners: int = 16, spare: bool = False, stamps: bool = False, model: str = ""
) -> Generator[Serving]:
    """A server for the length of the block. `stamps` adds the agent of that name, which no release has. The spare is
    one for the scripted agent, or with a model's address for the built-in one."""
    config = f"[runners]\nmax = {runners}\nspare = {str(spare).lower()}\n"
    command = ("env", f"HOLDFAST_AGENT={'builtin' if model else 'tour'}", sys.executable, "-m", "holdfast")
    if stamps:
        command = ("env", f"PYTHONPATH={INSIDE}", *command)
    try:
        with House(home, config) as house:
            if model:
                save_endpoint(
                    Settings(home=home), Endpoint(name="mock", base_url=model, key="none", models=("mock-1",))
                )
            house.start(command=command)
            with house.server.client() as client:
                yield Serving(house, client)
    finally:
        shutil.rmtree(Settings(home=home).bells, ignore_errors=True)


def until(true: Callable[[], object], what: str, *, pause: float = 0.02) -> None:
    deadline = monotonic() + PATIENCE
    while not true():
        if monotonic() > deadline:
            raise TimeoutError(f"After {PATIENCE:.0f} s there is still not: {what}.")
        sleep(pause)


def resident(pid: int) -> float:
    """MB of memory that the process has in RAM, what it shares with others included."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * 4096 / 1e6


def busy(pid: int) -> int:
    """Ticks of processor time that it has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def at_rest(pid: int) -> bool:
    before = busy(pid)
    sleep(STILL)
    return busy(pid) == before
