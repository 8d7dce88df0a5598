"""The laws of the reducer and its neighbours, each on a thousand histories.

The seven laws of `holdfast.core.session` come first and in its order; then those of `window`, `coalesce`, `decide` and
`overview`. The codec's are in `test_codec.py`.
"""

from collections import Counter
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core import commands as c
from holdfast.core import events as e
from holdfast.core import window
from holdfast.core.coalesce import coalesce, coalesce_events
from holdfast.core.decide import Decision, decide, took_effect
from holdfast.core.errors import Refused
from holdfast.core.items import END, Approval, End, Item, Question, Steer, Text, Thought, ToolCall, UserMessage
from holdfast.core.overview import open_asks, overview, unmoved
from holdfast.core.records import Record
from holdfast.core.session import Session, replay
from holdfast.core.turns import Turn
from tests.core.dice import Dice
from tests.core.histories import LENGTH, histories, key, law, plausible, storable, throws
from tests.core.orders import order
from tests.core.shelf import Shelved, joined

GROWTH = e.TextAppended | e.ThoughtAppended | e.ToolChanged | e.PlanReplaced | e.UsageReported | e.NoticeRaised
RECOVERY = e.RecoveryPending | e.RecoveryFinished


def dumped(session: Session) -> bytes:
    return window.dump(session)


def named(session: Session) -> dict[tuple[str, int], Turn]:
    """Turns by id and the record that made them: an id may be used again after a truncation."""
    return {(turn.id, turn.seq): turn for turn in session.turns.values()}


def items(session: Session) -> list[Item]:
    return [entry.item for entry in window.transcript(session)]


@law
@given(histories())
def test_every_history_can_be_folded_and_what_does_not_fit_has_no_effect(records: list[Record]) -> None:
    """No history raises, and facts of an epoch that is over, or of no epoch at all, change nothing but `seq`."""
    session = Session()
    for record in records:
        stale = isinstance(record.event, e.Fact) and record.late is None and record.epoch < max(session.epoch, 1)
        before = dumped(session) if stale else b""
        before_seq = session.seq
        session.apply(record)
        assert session.seq == record.seq
        if stale:
            session.seq = before_seq
            assert dumped(session) == before
            session.seq = record.seq


@law
@given(histories())
def test_at_most_one_turn_runs_and_it_belongs_to_the_living_epoch(records: list[Record]) -> None:
    """A turn runs only under a living runner and in its epoch; queue and transcript never share a turn."""
    session = Session()
    for record in records:
        session.apply(record)
        running = [turn for turn in session.turns.values() if turn.state == "running"]
        assert [turn.id for turn in running] == ([] if session.running is None else [session.running])
        assert all(session.alive and turn.epoch == session.epoch for turn in running)
        queued = [turn.id for turn in session.turns.values() if turn.state == "queued"]
        assert sorted(queued) == sorted(session.queue)
        assert all((turn.number == 0) == (turn.state == "queued") for turn in session.turns.values())


@law
@given(histories())
def test_the_outcome_of_a_turn_never_changes(records: list[Record]) -> None:
    """Once a turn has an outcome, no later record gives it another; its marker says the same."""
    session, outcomes = Session(), dict[tuple[str, int], str]()
    for record in records:
        session.apply(record)
        for name, turn in named(session).items():
            assert outcomes.setdefault(name, turn.outcome or "") in ("", turn.outcome)
            outcomes[name] = turn.outcome or ""
            assert (turn.end.outcome if turn.end else None) == turn.outcome


@law
@given(histories())
def test_a_settled_ask_never_changes_and_an_open_one_has_a_run_that_waits(records: list[Record]) -> None:
    """A delivered, undelivered or expired ask stays as it is; a waiting one belongs to the turn that runs now."""
    session, settled = Session(), dict[tuple[str, int, int], Item]()
    for record in records:
        session.apply(record)
        for (name, seq), turn in named(session).items():
            for item in turn.items.values():
                if not isinstance(item, Approval | Question):
                    continue
                if item.settled:
                    assert settled.setdefault((name, seq, item.k), msgspec.structs.replace(item)) == item
                else:
                    assert session.alive
                    assert session.running == name
                    assert session.ask(item.ask) is item
        assert all(place.turn == session.running for place in session.asks.values())


