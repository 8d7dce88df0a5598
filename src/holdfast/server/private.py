"""Files that only their owner can read, and the token, which is one of them."""

import contextlib
import os
import secrets
from pathlib import Path

TOKEN = "token"  # noqa: S105  a file's name
SHORTEST = 20
"""Characters of a token. A file that holds less was cut off, or could be guessed."""


def write_new(path: Path, text: str) -> None:
    """Make a file that was not there, on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def replace(path: Path, text: str) -> None:
    """Have `text` at `path`, whole or not at all, on the disk when this returns."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        write_new(draft, text)
        draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def token_in(home: Path) -> str:
    """The home's token, made at the first start. Two that start at once agree on one. One that is too short to be one
    is replaced: an empty file would let everybody in."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = home / TOKEN
    if not path.exists():
        draft = home / f"{TOKEN}.{secrets.token_hex(8)}"
        write_new(draft, new_token())
        try:
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)  # all or nothing, and never over one that is there
        finally:
            draft.unlink()
    if len(_held_in(path)) < SHORTEST:
        replace(path, new_token())
    path.chmod(0o600)
    return _held_in(path)


def _held_in(path: Path) -> str:
    """The token in a file; empty if what it holds is none."""
    try:
        return path.read_text("ascii").strip()
    except UnicodeDecodeError:
        return ""


def new_token() -> str:
    """A token that is known as one where it turns up, and whose beginning hardly ends a word.

    What may be its beginning is held back from what an agent says (`core.cover`): a digit would cut numbers in two.
    """
    return f"Holdfast-{secrets.token_urlsafe(32)}"
