"""What the supervisor remembers of runners that did not come up."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.server import supervisor as module
from holdfast.server.supervisor import Supervisor
from holdfast.settings import Settings
from holdfast.store.memory.store import MemoryStore
from tests.store.stage import T1, Run, created, events, submit


async def test_starts_that_failed_are_forgotten_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what is to be committed to memory would wait for the next message, or for the server's next start."""
    store, session = MemoryStore(), SessionId("s")
    supervisor = Supervisor(store, Settings(home=tmp_path))
    for _ in range(3):
        supervisor._count_failed_start(session, "its process ended at once.")
    assert supervisor._situation(session, set()).failed_starts == 3
    monkeypatch.setattr(module, "FORGOTTEN", -1.0)
    assert supervisor._situation(session, set()).failed_starts == 0
    await store.close()


async def test_a_spare_that_cant_be_started_keeps_nobody_from_being_looked_after(tmp_path: Path) -> None:
    """There is one only so that a first word comes sooner."""
    store = MemoryStore()
    (tmp_path / "logs").write_text("a file where its folder should be")
    supervisor = Supervisor(store, Settings(home=tmp_path))
    await supervisor._look()
    await store.close()


async def test_a_run_whose_process_can_not_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of ours ended at once then: the machine had no room for it."""
    store = MemoryStore()
    session = await created(store)
    await submit(store, T1, "hello")

    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(subprocess, "Popen", refused)
    supervisor = Supervisor(store, Settings(home=tmp_path))
    for _ in range(4):
        await supervisor._look()
    (ended,) = [event for event in await events(store, session) if isinstance(event, e.TurnEnded)]
    assert ended.error.endswith(
        "three times in a row: its process could not be made (Resource temporarily unavailable)."
    )
    await store.close()


async def test_a_read_that_comes_while_others_are_looked_after_is_looked_at_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what may still arrive of its last turn would wait until it is read once more."""
    store = MemoryStore()
    supervisor = Supervisor(store, Settings(home=tmp_path))
    looked: list[SessionId] = []
    for name in ("s1", "s2"):
        run = await Run.claim(store, await created(store, SessionId(name)))
        await run.start()
        await run.write(e.TurnEnded(turn=T1, outcome="interrupted"), e.RecoveryPending(turn=T1))

    async def attempt(session: SessionId) -> None:
        looked.append(session)
        supervisor.nudge(SessionId("s2"))

    async def nothing(*_: object) -> None:
        """The dead owners, and a spare, are not what this is about."""

    monkeypatch.setattr(supervisor, "_attempt", attempt)
    monkeypatch.setattr(supervisor, "_carry_out", nothing)
    monkeypatch.setattr(supervisor, "_keep_spare", nothing)
    supervisor.nudge(SessionId("s1"))
    await supervisor._look()
    await supervisor._look()
    assert looked == ["s1", "s2"]
    await store.close()