@law
@given(histories())
def test_the_first_answer_wins(records: list[Record]) -> None:
    """Once an ask has an answer, no record gives it another one (A9, C10)."""
    session, answers = Session(), dict[tuple[str, int, int], tuple[object, ...]]()
    for record in records:
        session.apply(record)
        for (name, seq), turn in named(session).items():
            for item in turn.items.values():
                if isinstance(item, Approval | Question) and item.answer_seq:
                    words = item.choice if isinstance(item, Approval) else item.answer
                    answer = (item.answer_seq, item.answered_at, item.answered_from, words)
                    assert answers.setdefault((name, seq, item.k), answer) == answer


@law
@given(histories())
def test_items_of_an_ended_turn_grow_only_by_its_own_epoch_or_by_adoption(records: list[Record]) -> None:
    """After its end a turn changes only by late updates before the next start, or by adopted facts if interrupted."""
    session, last = Session(), ""
    for record in records:
        before = {name: (turn, _told(turn)) for name, turn in named(session).items() if turn.outcome is not None}
        alive = session.alive
        session.apply(record)
        for name, turn in named(session).items():
            if name in before and _told(turn) != before[name][1]:
                assert _may_grow(record, turn, is_last=alive and turn.id == last)
        last = session.running or last


def _told(turn: Turn) -> bytes:
    return b"".join(window.dump_item(item) for item in map(_flushed, turn.shown()))


def _flushed(item: Item) -> Item:
    if isinstance(item, Text | Thought | ToolCall):
        item.flush()
    return item


def _may_grow(record: Record, turn: Turn, *, is_last: bool) -> bool:
    if record.late is not None:
        mine = record.late.turn == turn.id and record.late.epoch == turn.epoch
        return turn.outcome == "interrupted" and mine and isinstance(record.event, GROWTH)
    if isinstance(record.event, RECOVERY):
        return turn.outcome == "interrupted" and record.event.turn == turn.id
    if not isinstance(record.event, GROWTH) or turn.outcome not in ("completed", "failed"):
        return False
    return is_last and record.event.turn == turn.id and record.epoch == turn.epoch


@law
@given(histories())
def test_an_ended_turn_is_shown_whole(records: list[Record]) -> None:
    """User's message first, exactly one marker last, and between them nothing that still runs or waits (X4-X6)."""
    session = Session()
    for record in records:
        session.apply(record)
        for turn in session.turns.values():
            if turn.outcome is None:
                assert turn.end is None
                continue
            shown = turn.shown()
            assert isinstance(shown[0], UserMessage)
            assert isinstance(shown[-1], End)
            assert [item.k for item in shown if isinstance(item, End)] == [END]
            assert all(item.finished for item in shown if isinstance(item, ToolCall))
            assert all(item.settled for item in shown if isinstance(item, Approval | Question))


@law
@given(plausible())
def test_a_message_is_at_every_moment_queued_or_shown_and_never_both(records: list[Record]) -> None:
    """From its submission on, a message that nobody took back is in the queue or once in the transcript (X6, X7)."""
    session, sent = Session(), set[str]()
    for record in records:
        before = {turn.id for turn in session.turns.values()}
        session.apply(record)
        match record.event:
            case e.TurnSubmitted() as event:
                if event.replaces is None or session.activity == record.seq:
                    sent.add(event.turn)
            case e.TurnWithdrawn() as event:
                sent.discard(event.turn)
            case e.HistoryTruncated():
                sent -= before - session.turns.keys()
            case _:
                pass
        shown = [item.turn for item in items(session) if isinstance(item, UserMessage)]
        assert len(shown) == len(set(shown))
        assert sorted(sent) == sorted(name for name in [*shown, *session.queue] if name in sent)


