"""Files of the workspace, read and written for an agent.

Law: only regular files inside the workspace, and only text. A write puts exactly the given bytes into the file, all of
them or none: a reader sees the old text or the new.
"""

import os
import secrets
import stat
from pathlib import Path

from holdfast.core.errors import Refused
from holdfast.workspace.files import Workspace

LARGEST = 16 * 1024 * 1024
"""Bytes that one answer may hold."""


class NoFile(Refused):
    """There is no file {0}."""

    status = 404


class NotReadable(Refused):
    """{0} can't be read as text: {1}."""


class NotWritable(Refused):
    """{0} can't be written: {1}."""


def read_text(workspace: Workspace, path: str, line: int | None = None, limit: int | None = None) -> str:
    """The text of a file, or `limit` lines of it from the line numbered `line` on, which counts from 1."""
    real = workspace.resolve(path)
    first = max(1, line or 1)
    taken: list[str] = []
    size = 0
    try:
        with _regular(real).open(encoding="utf-8", newline="") as lines:
            for number, text in enumerate(lines, 1):
                if limit is not None and number >= first + limit:
                    break
                if number >= first:
                    taken.append(text)
                    size += len(text)
                    if size > LARGEST:
                        raise NotReadable(path, f"it is larger than {LARGEST:,} bytes; read some lines of it")
    except FileNotFoundError as exc:
        raise NoFile(path) from exc
    except UnicodeDecodeError as exc:
        raise NotReadable(path, "it is not UTF-8") from exc
    except OSError as exc:
        raise NotReadable(path, exc.strerror or exc) from exc
    return "".join(taken)


def write_text(workspace: Workspace, path: str, content: str) -> None:
    """Make the file hold `content`, with the folders that lead to it. Who may use it stays as it was."""
    real = workspace.resolve(path)
    try:
        data = content.encode()
        mode = _mode(real)
        real.parent.mkdir(parents=True, exist_ok=True)
        beside = real.with_name(f".{secrets.token_hex(8)}.holdfast")
        try:
            _create(beside, data, mode)
            beside.replace(real)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except UnicodeEncodeError as exc:
        raise NotWritable(path, "its text holds half a character") from exc
    except OSError as exc:
        raise NotWritable(path, exc.strerror or exc) from exc


def _create(path: Path, data: bytes, mode: int | None) -> None:
    with path.open("xb") as file:
        file.write(data)
        if mode is not None:
            os.fchmod(file.fileno(), mode)


def _mode(real: Path) -> int | None:
    """The permissions that the file has; None if there is none yet."""
    try:
        return stat.S_IMODE(_regular(real).stat().st_mode)
    except FileNotFoundError:
        return None


def _regular(real: Path) -> Path:
    """Raise OSError unless it is a regular file: to open a pipe would wait for whoever writes to it."""
    if not stat.S_ISREG(real.stat().st_mode):
        raise OSError(0, "it is not a regular file")
    return real
