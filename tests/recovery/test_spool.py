"""What could not be stored waits in space that was reserved, each line on its own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.core.events import TextAppended
from holdfast.core.ids import SessionId, TurnId
from holdfast.store.spool import Spool, Spooled, dead_spools, look, spool_path


def words(*texts: str) -> list[TextAppended]:
    return [TextAppended(turn=TurnId("t"), text=text) for text in texts]


def texts(facts: Sequence[Spooled]) -> list[str]:
    return [fact.event.text for fact in facts if isinstance(fact.event, TextAppended)]


def left_by_a_dead_process(path: Path, program: str) -> None:
    """Let another process use the spool and die without a word."""
    start = (
        "import os, sys; from pathlib import Path; from holdfast.store.spool import Spool;"
        "from holdfast.core.events import TextAppended as T;"
        f"spool = Spool.reserve(Path({str(path)!r}), 65536);"
    )
    subprocess.run([sys.executable, "-c", f"{start}{program}; os.kill(os.getpid(), 9)"], check=False)


def test_what_is_written_is_found(tmp_path: Path) -> None:
    """In order, with its numbers."""
    path = tmp_path / "s.1.spool"
    left_by_a_dead_process(path, "spool.write(5, [T(turn='t', text='a'), T(turn='t', text='b')])")
    found = look(path)
    assert [(fact.n, fact.event) for fact in found.facts] == list(enumerate(words("a", "b"), 5))
    assert (found.begun, found.sealed, found.held) == (True, False, False)


def test_the_space_is_there_before_it_is_needed(tmp_path: Path) -> None:
    """A full disk later takes nothing away."""
    spool = Spool.reserve(tmp_path / "s.1.spool", 1 << 20)
    status = (tmp_path / "s.1.spool").stat()
    assert status.st_size == 1 << 20
    assert status.st_blocks * 512 >= 1 << 20
    assert status.st_mode & 0o077 == 0
    spool.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_spool_that_was_never_begun_says_so(tmp_path: Path) -> None:
    """Nothing is missing then."""
    path = tmp_path / "s.1.spool"
    left_by_a_dead_process(path, "pass")
    assert look(path).begun is False


def test_a_living_owner_holds_its_spool(tmp_path: Path) -> None:
    """While it does, more may come."""
    spool = Spool.reserve(tmp_path / "s.1.spool", 4096)
    assert look(tmp_path / "s.1.spool").held
    spool.remove()


def test_a_sealed_spool_says_so(tmp_path: Path) -> None:
    """Nothing more will come."""
    path = tmp_path / "s.1.spool"
    left_by_a_dead_process(path, "spool.write(1, [T(turn='t', text='a')]); spool.seal()")
    found = look(path)
    assert found.sealed
    assert texts(found.facts) == ["a"]


def test_what_has_no_room_is_refused_whole(tmp_path: Path) -> None:
    """And what was there stays."""
    spool = Spool.reserve(tmp_path / "s.1.spool", 4096)
    assert spool.write(1, words("kept"))
    assert not spool.write(2, words("x" * 5000))
    assert texts(spool.facts()) == ["kept"]
    spool.remove()


def test_cleared_space_is_used_again(tmp_path: Path) -> None:
    """After the store has come back."""
    spool = Spool.reserve(tmp_path / "s.1.spool", 4096)
    for n in range(1, 100):
        assert spool.write(n, words("y" * 1000))
        spool.clear()
    assert spool.empty
    assert spool.facts() == []
    spool.remove()


@pytest.mark.contract("R6")
def test_R6_a_damaged_line_costs_itself_alone(tmp_path: Path) -> None:  # noqa: N802  the rule's number
    """What precedes it and what follows it is read, wherever it is hit."""
    path = tmp_path / "s.1.spool"
    left_by_a_dead_process(path, "spool.write(1, [T(turn='t', text=x) for x in 'abc'])")
    whole = path.read_bytes()
    lines = whole.split(b"\n")
    start = len(lines[0]) + 1
    for at in range(start, start + len(lines[1])):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        path.write_bytes(damaged)
        found = texts(look(path).facts)
        assert found in (["a", "c"], ["a", "b", "c"]), at
        assert found == ["a", "c"]


def test_a_torn_end_costs_the_last_line(tmp_path: Path) -> None:
    """A process may die in the middle of a write."""
    path = tmp_path / "s.1.spool"
    left_by_a_dead_process(path, "spool.write(1, [T(turn='t', text=x) for x in 'abc'])")
    whole = path.read_bytes().rstrip(b"\0")
    path.write_bytes(whole[:-5])
    assert texts(look(path).facts) == ["a", "b"]


def test_only_earlier_owners_of_the_session_count(tmp_path: Path) -> None:
    """Oldest first."""
    for name in ("s.10.spool", "s.2.spool", "s.11.spool", "other.1.spool", "s.x.spool", "s.3"):
        (tmp_path / name).touch()
    found = dead_spools(tmp_path, SessionId("s"), 11)
    assert found == [(2, tmp_path / "s.2.spool"), (10, tmp_path / "s.10.spool")]
    assert spool_path(tmp_path, SessionId("s"), 2) == tmp_path / "s.2.spool"
    assert dead_spools(tmp_path / "none", SessionId("s"), 9) == []


def test_a_spool_that_cant_be_read_is_an_error_not_an_empty_one(tmp_path: Path) -> None:
    """Whoever asks must know the difference."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="directory"):
        look(tmp_path / "folder")
