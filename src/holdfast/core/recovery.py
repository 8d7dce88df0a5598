"""What the loss of a runner means, and how the recovery of its turn stands. Pure: others carry it out.

Recovery is the normal start path reached again: the next owner writes these facts and then does what it would do
anyway. An interrupted turn is pending only while some of its output may still arrive; it ends as recovered, or after
enough looks, or after a day, as neutral.
"""

from typing import Literal

import msgspec

from holdfast.core.course import LOST
from holdfast.core.events import (
    AnyFact,
    ApprovalExpired,
    QuestionExpired,
    RecoveryFinished,
    RecoveryPending,
    RunnerLost,
    TurnEnded,
)
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.core.items import Approval
from holdfast.core.session import Session
from holdfast.core.state import Recovering

Sight = Literal["output", "arriving", "nothing"]
"""What a look at a dead owner's spool shows."""

LOOKS = 12
DAY = 24 * 60 * 60 * 1000
SILENCE = 15.0
"""Seconds without a sign of life after which a holder is ended."""
STARTING = 60.0
"""Seconds that a runner gets to have its session. Nobody can hear from it before."""
STARTS = 3
"""Runner starts in a row that may fail before the turn does."""


def loss(session: Session) -> list[AnyFact]:
    """The facts that the next owner appends about the one before; none if it ended well or there was none."""
    if not session.alive:
        return []
    facts: list[AnyFact] = [_expired(session, ask_id) for ask_id in session.asks]
    if session.running is not None:
        facts.append(TurnEnded(turn=session.running, outcome="interrupted", error=LOST))
    return [*facts, RunnerLost(reason=LOST)]


def _expired(session: Session, ask_id: AskId) -> ApprovalExpired | QuestionExpired:
    kind = ApprovalExpired if isinstance(session.ask(ask_id), Approval) else QuestionExpired
    return kind(ask=ask_id, reason="the run ended first")


def first_verdict(turn: TurnId, sight: Sight) -> list[AnyFact]:
    """What belongs to the loss itself: whether some of the turn's output is still to come. It counts as no attempt."""
    return [] if sight == "nothing" else [RecoveryPending(turn=turn)]


def verdict(turn: TurnId, pending: Recovering, sight: Sight, now: int) -> list[AnyFact]:
    """What a later look means. One that finds output still arriving changes nothing, however often."""
    if expired(pending, now):
        return [RecoveryFinished(turn=turn, result="neutral")]
    match sight:
        case "output":
            return [RecoveryFinished(turn=turn, result="recovered")]
        case "arriving":
            return []
        case "nothing" if pending.attempts + 1 >= LOOKS:
            return [RecoveryFinished(turn=turn, result="neutral")]
        case "nothing":
            return [RecoveryPending(turn=turn, attempts=pending.attempts + 1)]


def expired(pending: Recovering, now: int) -> bool:
    """Whether the marker is too old for another look."""
    return now - pending.since > DAY


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """One session as the supervisor finds it.

    `startable`: a turn waits that is not held. `alive`: the log says that a runner lives. `holder`: the process that
    has the lock, 0 if none. `spawned`: the one that has been started for it and has not taken the lock yet, 0 if none.
    `silent`: seconds since the last sign of life of the holder, or since the start of the other. `failed_starts`:
    runners in a row that ended without starting the turn. `forgetful`: completed turns are to be committed to memory
    now. `lingering`: its idle runner only waits to try that again. `wanted`: somebody is about to write to it.
    """

    session: SessionId
    startable: bool = False
    alive: bool = False
    holder: int = 0
    spawned: int = 0
    silent: float = 0.0
    failed_starts: int = 0
    forgetful: bool = False
    lingering: bool = False
    wanted: bool = False


class End(msgspec.Struct, frozen=True):
    """End the holder, or who never came to be one, and everything it started: it is silent."""

    session: SessionId
    pid: int


class Record(msgspec.Struct, frozen=True):
    """Nobody runs it and nothing waits: write down what was lost."""

    session: SessionId


class Spawn(msgspec.Struct, frozen=True):
    """Start a runner; its claim writes down what was lost before. `ready`: it opens its agent at once."""

    session: SessionId
    ready: bool = False


class Wait(msgspec.Struct, frozen=True):
    """It must wait for a free place: `running` runners are at work."""

    session: SessionId
    running: int


class Fail(msgspec.Struct, frozen=True):
    """Its runners don't come up: end the turn as failed, without a loop."""

    session: SessionId


Action = End | Record | Spawn | Wait | Fail


def plan(situations: list[Situation], places: int) -> list[Action]:
    """What to do about the sessions, given that many places for runners. Pure; order is that of the situations."""
    running = sum((bool(found.holder) and not found.lingering) or bool(found.spawned) for found in situations)
    crowded = sum(bool(found.holder) and found.lingering for found in situations) >= places
    actions: list[Action] = []
    for found in situations:
        action = _plan_one(found, running, places, crowded=crowded)
        if isinstance(action, Spawn):
            running += 1
        if action is not None:
            actions.append(action)
    return actions


def _plan_one(found: Situation, running: int, places: int, *, crowded: bool) -> Action | None:
    if found.holder:
        return End(found.session, found.holder) if found.silent > SILENCE else None
    if found.spawned:
        return End(found.session, found.spawned) if found.silent > STARTING else None
    if found.startable and found.failed_starts >= STARTS:
        return Fail(found.session)
    if found.startable:
        return Spawn(found.session) if running < places else Wait(found.session, running)
    if found.wanted and running < places:
        return Spawn(found.session, ready=True)
    if found.alive:
        return Record(found.session)
    due = found.forgetful and found.failed_starts < STARTS and running < places and not crowded
    return Spawn(found.session) if due else None
