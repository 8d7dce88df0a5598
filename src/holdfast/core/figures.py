"""What was used and what came of it, hour by hour: counted while a log is folded.

Law: only what the reducer took counts. A fact that it refused costs nothing here either, and what was later removed
from the transcript was used all the same.
"""

from operator import add
from typing import NamedTuple

import msgspec

from holdfast.core.events import (
    ApprovalRequested,
    RunnerLost,
    RunnerStarted,
    RunnerStopped,
    TurnEnded,
    UsageReported,
)
from holdfast.core.items import Usage
from holdfast.core.records import Record
from holdfast.core.session import Session

HOUR = 60 * 60 * 1000
_COUNTED = (UsageReported, ApprovalRequested, TurnEnded, RunnerStarted, RunnerStopped, RunnerLost)


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Turns that ran to an end, those of them that failed or were interrupted, approvals that were asked for, how long
    the turns ran, tokens, and cost in millionths of the currency."""

    turns: int = 0
    failures: int = 0
    approvals: int = 0
    run_ms: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    cost: int = 0

    def __add__(self, other: "Figures") -> "Figures":
        sums = map(add, msgspec.structs.astuple(self), msgspec.structs.astuple(other))
        return Figures(**dict(zip(self.__struct_fields__, sums, strict=True)))


class Slot(NamedTuple):
    """What figures are kept by. `hour` counts from 1970, so that every zone can make its own days of them."""

    hour: int
    agent: str
    model: str


class Tally:
    """Figures of one session from one place of its log to another, and the size of what lies between."""

    def __init__(self) -> None:
        self.slots: dict[Slot, Figures] = {}
        self.bytes: int = 0

    def fold(self, session: Session, record: Record) -> None:
        """Apply the record to the session, and count what it changed."""
        event = record.event
        if not isinstance(event, _COUNTED):
            session.apply(record)
            return
        spent, run, asks = _spent(session.usage), session.last_run, len(session.asks)
        agent = session.agent if session.process is None else session.process.agent
        model = (event.model if isinstance(event, UsageReported) else "") or _model(session)
        session.apply(record)
        figures = _difference(spent, _spent(session.usage))
        if isinstance(event, ApprovalRequested) and len(session.asks) > asks:
            figures += Figures(approvals=1)
        if session.last_run is not None and session.last_run is not run:
            failed = session.last_run.outcome in ("failed", "interrupted")
            lasted = max(0, session.last_run.ended - session.last_run.started)
            figures += Figures(turns=1, failures=int(failed), run_ms=lasted)
        if figures != Figures():
            self._put(Slot(record.time // HOUR, agent, model), figures)

    def take(self, other: "Tally") -> None:
        """Go on with what another has counted from where this one ended."""
        self.bytes += other.bytes
        for slot, figures in other.slots.items():
            self._put(slot, figures)

    def _put(self, slot: Slot, figures: Figures) -> None:
        self.slots[slot] = self.slots.get(slot, Figures()) + figures


def _spent(usage: Usage) -> Usage:
    return msgspec.structs.replace(usage)


def _difference(before: Usage, after: Usage) -> Figures:
    return Figures(
        input=after.input - before.input,
        output=after.output - before.output,
        cached=after.cached - before.cached,
        reasoning=after.reasoning - before.reasoning,
        cost=after.cost - before.cost,
    )


def _model(session: Session) -> str:
    return session.model or ("" if session.described is None else session.described.model)
