"""A record on the wire, and a refusal, which may name the one that came first."""

from typing import cast

import msgspec

from holdfast.core import codec
from holdfast.core.events import Known
from holdfast.core.records import Late, Record
from holdfast.server.schema.base import Answer


class Failure(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong, as a sentence; `code` names the kind. `record` is the one that came first, if one did."""

    error: str
    code: str
    record: "WireRecord | None" = None


class WireRecord(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """A record as it is sent. A kind that this description lacks may appear: a newer program wrote it."""

    seq: int
    time: int
    event: Known
    epoch: int = 0
    n: int = 0
    late: Late | None = None


class Records(Answer, frozen=True, kw_only=True):
    """Records after a cursor. `reset`: the cursor is not of this history; load the snapshot anew."""

    records: list[WireRecord]
    seq: int
    lineage: str
    reset: bool = False


def wire(record: Record) -> WireRecord:
    """A record exactly as the log has it, with the fields and kinds that we do not know."""
    # Encoded already: what `codec` writes is the description's own form, and more for what it does not know.
    return cast("WireRecord", msgspec.Raw(codec.encode_record(record)))
