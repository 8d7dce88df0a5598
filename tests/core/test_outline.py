"""A turn in outline: folding from it gives what folding the whole log gives, of every turn of every history."""

from typing import Any

import msgspec
import pytest
from hypothesis import given

from holdfast.core import events as e
from holdfast.core.ids import AskId, CallId, TurnId
from holdfast.core.outline import Outline, began, tells
from holdfast.core.records import Record
from holdfast.core.session import Session
from tests.core.histories import law, plausible, storable
from tests.core.test_histories import PATHS, History

T1, T2 = TurnId("t1"), TurnId("t2")


def outlined(records: list[Record], turn: TurnId) -> Outline | None:
    outline = Outline(turn)
    for record in records:
        if tells(record.event):
            outline.take(record)
    outline.close(len(records), records)
    return outline if outline.first else None


def shown(session: Session, turn: TurnId) -> list[Any]:
    found = session.turns.get(turn)
    return [] if found is None else msgspec.to_builtins([found.items[k] for k in sorted(found.items)])


def asks(session: Session, turn: TurnId) -> list[Any]:
    return [{**item, "k": 0} for item in shown(session, turn) if item["type"] in ("approval", "question")]


def check(records: list[Record]) -> int:
    """Hold the outline of every turn against the whole log; return how many there were."""
    named = {getattr(record.event, "turn", None) or "" for record in records}
    turns = 0
    for turn in sorted(TurnId(name) for name in named if name):
        outline = outlined(records, turn)
        if outline is None or outline.said is None:
            continue
        last = outline.last
        whole = Session()
        for record in records[:last]:
            whole.apply(record)
        if turn not in whole.turns or not whole.turns[turn].number:
            continue  # what began it had no effect
        if isinstance(records[outline.first - 1].event, e.TurnStarted) and not whole.turns[turn].started:
            continue  # nor had its start: no runner starts what is held
        turns += 1
        mine, decided = began(outline.epoch), began(outline.epoch)
        mine.apply(outline.said)
        decided.apply(outline.said)
        for record in records[outline.first - 1 : last]:
            mine.apply(record)
        for record in outline.decisive:
            decided.apply(record)
        assert shown(mine, turn) == shown(whole, turn)
        assert asks(decided, turn) == asks(whole, turn)
    return turns


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_every_turn_of_a_history_can_be_folded_from_its_outline(path: Any) -> None:
    check(History(path).records)


def test_the_histories_have_turns() -> None:
    assert sum(check(History(path).records) for path in PATHS) > 60


@law
@given(plausible())
def test_so_can_every_turn_of_what_people_and_runners_would_write(records: list[Record]) -> None:
    check(storable(records))


def log(*events: tuple[int, e.Event]) -> list[Record]:
    return [
        Record(seq=seq, time=1_000 * seq, epoch=epoch, n=seq if epoch else 0, event=event)
        for seq, (epoch, event) in enumerate(events, 1)
    ]


def test_it_says_what_decided_and_what_failed() -> None:
    """And ends where the turn can change no more, whatever is written later."""
    records = log(
        (0, e.SessionCreated(title="A")),
        (1, e.RunnerStarted()),
        (0, e.TurnSubmitted(turn=T1, text="Go.")),
        (1, e.TurnStarted(turn=T1)),
        (1, e.ToolChanged(turn=T1, call=CallId("c"), first=True, status="running")),
        (1, e.ApprovalRequested(turn=T1, ask=AskId("a"), command="rm x")),
        (0, e.ApprovalAnswered(ask=AskId("a"), choice="once")),
        (1, e.ApprovalDelivered(ask=AskId("a"))),
        (1, e.ToolChanged(turn=T1, call=CallId("c"), status="failed")),
        (1, e.TurnEnded(turn=T1, outcome="failed", error="No.")),
        (0, e.SessionChanged(seen=9)),
        (1, e.UsageReported(turn=T1, input=1)),
        (0, e.SessionChanged(pinned=True)),
        (0, e.TurnSubmitted(turn=T2, text="More.")),
        (1, e.TurnStarted(turn=T2)),
    )
    outline = outlined(records, T1)
    assert outline is not None
    assert (outline.first, outline.last, outline.epoch, outline.whole) == (4, 12, 1, True)
    assert [record.seq for record in outline.decisive] == [4, 6, 7, 8, 10, 11]
    assert outline.failures == [9, 10]


def test_a_turn_that_never_began_has_none() -> None:
    assert outlined(log((0, e.TurnSubmitted(turn=T1, text="Go.")), (0, e.TurnWithdrawn(turn=T1))), T1) is None
    assert outlined([], T1) is None


def test_one_that_is_longer_than_can_be_told_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.core.outline.MOST", 2)
    said = [(1, e.TextAppended(turn=T1, text="a"))] * 3
    outline = outlined(log((0, e.TurnSubmitted(turn=T1, text="Go.")), (1, e.TurnStarted(turn=T1)), *said), T1)
    assert outline is not None
    assert (outline.last, outline.whole) == (3, False)


def long_turn(*between: e.Event) -> list[Record]:
    """A turn in which all of this happened."""
    events: list[e.Event] = [
        e.TurnSubmitted(turn=T1, text="Dig"),
        e.RunnerStarted(),
        e.TurnStarted(turn=T1),
        *between,
        e.TurnEnded(turn=T1, outcome="completed"),
    ]
    return [Record(seq=seq, time=seq, event=event, epoch=1) for seq, event in enumerate(events, 1)]


def test_what_a_long_turn_says_is_not_in_its_outline() -> None:
    """Ten words or five thousand: what is told of it is as long."""
    short, long = (outlined(long_turn(*[e.TextAppended(turn=T1, text="dig ")] * count), T1) for count in (10, 5_000))
    assert short is not None
    assert long is not None
    assert long.last - long.first == 5_001
    assert [record.event for record in long.decisive] == [record.event for record in short.decisive]
    assert long.failures == short.failures == []


def test_the_outline_of_an_endless_turn_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it failed: beyond some length nothing is told, and it is said that something is missing."""
    monkeypatch.setattr("holdfast.core.outline.MOST", 50)
    failed = [e.ToolChanged(turn=T1, call=CallId(f"c{number}"), first=True, status="failed") for number in range(500)]
    outline = outlined(long_turn(*failed), T1)
    assert outline is not None
    assert not outline.whole
    assert outline.last == outline.first + 49
    assert len(outline.failures) + len(outline.decisive) <= 50
