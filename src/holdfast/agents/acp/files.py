"""Files of the workspace, read and written for an agent.

Law: only regular files inside the workspace, and only text. A write puts exactly the given bytes into the file, all of
them or none: a reader sees the old text or the new.
"""

import io
import os

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
    last = None if limit is None else first + limit
    taken: list[str] = []
    size = 0
    try:
        with io.TextIOWrapper(workspace.opened(real, os.O_RDONLY), encoding="utf-8", newline="\n") as lines:
            for number, text in enumerate(lines, 1):
                if last is not None and number >= last:
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
        if real.exists() and not real.is_file():
            raise NotWritable(path, "it is no ordinary file")
        workspace.write_text(real, content)
    except UnicodeEncodeError as exc:
        raise NotWritable(path, "its text holds half a character") from exc
    except OSError as exc:
        raise NotWritable(path, exc.strerror or exc) from exc
