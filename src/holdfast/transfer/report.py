"""What an import did: what it took over, what it found done already, and what it left, with the reason for each.

It is printed, and kept as JSON in the home, so that it can be read again when somebody misses something.
"""

import os
import secrets
import time
from pathlib import Path
from typing import Literal

import msgspec

from holdfast.core.counted import counted
from holdfast.core.errors import NotNow

FOLDER = "imports"
Kind = Literal["hermes-webui", "open-webui", "holdfast"]
State = Literal["running", "finished", "failed"]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A session that is here now: what it was called there, what it is called here."""

    name: str
    session: str
    title: str
    messages: int


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was not taken over. `name` is the session that it belongs to; empty if to none."""

    name: str
    what: str
    why: str


class Report(msgspec.Struct, kw_only=True):
    """One import. `known` counts sessions that an earlier import has brought; `settings` are those that were taken."""

    id: str
    kind: Kind
    source: str
    started: int
    state: State = "running"
    ended: int = 0
    found: int = 0
    done: int = 0
    known: int = 0
    error: str = ""
    taken: list[Taken] = []
    left: list[Left] = []
    settings: list[str] = []

    def leave(self, name: str, what: str, why: str) -> None:
        self.left.append(Left(name=name, what=what, why=why))

    def lines(self) -> list[str]:
        """For a person to read."""
        messages = sum(taken.messages for taken in self.taken)
        told = [
            f"Taken over: {len(self.taken)} of {counted(self.found, 'session')}, with {counted(messages, 'message')}."
        ]
        if self.known:
            told.append(f"Already here from an earlier import: {self.known}.")
        if self.settings:
            told.append(f"Settings taken over: {', '.join(self.settings)}.")
        told.append(f"Not taken over: {len(self.left)}." if self.left else "Nothing was left behind.")
        told += [f"  {f'{left.name}: ' if left.name else ''}{left.what}: {left.why}" for left in self.left]
        return told


def begun(kind: Kind, source: str) -> Report:
    now = time.time_ns() // 1_000_000
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now / 1000))
    return Report(id=f"{stamp}-{secrets.token_hex(3)}", kind=kind, source=source, started=now)


def keep(home: Path, report: Report) -> Path:
    """Write the report down, whole or not at all, and return where it lies."""
    folder = home / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{report.id}.json"
    draft = path.with_suffix(".draft")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(report), indent=1))
    draft.rename(path)
    return path


def kept(home: Path) -> list[Report]:
    """Every report of this home, the newest first."""
    found: list[Report] = []
    for path in (home / FOLDER).glob("*.json"):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=Report))
        except (OSError, msgspec.DecodeError):
            continue  # one that can't be read hides no other
    return sorted(found, key=lambda report: report.started, reverse=True)


class NothingThere(NotNow):
    """There is nothing to import at {0}: {1} Name the place, as in: holdfast import {2} PATH"""

    status = 404