@law
@given(histories(), st.integers(0, LENGTH))
def test_coalescing_is_invisible(records: list[Record], cut: int) -> None:
    """Joined records fold to the same session, also for a reader that gets the log in two parts."""
    parts = coalesce(records[:cut]) + coalesce(records[cut:])
    assert len(parts) <= len(records)
    assert dumped(replay(parts)) == dumped(replay(records))


@law
@given(histories())
def test_coalescing_before_the_append_is_invisible(records: list[Record]) -> None:
    """What an outbox joins before it is stored tells the same story, times and numbers of records apart."""
    facts = [record for record in records if record.late is None]
    told = [(record.epoch, [record.event]) for record in facts]
    rows: list[tuple[int, list[e.Event]]] = []
    for epoch, events in told:
        if rows and rows[-1][0] == epoch:
            rows[-1][1].extend(events)
        else:
            rows.append((epoch, events))
    joined_rows = [(epoch, coalesce_events(events)) for epoch, events in rows]
    plain = [Record(seq=1, time=1, epoch=epoch, event=event) for epoch, events in rows for event in events]
    fewer = [Record(seq=1, time=1, epoch=epoch, event=event) for epoch, events in joined_rows for event in events]
    assert len(fewer) <= len(plain)
    assert dumped(replay(fewer)) == dumped(replay(plain))


@law
@given(histories(), throws())
def test_resuming_from_a_saved_state_is_replaying_the_rest(records: list[Record], dice: Dice) -> None:
    """A session saved and loaded again, anywhere and often, goes on as if it had never been saved."""
    resumed = Session()
    for record in records:
        resumed.apply(record)
        dice.shake()
        if dice.once_in(4):
            saved = dumped(resumed)
            resumed = window.load(saved)
            assert dumped(resumed) == saved
    assert dumped(resumed) == dumped(replay(records))


@law
@given(histories(), throws())
def test_settled_items_and_the_rest_are_what_was_never_settled(records: list[Record], dice: Dice) -> None:
    """However often it is settled and reopened, pages and state show the same; what is settled has left."""
    whole, shelved = Session(), Shelved()
    with patch.object(window, "PART", 4):
        for record in storable(records):
            whole.apply(record)
            shelved.take(record)
            dice.shake()
            match dice.below(4):
                case 0:
                    shelved.settle()
                case 1:
                    shelved.reopen()
                case _:
                    pass
        assert shelved.shown() == joined(window.transcript(whole))
    assert overview(shelved.session) == overview(whole)
    assert _beside_turns(shelved.session) == _beside_turns(whole)
    shelved.settle()
    assert all(shelved.session.growable(turn) for turn in shelved.session.turns.values() if turn.number)


def _beside_turns(session: Session) -> dict[str, object]:
    fields: dict[str, object] = msgspec.json.decode(dumped(session))
    fields.pop("turns", None)
    return fields | {"queued": [msgspec.to_builtins(session.turns[turn]) for turn in session.queue]}


@law
@given(histories())
def test_a_streaming_word_leaves_the_overview_as_it_is(records: list[Record]) -> None:
    """Text or thought that continues an item changes no row of the session list, nor does what is plainly `unmoved`."""
    session = Session()
    for record in records:
        count = len(items(session))
        before = overview(session)
        session.apply(record)
        continued = isinstance(record.event, e.TextAppended | e.ThoughtAppended) and len(items(session)) == count
        if continued or unmoved(before, session, record):
            assert overview(session) == before


@law
@given(histories(), throws())
def test_what_is_decided_takes_effect_when_it_is_appended_at_once(records: list[Record], dice: Dice) -> None:
    """Every accepted intent counts if nothing lies between; every refusal is a finished sentence."""
    session = replay(records)
    command = order(dice, session)
    decision = _decided(session, command)
    if isinstance(decision, str):
        assert decision.endswith(".")
        assert not set(decision) & set("{}")
        return
    if decision.key in {key(record.event) for record in records} or _names_what_may_be_settled(command, session):
        return
    for intent in decision.intents:
        record = Record(seq=session.seq + 1, time=9_000, event=intent)
        session.apply(record)
        assert took_effect(session, record)


