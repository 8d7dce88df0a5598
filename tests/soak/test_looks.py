"""What a soak looks at, shown something that is wrong: it must say so."""

import asyncio
from random import Random

import pytest

from holdfast.core import codec
from holdfast.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    SessionCreated,
    TextAppended,
    TurnSubmitted,
)
from holdfast.core.ids import AskId, TurnId
from holdfast.core.records import Record
from tests.crashes.scripts import Script
from tests.crashes.wire import Event
from tests.soak.errands import ANSWER, answered, errand
from tests.soak.heard import Heard
from tests.soak.verdict import unforeseen
from tests.soak.viewer import Viewer

TURN = TurnId("t1")
LOG = [
    Record(seq=1, time=1, event=SessionCreated()),
    Record(seq=2, time=1, event=TurnSubmitted(turn=TURN, text="!say a b")),
    Record(seq=3, time=1, epoch=1, n=1, event=TextAppended(turn=TURN, text="a b")),
]
LINES = [codec.encode_record(record) for record in LOG]


def heard(*records: tuple[int, bytes]) -> Heard:
    async def take() -> Heard:
        found = Heard("soak-01")
        for seq, data in records:
            await found.take(seq, data)
        return found

    return asyncio.run(take())


def test_what_all_got_alike_and_the_log_holds_is_fine() -> None:
    found = heard(*enumerate(LINES, 1), *enumerate(LINES, 1))
    assert (found.seq, found.words) == (3, 2)
    assert not found.flaws
    assert not found.differs(LOG)


def test_whoever_is_ahead_waits_for_what_lies_between() -> None:
    """A viewer that began with a snapshot has what the others have not: it is folded in its place."""
    found = heard((3, LINES[2]), (1, LINES[0]), (2, LINES[1]))
    assert found.seq == 3
    assert not found.flaws
    assert not found.differs(LOG)


def test_two_who_got_two_different_records_are_seen() -> None:
    assert heard(*enumerate(LINES, 1), (3, LINES[1])).flaws
    assert heard((3, LINES[2]), (3, LINES[1])).flaws


def test_what_was_sent_and_is_not_in_the_log_is_seen() -> None:
    found = heard(*enumerate(LINES, 1))
    assert found.differs(LOG[:2])
    assert found.differs([*LOG[:2], Record(seq=3, time=2, epoch=1, n=1, event=LOG[2].event)])


@pytest.mark.parametrize(("seqs", "kinds"), [((1, 2), []), ((2,), ["lost"]), ((1, 1), ["doubled"])])
def test_a_viewer_that_misses_a_record_or_gets_it_twice_is_seen(seqs: tuple[int, ...], kinds: list[str]) -> None:
    async def watch() -> Viewer:
        viewer = Viewer(lambda: None, 0, [Heard("soak-01")], Random(1), stay=1.0, keeps=True)
        for seq in seqs:
            await viewer.take(Event("record", f"soak-01:{seq}", LINES[seq - 1], 100))
        return viewer

    assert [flaw.kind for flaw in asyncio.run(watch()).flaws] == kinds


def test_a_viewer_that_is_told_to_start_over_is_seen() -> None:
    viewer = Viewer(lambda: None, 0, [Heard("soak-01")], Random(1), stay=1.0, keeps=True)
    asyncio.run(viewer.take(Event("reset", "", b"{}", 10)))
    assert viewer.flaws


def test_a_server_that_ends_by_itself_is_seen() -> None:
    assert not unforeseen([-9, 0], [-9, 0])
    assert unforeseen([-9, 0, 1], [-9, 0])
    assert unforeseen([-9, -15], [-9, 0])


def test_an_agent_must_say_what_was_answered_first() -> None:
    ask = AskId("a1")
    log = [
        Record(seq=1, time=1, event=ApprovalRequested(ask=ask, turn=TURN, command="x")),
        Record(seq=2, time=1, event=ApprovalAnswered(ask=ask, choice="deny")),
        Record(seq=3, time=1, event=ApprovalAnswered(ask=ask, choice="once")),
        Record(seq=4, time=1, event=ApprovalRequested(ask=AskId("a2"), turn=TURN, command="y")),
    ]
    script = Script("approve", "", f"before{ANSWER}between{ANSWER}after")
    assert answered({"t1": script}, log)["t1"].said == f"beforedeniedbetween{ANSWER}after"


def test_the_same_dice_ask_for_the_same() -> None:
    assert [errand(Random(7), "t") for _ in range(3)] == [errand(Random(7), "t")] * 3
