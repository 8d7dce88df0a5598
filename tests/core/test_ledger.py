"""The ledger against a model that remembers every turn, driven by records as server and runners write them."""
# ruff: noqa: N802  tests name the rule they show

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from holdfast.core import events as e
from holdfast.core import window
from holdfast.core.excerpt import Excerpt
from holdfast.core.ids import TurnId
from holdfast.core.ledger import PAUSE, SEGMENTS, Attempt, Completed, Ledger
from holdfast.core.records import Record
from holdfast.core.session import Session
from tests.core.forgetful import Model
from tests.core.histories import law

EMPTY = Ledger()
ENDS = st.sampled_from(("well", "well", "well", "cancelled", "raced", "failed", "interrupted", "ephemeral"))


class Memory(RuleBasedStateMachine):
    """Turns end in every way, commits begin, end and fail, agents are replaced and die, people clear, runners go."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session()
        self.log: list[Record] = []
        self.model = Model()
        self.epoch = 0
        self.opened = 0
        self.current = ""
        self.living: list[str] = []
        self.said: list[str] = []

    def write(self, event: e.Event) -> None:
        epoch = self.epoch if isinstance(event, e.Fact) else 0
        record = Record(seq=len(self.log) + 1, time=1_000 * (len(self.log) + 1), epoch=epoch, event=event)
        self.log.append(record)
        self.session.apply(record)

    @property
    def ledger(self) -> Ledger:
        return self.session.ledger or EMPTY

    # The runner.

    @initialize()
    def start(self) -> None:
        """Also what kill -9 leads to: a claim, and a new runner."""
        self.epoch += 1
        self.write(e.RunnerStarted())
        self.model.lose()
        self.model.wanted = {turn.number for turn in self.model.left()}
        self.current, self.living = "", []

    @rule(known=st.booleans())
    def kill(self, known: bool) -> None:  # noqa: FBT001 (Hypothesis draws it)
        if known:
            self.epoch += 1
            self.write(e.RunnerLost(reason="It was found dead."))
        self.start()

    @rule()
    def stop(self) -> None:
        self.write(e.RunnerStopped())
        self.start()

    @rule()
    def replace_agent(self) -> None:
        self.opened += 1
        self.current = f"i{self.opened}"
        self.living.append(self.current)
        self.write(e.AgentOpened(agent="tour", instance=self.current, remembers=True))

    @precondition(lambda self: self.living)
    @rule(data=st.data())
    def agent_dies(self, data: st.DataObject) -> None:
        owner = data.draw(st.sampled_from(self.living))
        self.living.remove(owner)
        self.current = "" if owner == self.current else self.current
        self.write(e.AgentEnded(instance=owner))
        self.model.die(owner)

    # A turn.

    @rule(end=ENDS)
    def turn(self, end: str) -> None:
        turn = TurnId(f"t{len(self.log)}")
        self.write(e.TurnSubmitted(turn=turn, text=f"ask {turn}", ephemeral=end == "ephemeral"))
        self.write(e.TurnReleased())
        self.write(e.TurnStarted(turn=turn))
        self.write(e.TextAppended(turn=turn, text=f"say {turn}"))
        if end == "raced":
            self.write(e.TurnCancelRequested(turn=turn))
        outcome: e.Outcome = end if end in ("cancelled", "failed", "interrupted") else "completed"
        self.write(e.TurnEnded(turn=turn, outcome=outcome))
        if end == "well":
            self.model.complete(self.current, self.epoch)
            self.said.append(turn)

    # Commits.

    @rule(data=st.data(), length=st.integers(1, 4))
    def begin(self, data: st.DataObject, length: int) -> None:
        """By anybody, of any length: whether it counts is the ledger's to say."""
        owner = data.draw(st.sampled_from([*self.living, "aside"]))
        first = self.ledger.committed + 1
        numbers = list(range(first, first + length))
        token = f"s:{first}-{numbers[-1]}"
        counts = self.model.begin(token, owner, numbers)
        busy = self.ledger.attempt is not None
        self.write(e.MemoryStarted(token=token, owner=owner, first=first, last=numbers[-1]))
        assert counts == (self.ledger.attempt is not None and not busy)

    @precondition(lambda self: self.model.left() and not self.model.flight)
    @rule(everything=st.booleans())
    def commit_what_is_due(self, everything: bool) -> None:  # noqa: FBT001 (Hypothesis draws it)
        """As a runner does: by the owner, or by an adopter if there is none that lives."""
        due = self.ledger.due(1 << 60, everything=everything)
        if due is None:
            assert not everything
            assert self.model.left()[0].number not in self.model.wanted
            return
        numbers = list(range(due[0], due[1] + 1))
        assert everything or self.model.doubt or set(numbers) <= self.model.wanted
        oldest = self.ledger.segments[0]
        owner = oldest.owner if oldest.owner and not oldest.dead else "aside"
        token = f"s:{due[0]}-{due[1]}"
        assert self.model.begin(token, owner, numbers)
        self.write(e.MemoryStarted(token=token, owner=owner, first=due[0], last=due[1]))
        assert self.ledger.attempt is not None

    @precondition(lambda self: self.model.flight)
    @rule()
    def ends_well(self) -> None:
        token = self.ledger.attempt.token if self.ledger.attempt else ""
        self.write(e.MemoryCommitted(token=token))
        self.model.end(well=True)
        self.write(e.MemoryCommitted(token=token))  # again: harmless

    @precondition(lambda self: self.model.flight)
    @rule(in_doubt=st.booleans())
    def fails(self, in_doubt: bool) -> None:  # noqa: FBT001 (Hypothesis draws it)
        token = self.ledger.attempt.token if self.ledger.attempt else ""
        self.write(e.MemoryFailed(token=token, error="It broke.", in_doubt=in_doubt))
        self.model.end(well=False, in_doubt=in_doubt)
        assert self.ledger.again >= self.log[-1].time + PAUSE
        assert self.ledger.due(self.log[-1].time + 1) is None

    @rule(token=st.sampled_from(("", "s:1-1", "s:9-9")))
    def strange_end(self, token: str) -> None:
        """The end of a commit that is not in flight takes nothing away."""
        if self.ledger.attempt is None or self.ledger.attempt.token != token:
            self.write(e.MemoryCommitted(token=token))

    # Boundaries.

    @rule()
    def request(self) -> None:
        self.write(e.MemoryRequested())
        if self.model.left():
            self.model.wanted |= {turn.number for turn in self.model.oldest()}

    @rule(delete=st.booleans())
    def clear(self, delete: bool) -> None:  # noqa: FBT001 (Hypothesis draws it)
        self.write(e.SessionDeleted() if delete else e.HistoryTruncated())
        self.model.wanted |= {turn.number for turn in self.model.left()}

    # What must be true.

    @invariant()
    def the_same_is_true(self) -> None:
        left = self.model.left()
        assert self.ledger.generation == len(self.model.turns)
        assert self.ledger.uncommitted == len(left)
        assert self.ledger.commits == self.model.commits
        assert self.ledger.may_be_doubled == (self.model.doubled or self.model.doubt is not None)
        flight = self.ledger.attempt
        assert (None if flight is None else flight.token) == (self.model.flight[0] if self.model.flight else None)
        if left:
            oldest = self.ledger.segments[0]
            assert (oldest.first, oldest.last) == (left[0].number, self.model.oldest()[-1].number)
            assert (oldest.owner, oldest.dead, oldest.adopted) == (left[0].owner, left[0].dead, left[0].adopted)
        else:
            spare = Ledger(generation=self.ledger.generation, commits=self.ledger.commits, tries=self.ledger.tries)
            spare.doubled = self.ledger.doubled
            assert self.ledger == spare, "a clean session keeps a few numbers"

    @invariant()
    def segments_have_no_gap(self) -> None:
        ends = [(segment.first, segment.last) for segment in self.ledger.segments]
        numbers = [number for first, last in ends for number in range(first, last + 1)]
        assert numbers == list(range(self.ledger.committed + 1, self.ledger.generation + 1))

    @invariant()
    def the_log_tells_what_was_said_in_a_segment(self) -> None:
        for segment in self.ledger.segments[:1]:
            excerpt = Excerpt(segment, segment.first, segment.last)
            excerpt.feed(record for record in self.log if record.seq >= segment.since)
            said = self.said[segment.first - 1 : segment.last]
            assert [message.content for message in excerpt.messages] == [
                word for turn in said for word in (f"ask {turn}", f"say {turn}")
            ]

    @invariant()
    def it_survives_being_saved(self) -> None:
        assert window.load(window.dump(self.session)).ledger == self.session.ledger


