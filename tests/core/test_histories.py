"""The short histories of `tests/histories`: each says what is true, and holds the session that must come of it.

They are shared with the reducer of the page, so that both are twins. The first line says what a history is about, the
last one what it yields, as `window.dump` writes it; between them are records as they are stored and sent.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.core import window
from holdfast.core.coalesce import coalesce
from holdfast.core.codec import decode_record, encode_record
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from tests.core.shelf import Shelved, joined

FOLDER = Path(__file__).parents[1] / "histories"
PATHS = sorted(FOLDER.glob("*.jsonl"))


class About(msgspec.Struct, forbid_unknown_fields=True):
    """The first line. `contract` names the numbered promises that the history shows."""

    about: str
    contract: list[str] = []


class Yields(msgspec.Struct, forbid_unknown_fields=True):
    """The last line."""

    session: dict[str, Any]


class History:
    def __init__(self, path: Path) -> None:
        first, *self.lines, last = path.read_bytes().splitlines()
        self.about = msgspec.json.decode(first, type=About)
        self.session = msgspec.json.decode(last, type=Yields).session
        self.records: list[Record] = [decode_record(line) for line in self.lines]


@pytest.fixture(params=PATHS, ids=[path.stem for path in PATHS])
def history(request: pytest.FixtureRequest) -> History:
    return History(request.param)


def plain(session: Session) -> dict[str, Any]:
    return msgspec.json.decode(window.dump(session))


def test_there_are_enough_histories() -> None:
    """A wrong folder would make every test below pass by testing nothing."""
    assert len(PATHS) >= 60


def test_a_history_yields_its_session(history: History) -> None:
    """Folding the records gives exactly the session of the last line."""
    assert plain(replay(history.records)) == history.session


def test_a_history_says_what_is_true(history: History) -> None:
    """Its first line is a sentence, and its records are numbered 1, 2, 3."""
    assert history.about.about.endswith(".")
    assert [record.seq for record in history.records] == list(range(1, len(history.records) + 1))


def test_a_history_is_written_as_it_was_read(history: History) -> None:
    """Encoding the records gives the stored lines again, whatever this program knows of their fields."""
    for line, record in zip(history.lines, history.records, strict=True):
        assert msgspec.json.decode(encode_record(record)) == msgspec.json.decode(line)


def test_a_history_can_be_coalesced(history: History) -> None:
    """Fewer records tell the same story."""
    assert plain(replay(coalesce(history.records))) == history.session


def test_a_history_can_be_settled_at_any_time(history: History) -> None:
    """Settled and saved after every single record, pages and state together still show the same."""
    shelved = Shelved()
    for record in history.records:
        shelved.take(record)
        shelved.settle()
        shelved.reopen()
    assert shelved.shown() == joined(window.transcript(replay(history.records)))


def test_a_saved_session_is_the_session(history: History) -> None:
    """The last line can be loaded as it stands."""
    assert plain(window.load(msgspec.json.encode(history.session))) == history.session
