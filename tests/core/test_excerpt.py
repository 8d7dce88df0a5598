"""What an adopter is told: the messages of some generations, and of no others."""

from holdfast.core import events as e
from holdfast.core.excerpt import LENGTH, Excerpt, Message
from holdfast.core.ids import SteerId, TurnId
from holdfast.core.ledger import Segment
from holdfast.core.records import Record

SEGMENT = Segment(owner="i1", first=2, last=3, base=1, since=1, begun=1)


def told(*events: e.Event, segment: Segment = SEGMENT, first: int = 2, last: int = 3) -> list[Message]:
    excerpt = Excerpt(segment, first, last)
    excerpt.feed(Record(seq=seq, time=seq, event=event) for seq, event in enumerate(events, 1))
    return excerpt.messages


def turn(name: str, outcome: e.Outcome = "completed", *, ephemeral: bool = False) -> list[e.Event]:
    turn = TurnId(name)
    return [
        e.TurnSubmitted(turn=turn, text=f"ask {name}", ephemeral=ephemeral),
        e.TurnStarted(turn=turn),
        e.TextAppended(turn=turn, text="say "),
        e.TextAppended(turn=turn, text=name),
        e.TurnEnded(turn=turn, outcome=outcome),
    ]


def said(*names: str) -> list[Message]:
    return [
        message for name in names for message in (Message("user", f"ask {name}"), Message("assistant", f"say {name}"))
    ]


def test_only_the_generations_that_are_asked_for() -> None:
    """Neither those before nor those after; turns that do not count are in no generation."""
    raced = turn("raced")
    raced.insert(-1, e.TurnCancelRequested(turn=TurnId("raced")))
    log = [
        *turn("one"), *turn("failed", "failed"), *raced, *turn("two"), *turn("title", ephemeral=True), *turn("three"),
        *turn("four"),
    ]  # fmt: skip
    assert told(*log) == said("two", "three")
    assert told(*log, first=1, last=1) == said("one")


def test_turns_of_agents_without_memory_are_in_no_generation() -> None:
    """A process aside changes nothing; a runner that is gone takes its process with it."""
    log = [
        *turn("one"), e.AgentOpened(agent="plain"), *turn("plain"), e.AgentOpened(agent="tour", aside=True),
        *turn("plain too"), e.RunnerStopped(), *turn("two"), e.AgentOpened(agent="tour", remembers=True),
        *turn("three"),
    ]  # fmt: skip
    assert told(*log) == said("two", "three")


def test_what_ended_before_the_segment_began_is_left_out() -> None:
    """A message may have been sent while an older owner's turn still ran."""
    log = [e.TurnSubmitted(turn=TurnId("two"), text="ask two"), *turn("one"), *turn("two")[1:], *turn("three")]
    segment = Segment(owner="i2", first=2, last=3, base=2, since=1, begun=7)
    assert told(*log, segment=segment) == said("two", "three")


def test_steers_belong_to_their_turn_or_become_one() -> None:
    """Delivered words are part of what was asked; words that came too late are a turn."""
    log = turn("one")
    log[2:2] = [
        e.TurnSteered(turn=TurnId("one"), steer=SteerId("s1"), text="faster"),
        e.SteerDelivered(turn=TurnId("one"), steer=SteerId("s1")),
        e.TurnSteered(turn=TurnId("one"), steer=SteerId("s2"), text="ask s2"),
    ]
    segment = Segment(owner="i1", first=1, last=2, base=1, since=1, begun=1)
    assert told(*log, *turn("s2")[1:], segment=segment, first=1, last=2) == [
        Message("user", "ask one\n\nfaster"),
        Message("assistant", "say one"),
        *said("s2"),
    ]


def test_what_is_too_long_is_left_out_at_the_front() -> None:
    """The newest message is always told."""
    log = [*turn("one"), *turn("two"), *turn("three")]
    log[-2] = e.TextAppended(turn=TurnId("three"), text="x" * LENGTH)
    assert [message.role for message in told(*log)] == ["assistant"]