TestLedger = Memory.TestCase
TestLedger.settings = settings(
    max_examples=2 * law.max_examples,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def completed(owner: str, seq: int = 1) -> Completed:
    return Completed(since=seq, seq=seq, owner=owner)


@pytest.mark.contract("M10")
def test_M10_bookkeeping_is_bounded_however_often_agents_die() -> None:
    """A thousand owners that died without a commit leave a bounded number of segments that miss no generation."""
    ledger = Ledger()
    for number in range(1_000):
        ledger.complete(completed(f"i{number}", number))
        ledger.lose(number)
    assert len(ledger.segments) <= SEGMENTS
    assert ledger.segments[0].first == 1
    assert ledger.segments[-1].last == ledger.generation == 1_000
    while (due := ledger.due(0, everything=True)) is not None:
        ledger.begin(Attempt(token=f"s:{due[0]}", owner="next", first=due[0], last=due[1]))
        ledger.finish(f"s:{due[0]}")
    assert ledger == Ledger(generation=1_000, commits=ledger.commits, tries=ledger.commits)


@pytest.mark.contract("M3")
def test_M3_repetitions_come_later_and_later_and_at_most_an_hour_apart() -> None:
    """The pause doubles with each failure in a row; a boundary does not wait for it; a good commit forgets it."""
    ledger, pauses = Ledger(), list[int]()
    ledger.complete(completed("i1"))
    for number in range(12):
        ledger.begin(Attempt(token=f"s:{number}", owner="i1", first=1, last=1))
        ledger.fail(f"s:{number}", "It broke.", 0, in_doubt=False)
        pauses.append(ledger.again)
    assert pauses[:4] == [30_000, 60_000, 120_000, 240_000]
    assert pauses[-1] == max(pauses) == 3_600_000
    assert ledger.due(3_599_999) is None
    assert ledger.due(3_600_000) == (1, 1)
    ledger.want_oldest()
    assert ledger.due(0) == (1, 1)
    ledger.begin(Attempt(token="s:1-1", owner="i1", first=1, last=1))
    ledger.finish("s:1-1")
    assert (ledger.failures, ledger.error, ledger.again) == (0, "", 0)
