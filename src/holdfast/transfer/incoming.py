"""A session on its way in, whatever program it comes from."""

from collections.abc import Callable

import msgspec

from holdfast.core.ids import SessionId
from holdfast.core.records import Record


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """A whole log that the store can take in. `messages` counts what people and agents said."""

    records: list[Record]
    title: str
    messages: int


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """What it was called, what it will be called, and how to get its log; None if there is nothing in it to take.

    `digest` names what would be read: a session that was brought before and has the same is not read again.
    """

    name: str
    session: SessionId
    digest: str
    build: Callable[[], Built | None]
