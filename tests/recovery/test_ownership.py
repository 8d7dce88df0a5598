"""Whoever holds the lock owns the session; the kernel says who that is."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from holdfast.core.ids import SessionId
from holdfast.ownership import Lock, living, probe

S = SessionId("s")
HOLD = """
import sys, time
from pathlib import Path
from holdfast.ownership import Lock
lock = Lock.take(Path(sys.argv[1]), "s")
print("held" if lock else "taken", flush=True)
time.sleep(600)
"""


@contextmanager
def holder(folder: Path) -> Generator[subprocess.Popen[str]]:
    """Another process that owns the session."""
    with subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_nobody_owns_a_new_session(tmp_path: Path) -> None:
    """Looking makes nothing."""
    assert probe(tmp_path, S) is None
    assert living(tmp_path / "none") == []
    assert list(tmp_path.iterdir()) == []


def test_the_holder_is_named(tmp_path: Path) -> None:
    """By its process, so that it can be ended if it falls silent."""
    with holder(tmp_path) as process:
        found = probe(tmp_path, S)
        assert found is not None
        assert (found.session, found.pid, found.spooling) == (S, process.pid, False)
        assert [owner.pid for owner in living(tmp_path)] == [process.pid]


def test_a_second_owner_is_turned_away(tmp_path: Path) -> None:
    """There is one at a time."""
    with holder(tmp_path):
        assert Lock.take(tmp_path, S, patience=0.05) is None


def test_death_frees_the_lock_even_before_the_process_is_reaped(tmp_path: Path) -> None:
    """A zombie owns nothing."""
    with holder(tmp_path) as process:
        os.kill(process.pid, signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        lock = Lock.take(tmp_path, S)
        assert lock is not None
        lock.release()


def test_a_stopped_owner_still_owns(tmp_path: Path) -> None:
    """It is killed if it stays silent, never outvoted."""
    with holder(tmp_path) as process:
        os.kill(process.pid, signal.SIGSTOP)
        assert Lock.take(tmp_path, S, patience=0.05) is None


def test_a_beat_moves_the_time_of_the_last_sign_of_life(tmp_path: Path) -> None:
    """And what the holder says of itself can be read by others."""
    lock = Lock.take(tmp_path, S)
    assert lock is not None
    os.utime(tmp_path / "s.lock", ns=(1, 1))
    lock.beat()
    lock.tell(spooling=True)
    found = probe(tmp_path, S)
    assert found is not None
    assert found.beat > 1
    assert found.spooling
    lock.release()
    assert probe(tmp_path, S) is None
    assert (tmp_path / "s.lock").exists(), "the file is never unlinked: two owners would lock two files"


def test_two_who_look_at_once_see_no_holder_in_each_other(tmp_path: Path) -> None:
    """A look is no possession: the file still names its last holder, whose number may be somebody else's by now."""
    lock = Lock.take(tmp_path, S)
    assert lock is not None
    lock.release()

    def look(_: int) -> bool:
        return any(probe(tmp_path, S) for _ in range(2_000))

    with ThreadPoolExecutor(4) as looking:
        assert not any(looking.map(look, range(4)))
