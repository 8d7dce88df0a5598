"""Where an event lies in the log.

A record's `seq` counts 1, 2, 3 without gaps within its session. A fact also carries its position: the
`epoch` of the runner that wrote it and `n`, which counts that runner's facts from 1. Epoch 0 marks an
intent.
"""

import msgspec

from holdfast.core.events import Event
from holdfast.core.ids import TurnId


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Which fact of which owner: what makes a retried append write nothing twice."""

    epoch: int
    n: int


class Late(msgspec.Struct, frozen=True, kw_only=True):
    """The mark of an adopted fact: whose spool it came from, and the turn that it belongs to."""

    epoch: int
    turn: TurnId


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An event with its place and its time (milliseconds since 1970)."""

    seq: int
    time: int
    event: Event
    epoch: int = 0
    n: int = 0
    late: Late | None = None
