"""What several processes did to some files, and what they were told, in one order.

Law: an entry whose writing was over before another's began lies before it, whichever processes wrote them. All append
to one file, each entry with one `write` under `O_APPEND`, and the kernel puts such writes one after the other. So an
entry's number is a clock that all share, and a cut of the power is a number: what lies before it has happened. The
time in each entry is only for measuring.
"""

import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

HEADER = struct.Struct("<IQ")
"""The length of an entry, and CLOCK_MONOTONIC in nanoseconds."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """Something that happened."""


class Created(Mark, frozen=True, tag="created"):
    file: str


class Deleted(Mark, frozen=True, tag="deleted"):
    file: str


class Wrote(Mark, frozen=True, tag="wrote"):
    file: str
    offset: int
    body: bytes


class Truncated(Mark, frozen=True, tag="truncated"):
    file: str
    size: int


class SyncBegun(Mark, frozen=True, tag="sync.begun"):
    """`folder` says that the names in the folder are synced as well."""

    file: str
    sync: int
    folder: bool


class SyncEnded(Mark, frozen=True, tag="sync.ended"):
    sync: int


class Asked(Mark, frozen=True, tag="asked"):
    """A child is about to append these events. Epoch 0: they are intents."""

    name: str
    session: str
    epoch: int
    n: int
    key: str | None
    bodies: list[bytes]


class Acknowledged(Mark, frozen=True, tag="acknowledged"):
    """The append `name` has returned; `synced` says that it promised to be on the disk."""

    name: str
    first: int
    last: int
    written: int
    synced: bool


class Owned(Mark, frozen=True, tag="owned"):
    """A claim has returned."""

    session: str
    epoch: int
    head: int


class Opened(Mark, frozen=True, tag="opened"):
    """A child has opened the store and found this lineage."""

    lineage: str


AnyMark = (
    Created | Deleted | Wrote | Truncated | SyncBegun | SyncEnded | Asked | Acknowledged | Owned | Opened
)  # fmt: skip


class Entry(NamedTuple):
    time: int
    mark: AnyMark


class Journal:
    """The writing end, for every thread of a process."""

    def __init__(self, path: Path) -> None:
        self._fd: int = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._encode = msgspec.msgpack.Encoder().encode

    def write(self, mark: AnyMark) -> None:
        """Return when the entry has its place."""
        body = self._encode(mark)
        entry = HEADER.pack(len(body), time.monotonic_ns()) + body
        if os.write(self._fd, entry) != len(entry):
            raise OSError("The journal took only a part of an entry; nothing after it can be read.")


def read(path: Path) -> list[Entry]:
    """Every entry, in order."""
    return list(_entries(path.read_bytes()))


def _entries(body: bytes) -> Iterator[Entry]:
    decode = msgspec.msgpack.Decoder(AnyMark).decode
    at = 0
    while at < len(body):
        length, moment = HEADER.unpack_from(body, at)
        at += HEADER.size
        yield Entry(moment, decode(body[at : at + length]))
        at += length
