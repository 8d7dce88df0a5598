"""Files that came with messages. Only what lies in the folder of attachments is read, wherever a message points."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from holdfast.core.errors import Refused
from holdfast.core.events import Attachment
from holdfast.store.blobs import Blobs
from holdfast.transfer.hermes_webui.files import State, plain
from holdfast.transfer.report import Report
from holdfast.transfer.values import Fields, storable
from holdfast.workspace.files import Workspace

LARGEST = 100_000_000
CHUNK = 1 << 20
UNKNOWN = "application/octet-stream"


class Attachments:
    """The attachments of one session."""

    def __init__(self, state: State, session: str, blobs: Blobs, report: Report) -> None:
        self._session = session
        self._blobs = blobs
        self._report = report
        self._inbox = Workspace(state.attachments)

    def take(self, entries: Iterable[object]) -> tuple[list[Attachment], list[str]]:
        """What a message came with, as far as it is there; and the names of what is not."""
        taken: list[Attachment] = []
        missing: list[str] = []
        for entry in entries:
            found = self._one(entry)
            if isinstance(found, Attachment):
                taken.append(found)
            elif found:
                missing.append(found)
        return taken, missing

    def _one(self, entry: object) -> Attachment | str:
        about = Fields({"path": entry, "name": entry} if isinstance(entry, str) else entry)
        path = about.text("path", "name", "filename")
        name = PurePosixPath(about.text("name", "filename") or path).name[:255]
        if not name:
            return ""
        try:
            real = self._find(path, name)
            size, blob = self._store(real)
        except (OSError, Refused, ValueError) as exc:
            self._report.leave(self._session, f"attachment {name!r}", _reason(exc))
            return name
        media_type = about.word("mime", "media_type", "type") or UNKNOWN
        return Attachment(name=storable(name), blob=blob, media_type=media_type[:100], size=size)

    def _find(self, path: str, name: str) -> Path:
        """Its real place, under the folder of attachments: where the message says, or by its name."""
        if PurePosixPath(path).is_absolute():
            with contextlib.suppress(Refused):  # the folder may have been moved: then it is found by its name
                inside = self._inbox.resolve(path)
                if inside.is_file():
                    return inside
        if not plain(self._session):
            raise ValueError("the session's name can't be the name of a folder.")
        return self._inbox.resolve(f"{self._session}/{name}")

    def _store(self, real: Path) -> tuple[int, str]:
        with self._inbox.opened(real, os.O_RDONLY) as file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                raise ValueError(f"it is larger than {LARGEST // 1_000_000} MB.")
            blob = self._blobs.put(iter(lambda: file.read(CHUNK), b""))
        return blob.size, blob.name


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "the file is no longer in the folder of attachments."
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
