"""Real Hermes through the whole stack: what it says and does is what a person sees."""

from typing import Any

import pytest

from tests.real.desk import Desk

pytestmark = pytest.mark.agents
Json = dict[str, Any]


def of(items: list[Json], kind: str) -> list[Json]:
    return [item for item in items if item["type"] == kind]


def test_words_and_thoughts(desk: Desk) -> None:
    session, _ = desk.begin()
    seen = desk.say(session, "@think Let me see.\n@say Hello there.")
    turn = seen.items[-1]["turn"]
    assert [item["type"] for item in seen.of(turn)] == ["user", "thought", "text", "end"]
    assert seen.text(turn) == "Hello there."
    assert of(seen.items, "thought")[0]["text"] == "Let me see."
    assert seen.end(turn)["outcome"] == "completed"
    assert seen.session["usage"]["input"] == 900
