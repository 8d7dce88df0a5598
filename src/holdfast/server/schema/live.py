"""What the live connection says beside records and rows."""

import msgspec

from holdfast.core.ids import SessionId
from holdfast.server.schema.base import Answer
from holdfast.server.schema.house import Places


class Ready(Answer, frozen=True, kw_only=True):
    """The connection stands."""

    lineage: str


class Gone(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """The session was deleted or never was; `change` is set where the list says so."""

    session: SessionId
    change: int = 0


class Reset(Answer, frozen=True, kw_only=True):
    """The cursor is not of this history: load the snapshot (or, without a session, the list) anew."""

    session: SessionId | None
    lineage: str


class StoreState(Answer, frozen=True, kw_only=True):
    """Whether the store can be written, and if not, why."""

    writable: bool = True
    error: str = ""


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What is true for everybody and lies in no log. Each field is an event of the live connection."""

    store: StoreState = StoreState()
    places: Places = Places()
