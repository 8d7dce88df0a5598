"""The folder of hermes-webui: its sessions, its journals, its attachments, its projects and settings.

Nothing is written, no lock is taken: it may go on working. It replaces its files whole, so what is read is of one
piece. A file that can't be read whole is read as far as it can be.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from holdfast.core.counted import counted
from holdfast.transfer import slices
from holdfast.transfer.values import UNREADABLE, Fields, decoded, several

DEFAULT_HOME = "~/.hermes"
NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}")
LARGEST = 1 << 30
HEAD = 256 * 1024
"""Bytes of a session's file in which what is not a message is looked for; hermes-webui writes that first."""
SMALL = 16 << 20


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A session's file as far as it could be read. `raw` are its messages, not decoded yet.

    `damage` says what is missing, and is empty if nothing is.
    """

    fields: Fields
    raw: list[bytes | msgspec.Raw]
    damage: str = ""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What a session says of itself before its messages."""

    name: str
    parent: str = ""
    snapshot: bool = False
    project: str = ""


class _Whole(msgspec.Struct):
    messages: list[msgspec.Raw] | None = None


def default_folder(environ: Mapping[str, str]) -> Path:
    """Where hermes-webui keeps its state unless it was told otherwise."""
    home = Path(environ.get("HERMES_HOME") or DEFAULT_HOME).expanduser()
    return Path(environ.get("HERMES_WEBUI_STATE_DIR") or home / "webui").expanduser()


def plain(name: str) -> bool:
    """Whether the name of a session or a run can be the name of a file."""
    return NAME.fullmatch(name) is not None and name.strip(".") != ""


class State:
    """One state folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sessions: Path = folder / "sessions"
        self.attachments: Path = folder / "attachments"

    def names(self) -> list[str]:
        """The sessions that have a file, or a copy of one, in a fixed order."""
        found = {path.name.removesuffix(".json") for path in self.sessions.glob("*.json")}
        found |= {path.name.removesuffix(".json.bak") for path in self.sessions.glob("*.json.bak")}
        return sorted(name for name in found if name and not name.startswith("_"))

    def head(self, name: str) -> Head:
        """What it says of its ancestry and where it belongs, without reading its messages."""
        try:
            text = read_bytes(self._path(name), HEAD).decode("utf-8", "replace")
        except OSError:
            return Head(name=name)
        fields: dict[str, object] = {}
        for key, start, end in slices.members(text):
            if key == "messages":
                break
            if key in ("parent_session_id", "pre_compression_snapshot", "project_id"):
                fields[key] = _value(text[start:end])
        about = Fields(fields)
        return Head(
            name=name,
            parent=about.word("parent_session_id"),
            snapshot=about.flag("pre_compression_snapshot"),
            project=about.word("project_id"),
        )

    def read(self, name: str) -> Found:
        """The session. Raise OSError if there is no file that can be opened."""
        path = self._path(name)
        found = read_session(path)
        backup = path.with_name(f"{path.name}.bak")
        if found.damage and backup.is_file():
            older = read_session(backup)
            if len(older.raw) > len(found.raw):
                why = f"{found.damage} Its older copy was taken instead."
                return msgspec.structs.replace(older, damage=why)
        return found

    def document(self, name: str) -> object:
        """What a small file beside the sessions says; None if it can't be read."""
        path = self.folder / name
        try:
            return decoded(read_bytes(path)) if path.lstat().st_size <= SMALL else None
        except (OSError, *UNREADABLE):
            return None

    def projects(self) -> dict[str, str]:
        """The names of the projects."""
        listed = self.document("projects.json")
        found = [Fields(entry) for entry in several(listed)]
        return {entry.word("project_id", "id"): entry.word("name") for entry in found if entry.word("name")}

    def _path(self, name: str) -> Path:
        path = self.sessions / f"{name}.json"
        return path if path.exists() else path.with_name(f"{path.name}.bak")


def read_session(path: Path) -> Found:
    """Raise OSError if the file can't be opened."""
    size = path.stat().st_size
    if size > LARGEST:
        return Found(fields=Fields(), raw=[], damage=f"It is larger than {LARGEST >> 20} MB.")
    body = read_bytes(path)
    try:
        whole = msgspec.json.decode(body, type=_Whole)
        rest = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        fields = {key: decoded(value) for key, value in rest.items() if key != "messages"}
        return Found(fields=Fields(fields), raw=list(whole.messages or ()))
    except UNREADABLE:
        return _salvaged(body)


def _salvaged(body: bytes) -> Found:
    """What can be read of a file that can't be read whole."""
    text = body.decode("utf-8", "replace")
    garbled = text.count("\ufffd") > body.count("\ufffd".encode())
    fields: dict[str, object] = {}
    raw: list[bytes | msgspec.Raw] = []
    lost = 0
    for key, start, end in slices.members(text):
        if key != "messages":
            fields[key] = _value(text[start:end])
            continue
        for first, last in slices.parts(text, start):
            part = text[first:last].strip()
            if part and _value(part) is None:
                lost += 1
            elif part:
                raw.append(part.encode("utf-8", "surrogatepass"))
    if fields and not lost and _value(text) is not None:  # JSON as Python writes it, with NaN
        why = "Some of its bytes are no text; \ufffd stands in their place." if garbled else ""
        return Found(fields=Fields(fields), raw=raw, damage=why)
    why = f"Its file is damaged: {counted(len(raw), 'message')} could be read, {lost} could not."
    if not raw:
        why = "Its file is damaged, and no message in it can be read."
    return Found(fields=Fields(fields), raw=raw, damage=why)


def _value(text: str) -> object:
    try:
        return decoded(text.encode("utf-8", "surrogatepass"))
    except UNREADABLE:
        return None


def read_bytes(path: Path, most: int = LARGEST + 1) -> bytes:
    """The first bytes of an ordinary file. Raise OSError for anything else."""
    with _opened(path) as file:
        return file.read(most)


def lines(path: Path) -> Iterator[bytes]:
    """The lines of a journal, one after the other. None if it can't be opened."""
    try:
        file = _opened(path)
    except OSError:
        return
    with file:
        yield from file


def _opened(path: Path) -> BinaryIO:
    """An ordinary file: a link is not followed, a pipe is not waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no ordinary file")
    return os.fdopen(descriptor, "rb")
