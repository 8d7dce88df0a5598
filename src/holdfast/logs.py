"""The operator's log: one event name and its fields a line, in a file that only its owner can read.

It tells what the program did; it is never the only record of something that matters. That belongs into the log of its
session. What looks like a key is hidden in it.
"""

import logging
import logging.handlers
import time
from io import TextIOWrapper
from pathlib import Path

import msgspec

from holdfast.core.mask import masked
from holdfast.owned import make_folder, owner_only

NAME = "holdfast.log"
SIZE = 5_000_000
KEPT = 3
LONGEST = 4_000
"""Characters of one field."""

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class Lines(logging.Formatter):
    """`2026-11-15T12:00:00Z info store.opened lineage=4f1c`, with a traceback below where there is one."""

    converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        fields = {name: value for name, value in vars(record).items() if name not in _PLAIN}
        words = [
            self.formatTime(record, "%Y-%m-%dT%H:%M:%SZ"),
            record.levelname.lower(),
            _plain(record.getMessage()),
            *(f"{name}={_plain(value)}" for name, value in fields.items()),
        ]
        line = " ".join(words)
        return masked(f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line)


class Rotating(logging.handlers.RotatingFileHandler):
    """Every file that it begins is its owner's alone, the first like those after it."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, opener=owner_only)


def _plain(value: object) -> str:
    """A value that can't break its line: what it holds may come from a model or a browser."""
    text = str(value)
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}… ({len(text)} characters)"
    return text if text.isprintable() and " " not in text and text else msgspec.json.encode(text).decode()


def start(folder: Path, level: str, name: str = NAME) -> logging.Handler:
    """Send what our modules say from now on to a file in `folder`; return the handler, to be closed at the end."""
    make_folder(folder)
    handler = Rotating(folder / name, maxBytes=SIZE, backupCount=KEPT, encoding="utf-8")
    handler.setFormatter(Lines())
    ours = logging.getLogger("holdfast")
    ours.addHandler(handler)
    ours.setLevel(level.upper())
    return handler
