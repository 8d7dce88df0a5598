"""What the supervisor remembers of runners that did not come up."""

from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.server import supervisor as module
from holdfast.server.supervisor import Supervisor
from holdfast.settings import Settings
from holdfast.store.memory.store import MemoryStore


async def test_starts_that_failed_are_forgotten_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what is to be committed to memory would wait for the next message, or for the server's next start."""
    store, session = MemoryStore(), SessionId("s")
    supervisor = Supervisor(store, Settings(home=tmp_path))
    for _ in range(3):
        supervisor._count_failed_start(session)
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
