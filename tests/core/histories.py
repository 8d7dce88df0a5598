"""Hypothesis strategies for histories, and what they are known to reach.

*Wild* histories hold anything in any order; *plausible* ones are what people and runners would write; *disturbed* ones
are plausible with wild records thrown in, and some of their own left out, doubled or exchanged.
"""

import os

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from holdfast.core import events as e
from holdfast.core.decide import answer_key, turn_key
from holdfast.core.records import Record
from tests.core.dice import Dice
from tests.core.plausible import plausible_records
from tests.core.wild import wild_record

LENGTH = 40
law = settings(
    max_examples=int(os.environ.get("HOLDFAST_TEST_HISTORIES", "1000")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""One thousand histories (`make test-fast`: 250), the same ones on every machine: a red build can be repeated."""


def rows() -> st.SearchStrategy[bytes]:
    """Two bytes for each step, and two before them."""
    return st.binary(min_size=2 * LENGTH + 2, max_size=2 * LENGTH + 2)


def throws() -> st.SearchStrategy[Dice]:
    return rows().map(Dice)


def histories() -> st.SearchStrategy[list[Record]]:
    return rows().map(lambda row: (_plausible, _plausible, _disturbed, _disturbed, _wild)[row[0] % 5](row))


def plausible() -> st.SearchStrategy[list[Record]]:
    return rows().map(_plausible)


def _wild(row: bytes) -> list[Record]:
    dice = Dice(row[2:])
    return [wild_record(dice, seq) for seq in range(1, 2 + row[1] % LENGTH)]


def _plausible(row: bytes) -> list[Record]:
    return plausible_records(Dice(row[2:]), 16 + row[1] % (LENGTH - 15))


def _disturbed(row: bytes) -> list[Record]:
    dice = Dice(row[::-1])
    records: list[Record] = []
    for record in _plausible(row):
        dice.shake()
        match dice.below(12):
            case 1:
                records += [record, wild_record(dice, record.seq)]
            case 2:
                records += [record, record]
            case 3:
                records += [record, *records[-1:]]
            case 4:
                pass
            case _:
                records.append(record)
    return renumbered(records)


def renumbered(records: list[Record]) -> list[Record]:
    return [
        msgspec.structs.replace(record, seq=seq, time=1_000 + 10 * seq) for seq, record in enumerate(records, start=1)
    ]


def key(event: e.Event) -> str | None:
    """The key with which the event is appended, if it has one."""
    match event:
        case e.TurnSubmitted():
            return turn_key(event.turn)
        case e.TurnSteered():
            return turn_key(event.steer)
        case e.ApprovalAnswered() | e.QuestionAnswered():
            return answer_key(event.ask)
        case _:
            return None


def storable(records: list[Record]) -> list[Record]:
    """What a store and its runners let pass: no key twice, and `first` on the first event of each call."""
    keys: set[str] = set()
    calls: set[tuple[str, str]] = set()
    passed: list[Record] = []
    for record in records:
        event, found = record.event, key(record.event)
        if found is not None and found in keys:
            continue
        keys.update(() if found is None else (found,))
        if isinstance(event, e.ToolChanged):
            event = msgspec.structs.replace(event, first=(event.turn, event.call) not in calls)
            calls.add((event.turn, event.call))
        passed.append(msgspec.structs.replace(record, event=event))
    return renumbered(passed)
