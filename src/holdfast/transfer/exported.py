"""Sessions that a Holdfast wrote: a document, or an archive of documents. Their ids are made anew."""

import base64
import binascii
import zipfile
from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path

import msgspec

from holdfast.core import codec
from holdfast.core.errors import Damaged
from holdfast.core.events import SessionCreated, SessionImported, TurnSubmitted
from holdfast.store.blobs import Blobs
from holdfast.transfer.admission import Admission
from holdfast.transfer.document import FORMAT
from holdfast.transfer.identity import HOLDFAST, imported_id
from holdfast.transfer.incoming import Built, Incoming
from holdfast.transfer.report import NothingThere, Report
from holdfast.transfer.scribe import CLIENT
from holdfast.transfer.values import UNREADABLE

LARGEST = 1 << 30
ENTRIES = 100_000
"""Documents in an archive."""


class _Head(msgspec.Struct):
    holdfast: int
    session: str


class _Document(_Head):
    records: list[msgspec.Raw]
    files: dict[str, str | None] = {}


class Exported:
    """What a file holds, document by document. Raise `NothingThere` if it is no file of ours."""

    def __init__(self, path: Path, blobs: Blobs, report: Report) -> None:
        self._path = path
        self._blobs = blobs
        self._report = report
        try:
            self._archive = zipfile.ZipFile(path) if zipfile.is_zipfile(path) else None
        except (OSError, zipfile.BadZipFile) as exc:
            raise NothingThere(path, f"it can't be opened ({exc}).", report.kind) from exc
        self._names = [path.name] if self._archive is None else self._entries(self._archive)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Incoming]:
        for name in self._names:
            try:
                body = self._read(name)
                head = msgspec.json.decode(body, type=_Head)
            except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, *UNREADABLE) as exc:
                self._report.leave(name, "the whole file", f"it is no session that Holdfast wrote ({exc}).")
                continue
            if head.holdfast != FORMAT:
                why = (
                    f"it was written by another version of Holdfast (format {head.holdfast}; this one knows {FORMAT})."
                )
                self._report.leave(name, "the whole file", why)
                continue
            digest = blake2b(body, digest_size=8).hexdigest()
            yield Incoming(
                name=head.session[:200],
                session=imported_id(HOLDFAST, head.session),
                digest=digest,
                build=partial(self._built, body),
            )

    def _entries(self, archive: zipfile.ZipFile) -> list[str]:
        names = [entry.filename for entry in archive.infolist() if entry.filename.endswith(".json")]
        if len(names) > ENTRIES:
            self._report.leave("", f"{len(names) - ENTRIES} files of the archive", f"{ENTRIES} are the most.")
        return names[:ENTRIES]

    def _read(self, name: str) -> bytes:
        """Never more than is allowed, whatever the file says of its size."""
        with self._path.open("rb") if self._archive is None else self._archive.open(name) as file:
            body = file.read(LARGEST + 1)
        if len(body) > LARGEST:
            raise ValueError(f"it is larger than {LARGEST >> 20} MB")
        return body

    def _built(self, body: bytes) -> Built | None:
        try:
            document = msgspec.json.decode(body, type=_Document)
        except UNREADABLE as exc:
            self._report.leave("", "the whole file", f"it is damaged ({exc}).")
            return None
        name = document.session[:200]
        imported = SessionImported(source=HOLDFAST, name=name, client=CLIENT)
        admission = Admission(imported, self._files(document.files))
        lost = 0
        for raw in document.records:
            try:
                admission.take(codec.decode_record(bytes(raw)))
            except (Damaged, RecursionError):
                lost += 1
        return self._finished(name, admission, lost)

    def _finished(self, name: str, admission: Admission, lost: int) -> Built | None:
        first = admission.records[0].event if admission.records else None
        if not isinstance(first, SessionCreated):
            self._report.leave(name, "the whole session", "its log does not begin with its creation.")
            return None
        if lost or admission.dropped:
            self._report.leave(
                name, f"{lost + admission.dropped} records", "they are damaged, or nothing that we know."
            )
        for file in admission.missing:
            self._report.leave(name, f"attachment {file!r}", "the file does not hold it, or it is damaged.")
        messages = sum(isinstance(record.event, TurnSubmitted) for record in admission.records)
        return Built(records=admission.finish(), title=first.title, messages=messages)

    def _files(self, files: dict[str, str | None]) -> frozenset[str]:
        """Store the files, and name those that are what they are called."""
        taken: set[str] = set()
        for blob, text in files.items():
            try:
                body = base64.b64decode(text or "", validate=True)
            except (binascii.Error, ValueError):
                continue
            if body and self._blobs.put([body]).name == blob:
                taken.add(blob)
        return frozenset(taken)
