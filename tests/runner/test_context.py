"""What an agent is told of an answer that was cut off."""

import pytest

from holdfast.core.events import Outcome
from holdfast.core.ids import CallId, TurnId
from holdfast.core.items import End, Item, Text, UserMessage
from holdfast.runner.context import LENGTH, unfinished
from holdfast.runner.runner import ENDED


def turn(name: str, outcome: Outcome | None, *words: str, error: str = "") -> list[Item]:
    turn = TurnId(name)
    said: list[Item] = [UserMessage(turn=turn, k=0, time=1, text="Do it.")]
    said += [Text(turn=turn, k=k, time=2, text=text) for k, text in enumerate(words, 1)]
    return said + ([] if outcome is None else [End(turn=turn, k=99, time=3, outcome=outcome, error=error)])


@pytest.mark.parametrize("outcome", ["interrupted", "failed"])
def test_what_was_seen_of_the_last_turn_is_handed_over(outcome: Outcome) -> None:
    items = [*turn("t1", "completed", "All done."), *turn("t2", outcome, "First.", "Then"), *turn("t3", None)]
    assert unfinished(items) == "First.\n\nThen"


@pytest.mark.parametrize("outcome", ["completed", "cancelled"])
def test_an_agent_that_ended_its_turn_itself_knows_what_it_said(outcome: Outcome) -> None:
    assert unfinished([*turn("t1", "failed", "Cut"), *turn("t2", outcome, "Whole.")]) == ""


def test_what_was_seen_of_a_stopped_turn_is_handed_over_if_that_took_the_end_of_its_process() -> None:
    """Its end says so."""
    assert unfinished(turn("t1", "cancelled", "Half", error=ENDED)) == "Half"


def test_a_sub_agents_words_are_not_the_agents() -> None:
    below = Text(turn=TurnId("t1"), k=5, time=2, text="below", parent=CallId("call"))
    assert unfinished([*turn("t1", None, "Above"), below, *turn("t1", "failed")[1:]]) == "Above"


def test_no_more_is_handed_over_than_an_agent_can_take() -> None:
    assert len(unfinished(turn("t1", "failed", "x" * (LENGTH + 9)))) == LENGTH
    assert unfinished([]) == ""
