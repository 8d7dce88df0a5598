"""Events that nobody would append: any kind with any fields, by any epoch, in any order.

The pools are small, so that the events still meet: a stale epoch, a second answer, a steer that bears a turn's name.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from holdfast.core import events as e
from holdfast.core.codec import KINDS
from holdfast.core.ids import TurnId
from holdfast.core.records import Late, Record
from tests.core.dice import Dice

TURNS = ("t1", "t2", "t3")
ASKS = ("a1", "a2")
CALLS = ("c1", "c2")
ATTACHMENT = e.Attachment(name="plan.txt", blob="b1", media_type="text/plain", size=4)
DIFF = e.Diff(path="a.txt", old="1", new="2")
RULE = e.Rule(id="r1", agent="scripted", key="rm")
PLAN = (e.PlanEntry(text="look", status="completed"), e.PlanEntry(text="act"))

POOLS: dict[str, Sequence[Any]] = {
    "turn": TURNS,
    "ask": ASKS,
    "call": CALLS,
    "parent": CALLS,
    "steer": ("s1", "s2", "t2"),
    "message": ("m1",),
    "text": ("a", "bc", "d\n", ""),
    "first": (True, False),
    "status": (UNSET, "pending", "running", "completed", "failed"),
    "output": (UNSET, "whole"),
    "appended": ("", "more"),
    "diffs": ((), (DIFF,)),
    "attachments": ((), (ATTACHMENT,)),
    "entries": ((), PLAN),
    "outcome": ("completed", "cancelled", "failed", "interrupted"),
    "ahead": (False, True),
    "continues": ("t1",),
    "replaces": (None, "t1"),
    "choice": ("once", "session", "always", "deny"),
    "secret": (False, True),
    "attempts": (0, 1, 12),
    "result": ("recovered", "neutral", "complete"),
    "seen": (UNSET, 0, 5, 99),
    "archived": (UNSET, True, False),
    "cost": (0, 3),
    "input": (0, 7),
    "context_used": (0, 9),
    "title": ("", "A title"),
    "reason": ("", "because"),
    "level": ("info", "error"),
    "free_text": (True, False),
    "rule": (RULE, "r1"),
    "pattern_keys": ((), ("rm",), ("rm", "sudo")),
    "remembers": (True, False),
    "in_doubt": (True, False),
    "owner": ("i1", "i2"),
    "instance": ("i1", "i2"),
    "token": ("s:1-1", "s:1-2", ""),
    "last": (1, 2),
}
REQUIRED: dict[str, Any] = {
    "turns": (TurnId("t2"), TurnId("t1"), TurnId("t2")),
    "command": "ls",
    "error": "it broke",
    "agent": "scripted",
    "source": "elsewhere",
    "name": "old",
    "first": 1,
}
FREQUENT = (
    (e.TurnSubmitted,) * 6
    + (e.RunnerStarted,) * 6
    + (e.TurnStarted,) * 6
    + (e.TextAppended, e.ThoughtAppended, e.ToolChanged) * 3
    + (e.ApprovalRequested, e.ApprovalAnswered, e.QuestionAsked, e.TurnEnded)
)
TYPES = (*KINDS.values(), *FREQUENT)


def _fits(field: msgspec.structs.FieldInfo, value: object) -> bool:
    if value is UNSET:
        return field.default is UNSET
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        return False
    return True


def _shape(cls: type[e.Known]) -> list[tuple[str, Sequence[Any]]]:
    """The fields that get a value, each with the values that it may get."""
    shape: list[tuple[str, Sequence[Any]]] = []
    for field in msgspec.structs.fields(cls):
        values = [value for value in POOLS.get(field.name, ()) if _fits(field, value)]
        if values and not field.required:
            values += [field.default] * 2
        if field.required and not values:
            values = [REQUIRED[field.name]]
        if values:
            shape.append((field.name, values))
    return shape


SHAPES = {cls: _shape(cls) for cls in KINDS.values()}


def wild_event(dice: Dice) -> e.Event:
    cls = dice.pick(TYPES)
    if dice.once_in(40):
        return e.Unknown(kind="weather.changed", fields={"turn": "t1", "rain": True})
    return cls(**{name: values[0] if len(values) == 1 else dice.pick(values) for name, values in SHAPES[cls]})


def wild_record(dice: Dice, seq: int) -> Record:
    dice.shake()
    event = wild_event(dice)
    late = Late(epoch=dice.below(4), turn=TurnId(dice.pick(TURNS))) if dice.once_in(10) else None
    intent = isinstance(event, e.Intent) and not dice.once_in(8)
    epoch = 0 if intent else dice.pick((1, 1, 1, 2, 2, 0, 3))
    return Record(seq=seq, time=1_000 + 10 * seq, epoch=epoch, n=seq if epoch else 0, late=late, event=event)
