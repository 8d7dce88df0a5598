"""A fork has what was said up to its turn, and nothing else of the session that it comes from."""

from typing import Any

from hypothesis import assume, given
from msgspec.structs import replace

from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Record
from holdfast.core.session import replay
from holdfast.transfer.fork import forked, rests
from tests.core.dice import Dice
from tests.core.histories import law, plausible, throws
from tests.transfer.stage import folded

SOURCE = SessionId("source")
CREATED = Record(seq=0, time=1_700_000_000_000, event=e.SessionCreated(title="T", agent="scripted", mode="free"))


@law
@given(plausible(), throws())
def test_a_fork_is_the_transcript_up_to_its_turn_and_permits_nothing(records: list[Record], dice: Dice) -> None:
    """Whatever ran, waited, was allowed or removed before or after."""
    rest = [record for record in records if not isinstance(record.event, e.SessionCreated)]
    whole = _numbered([CREATED, *(replace(record, time=record.time + CREATED.time) for record in rest)])
    before = replay(whole)
    ended = [turn for turn in before.turns.values() if turn.number and rests(before, turn.id)]
    assume(ended)
    dice.shake()
    turn = dice.pick(ended)
    told = forked(whole, SOURCE, turn.id, [e.SessionRenamed(title="Fork")])
    after = replay(_numbered(told))
    assert (after.alive, after.queue, after.asks, after.recovering, after.running) == (False, [], {}, {}, None)
    assert (after.rules, after.mode, after.workspace, after.conversation) == ((), "", "", None)
    assert after.ledger is None or after.ledger.uncommitted == 0
    assert (after.title, after.seen) == ("Fork", len(told))
    kept = {each.id for each in before.turns.values() if 0 < each.number <= turn.number}
    assert _told(folded(told), kept) == _told(folded(whole), kept)
    assert after.turns.keys() == kept


def _numbered(records: list[Record]) -> list[Record]:
    """As a store numbers what it takes in."""
    return [replace(record, seq=seq) for seq, record in enumerate(records, 1)]


def _told(items: list[dict[str, Any]], kept: set[TurnId]) -> list[dict[str, Any]]:
    """What was allowed for longer is told as allowed once, and what was still looked for is not looked for here."""
    once = {"session": "once", "always": "once"}
    left = {"number", "everywhere", "recovery", "attempts", "pending_since", "notified_at"}
    return [
        {
            name: once.get(value, value) if name == "choice" else value
            for name, value in item.items()
            if name not in left
        }
        for item in items
        if item["turn"] in kept
    ]