def _decided(session: Session, command: c.Command) -> Decision | str:
    try:
        return decide(session, command)
    except Refused as refusal:
        return str(refusal)


def _names_what_may_be_settled(command: c.Command, session: Session) -> bool:
    """Truncation from a turn that is not in the state is accepted: only the pages know whether it exists."""
    match command:
        case c.TruncateHistory(turn=turn) | c.ReplaceTurn(replaces=turn):
            return turn not in {None, *session.turns}
        case _:
            return False


@law
@given(plausible())
def test_a_message_is_said_in_anothers_place_or_nothing_happens(records: list[Record]) -> None:
    """What replaces a turn is there, and that turn is gone; or both are as they were."""
    session = Session()
    for record in records:
        before = window.load(dumped(session))
        session.apply(record)
        match record.event:
            case e.TurnSubmitted(turn=turn, replaces=str() as replaced):
                assert (turn in session.queue) == (replaced not in session.turns)
                assert turn in session.queue or before.turns == session.turns
            case _:
                pass


MARKS = (
    "a turn runs",
    "an ask is open",
    "two asks are open",
    "an answer waits for its delivery",
    "an answer was never delivered",
    "a turn was cancelled while it asked",
    "a turn was interrupted and its output recovered",
    "recovery is pending",
    "a queue is held",
    "a steer was delivered",
    "a steer became a turn",
    "an ended turn has grown",
    "a tool was interrupted",
    "a sub-agent spoke",
    "a plan stands",
    "history was truncated",
    "a commit is in flight",
    "a commit failed",
)


def marks(records: list[Record]) -> set[str]:
    """Which of the states that the laws speak of the history passes through."""
    session, found = Session(), set[str]()
    for record in records:
        ended = session.running is None and session.latest is not None
        count = len(items(session))
        session.apply(record)
        shown = items(session)
        asks = [item for item in shown if isinstance(item, Approval | Question)]
        ends = [item for item in shown if isinstance(item, End)]
        cancelled = {end.turn for end in ends if end.outcome == "cancelled"}
        truths = (
            session.running is not None,
            bool(open_asks(session)),
            len(open_asks(session)) > 1,
            any(ask.state == "answered" for ask in asks),
            any(ask.state == "undelivered" for ask in asks),
            any(ask.turn in cancelled and ask.state == "expired" for ask in asks),
            any(item.recovered for item in shown),
            any(end.recovery == "pending" for end in ends),
            any(session.turns[turn].held for turn in session.queue),
            any(isinstance(item, Steer) for item in shown),
            any(turn.startswith("s") for turn in session.turns),
            ended and len(shown) > count,
            any(isinstance(item, ToolCall) and item.status == "interrupted" for item in shown),
            any(isinstance(item, Text | Thought) and item.parent for item in shown),
            any(turn.plan is not None for turn in session.turns.values()),
            isinstance(record.event, e.HistoryTruncated) and count > len(shown),
            session.ledger is not None and session.ledger.attempt is not None,
            session.ledger is not None and session.ledger.failures > 0,
        )
        found.update(mark for mark, true in zip(MARKS, truths, strict=True) if true)
    return found


@pytest.fixture(scope="module")
def reached() -> Counter[str]:
    found: Counter[str] = Counter()

    @settings(law, max_examples=300)
    @given(plausible())
    def look(records: list[Record]) -> None:
        found.update(marks(records))

    look()
    return found


@pytest.mark.parametrize("mark", MARKS)
def test_plausible_histories_reach(mark: str, reached: Counter[str]) -> None:
    """At least two in a hundred plausible histories pass through the state, so the laws above are put to the test."""
    assert reached[mark] >= 6
