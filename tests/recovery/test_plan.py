"""The plan is pure: what is found decides what is done."""

import pytest

from holdfast.core.ids import SessionId
from holdfast.core.recovery import SILENCE, STARTING, End, Fail, Record, Situation, Spawn, Wait, plan

S = SessionId("s")


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (Situation(session=S), []),
        (Situation(session=S, startable=True), [Spawn(S)]),
        (Situation(session=S, startable=True, alive=True), [Spawn(S)]),
        (Situation(session=S, alive=True), [Record(S)]),
        (Situation(session=S, alive=True, holder=7), []),
        (Situation(session=S, startable=True, holder=7), []),
        (Situation(session=S, alive=True, holder=7, silent=SILENCE + 1), [End(S, 7)]),
        (Situation(session=S, startable=True, spawned=7), []),
        (Situation(session=S, startable=True, spawned=7, silent=SILENCE + 1), []),
        (Situation(session=S, startable=True, spawned=7, silent=STARTING + 1), [End(S, 7)]),
        (Situation(session=S, startable=True, failed_starts=2), [Spawn(S)]),
        (Situation(session=S, startable=True, failed_starts=3), [Fail(S)]),
        (Situation(session=S, alive=True, spawned=7), []),
        (Situation(session=S, forgetful=True), [Spawn(S)]),
        (Situation(session=S, forgetful=True, alive=True), [Record(S)]),
        (Situation(session=S, forgetful=True, holder=7), []),
        (Situation(session=S, forgetful=True, failed_starts=3), []),
    ],
)
def test_each_situation_has_its_act(found: Situation, wanted: list[object]) -> None:
    """The living are left alone, the silent ended, the lost written down, and who waits gets a runner."""
    assert plan([found], places=16) == wanted


def test_no_more_runners_than_places() -> None:
    """Who finds no place waits and is told how many run; nobody is evicted."""
    busy = [Situation(session=SessionId(f"b{i}"), holder=i + 1) for i in range(3)]
    new = [Situation(session=SessionId(f"n{i}"), startable=True) for i in range(3)]
    assert plan([*busy, *new], places=4) == [Spawn(SessionId("n0")), Wait(SessionId("n1"), 4), Wait(SessionId("n2"), 4)]


def test_memory_takes_no_place_from_a_turn() -> None:
    """Who waits to commit memory again takes no place, and what is left is committed when there is one."""
    lingering = [Situation(session=SessionId(f"l{i}"), holder=i + 1, lingering=True) for i in range(3)]
    turn = Situation(session=SessionId("t"), startable=True)
    memory = Situation(session=SessionId("u"), forgetful=True)
    assert plan([*lingering, turn], places=1) == [Spawn(SessionId("t"))]
    assert plan([lingering[0], turn, memory], places=2) == [Spawn(SessionId("t")), Spawn(SessionId("u"))]
    assert plan([turn, memory], places=1) == [Spawn(SessionId("t"))]


def test_no_more_runners_linger_than_there_are_places() -> None:
    """When as many wait to commit memory again, no other is started for that; a turn still gets its runner."""
    lingering = [Situation(session=SessionId(f"l{i}"), holder=i + 1, lingering=True) for i in range(4)]
    turn = Situation(session=SessionId("t"), startable=True)
    memory = Situation(session=SessionId("u"), forgetful=True)
    assert plan([*lingering, memory, turn], places=4) == [Spawn(SessionId("t"))]
