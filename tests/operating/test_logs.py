"""The operator's log holds one line an event, whatever the fields hold."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import logs


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    handler = logs.start(tmp_path / "logs", "info")
    yield tmp_path / "logs" / logs.NAME
    logging.getLogger("holdfast").removeHandler(handler)
    handler.close()


def test_a_line_has_its_time_level_event_and_fields(log_file: Path) -> None:
    """What an operator greps for is plain."""
    logging.getLogger("holdfast.store").info("store.opened", extra={"lineage": "4f1c", "seconds": 2})
    line = log_file.read_text()
    assert line.endswith(" info store.opened lineage=4f1c seconds=2\n")
    assert line[:2] == "20"
    assert "Z info" in line


def test_hostile_fields_cant_forge_lines(log_file: Path) -> None:
    """A newline in a field stays inside its quotes."""
    logging.getLogger("holdfast.server").warning("refused", extra={"path": "/x\n2026 info forged"})
    (line,) = log_file.read_text().splitlines()
    assert r"/x\n2026 info forged" in line


def test_a_failure_keeps_its_traceback(log_file: Path) -> None:
    """The line says what, the traceback below it where."""
    try:
        {}["gone"]
    except KeyError:
        logging.getLogger("holdfast.runner").exception("turn.failed")
    text = log_file.read_text()
    assert "error turn.failed" in text
    assert "KeyError: 'gone'" in text


def test_below_the_level_nothing_is_written(log_file: Path) -> None:
    """The level is the one that was chosen."""
    logging.getLogger("holdfast.store").debug("noise")
    assert log_file.read_text() == ""


def test_only_the_owner_can_read_it(log_file: Path) -> None:
    """Logs name sessions and folders."""
    assert log_file.stat().st_mode & 0o077 == 0
    assert log_file.parent.stat().st_mode & 0o077 == 0


def test_a_log_that_begins_anew_is_its_owners_alone_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the umask, and though an earlier one was left open."""
    monkeypatch.setattr(logs, "SIZE", 200)
    before = os.umask(0)
    try:
        (tmp_path / logs.NAME).touch(0o644)
        handler = logs.start(tmp_path, "info")
        for number in range(20):
            logging.getLogger("holdfast.store").info("store.opened", extra={"number": number})
        logging.getLogger("holdfast").removeHandler(handler)
        handler.close()
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob(f"{logs.NAME}*")}
    assert len(modes) == logs.KEPT + 1
    assert set(modes.values()) == {0o600}


def test_what_looks_like_a_key_is_hidden(log_file: Path) -> None:
    """In fields and in tracebacks, whoever wrote it."""
    key = f"sk-proj-{'0123456789abcdef' * 2}"
    try:
        {}[f"wrong key {key}"]
    except KeyError:
        logging.getLogger("holdfast.runner").exception("agent.failed", extra={"stderr": f"KEY={key}"})
    said = log_file.read_text()
    assert key not in said
    assert said.count("[hidden, ") >= 2
