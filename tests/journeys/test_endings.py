"""However a run ends, everything is kept: the message once, what was streamed in its order, exactly one marker.

Each ending is brought about for real, with a browser connected throughout. Then the session is loaded anew and must
show, byte for byte, what that browser had on its screen.
"""
# ruff: noqa: N802  tests name the rule they show

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from holdfast.core.ids import SessionId
from tests.journeys.follower import Follower
from tests.journeys.house import House
from tests.journeys.person import Person
from tests.journeys.transcript import Shown, Transcript, on_screen

pytestmark = [pytest.mark.slow, pytest.mark.crash]

LONG = 600_000  # milliseconds: longer than any test waits
SPOKEN = '!think hm\n!stream 5 1\n!tool read {"path": "a b"} 1 found it'
SHOWN = [("thought", "hm", ""), ("text", "word1 word2 word3 word4 word5", ""), ("tool", "found it", "read completed")]
UNFINISHED = ("tool", "", "write interrupted")


class Ending(NamedTuple):
    """What is said, what is done to the run once it has shown as much as `shown`, and how it must end."""

    script: str
    shown: list[tuple[str, str, str]]
    outcome: str
    error: str = ""
    act: str = ""
    faults: str = ""


ENDINGS = {
    "well": Ending(SPOKEN, SHOWN, "completed"),
    "well, with reasoning in tags": Ending(
        "!thinktags",
        [("thought", "Reasoning inside tags.", ""), ("text", "Text outside of <b>them</b>.", "")],
        "completed",
    ),
    "cancel": Ending(f'{SPOKEN}\n!tool write {{"n": 1}} {LONG}', [*SHOWN, UNFINISHED], "cancelled", act="cancel"),
    "fail first": Ending("!fail no luck", [], "failed", "no luck"),
    "fail after words": Ending(f"{SPOKEN}\n!fail no luck", SHOWN, "failed", "no luck"),
    "no response": Ending("!sleep 1", [], "failed", "without an answer"),
    "crash first": Ending("!crash", [], "failed", "process ended"),
    "crash after words": Ending(f"{SPOKEN}\n!crash", SHOWN, "failed", "process ended"),
    "exception before the first word": Ending(SPOKEN, [], "interrupted", faults="runner.turn_started=raise"),
    "exception before the end is stored": Ending(SPOKEN, SHOWN, "interrupted", faults="runner.turn_ending=raise"),
    "exception of the store": Ending(
        f"!say before\n!tool write {{}} {LONG}", [], "interrupted", faults="outbox.appended=raise:3"
    ),
    "kill of the runner": Ending(
        f'{SPOKEN}\n!tool write {{"n": 1}} {LONG}', [*SHOWN, UNFINISHED], "interrupted", act="kill"
    ),
    "kill of the agent": Ending(
        f'{SPOKEN}\n!tool write {{"n": 1}} {LONG}', [*SHOWN, UNFINISHED], "failed", "killed", act="kill agent"
    ),
}


@pytest.mark.contract("X6")
@pytest.mark.contract("X7")
@pytest.mark.contract("X8")
@pytest.mark.contract("X11")
@pytest.mark.parametrize("name", ENDINGS)
def test_X6_whatever_ends_a_run_everything_is_kept(house: House, person: Person, name: str) -> None:
    """Reloaded, and reloaded again after the next turn."""
    ending = ENDINGS[name]
    if ending.faults:
        house.restart(faults=ending.faults)
    session = person.begin()
    with person.follow(session) as live:
        turn = person.say(session, ending.script)
        _bring_about(house, person, session, turn, live, ending)
        live.until_ended(turn)
        if ending.faults:
            house.restart()
        seen = person.look(session)
        _check_the_turn(seen, turn, ending)
        live.until(lambda: live.seqs[-1] >= seen.seq, "what the reload shows")
        screen = [shown for shown in on_screen(live.records) if shown.turn == turn]
        assert screen == [shown for shown in seen.shown if shown.turn == turn]
        _check_the_message(seen, live, turn, ending)
    _check_the_next_turn(person, session, seen, ending)


def _bring_about(house: House, person: Person, session: SessionId, turn: str, live: Follower, ending: Ending) -> None:
    if not ending.act:
        return
    live.until(lambda: len(live.of_kind("tool.changed")) >= 3, "the tool that takes long")
    match ending.act:
        case "cancel":
            assert person.cancel(session, turn).status_code == 200
        case "kill":
            house.end_runner(session)
        case _:
            house.end_agent(session)


def _check_the_turn(seen: Transcript, turn: str, ending: Ending) -> None:
    """Its message, what was streamed in its order, its one marker; and nobody waits any more."""
    user, *streamed, end = [shown for shown in seen.shown if shown.turn == turn]
    assert user == Shown(turn, "user", ending.script)
    if ending.shown or "store" not in ending.error:
        shown = [(item.type, item.text, item.state) for item in streamed]
        assert shown[: len(ending.shown)] == ending.shown
    assert (end.type, end.state) == ("end", ending.outcome)
    assert ending.error in end.text
    assert bool(end.text) == (ending.outcome in ("failed", "interrupted"))
    assert [shown for shown in seen.shown if shown.type == "end"] == [end]
    assert seen.idle


def _check_the_message(seen: Transcript, live: Follower, turn: str, ending: Ending) -> None:
    """Once, with the time at which it was sent."""
    (submitted,) = [record for record in live.records if record["event"]["kind"] == "turn.submitted"]
    (message,) = [item for item in seen.items if item["type"] == "user"]
    assert (message["turn"], message["text"]) == (turn, ending.script)
    assert message["time"] == submitted["time"]


def _check_the_next_turn(person: Person, session: SessionId, seen: Transcript, ending: Ending) -> None:
    """It works, and nothing before it changes."""
    following = person.say(session, "!say fresh")
    after = person.wait_for_end(session, following)
    assert after.text(following) == "fresh"
    assert after.end(following)["outcome"] == "completed", ending
    assert after.shown[: len(seen.shown)] == seen.shown


CANCELLED = {
    "X1 reasoning only": ("!thinkstream 20 1", [("thought", 20)]),
    "X2 reasoning and text": ("!thinkstream 20 1\n!stream 20 1", [("thought", 20), ("text", 20)]),
    "X3 text only": ("!stream 20 1", [("text", 20)]),
    "X4 tools only": ('!tool read {"a": [1, "ü"]} 1 yes', [("tool", 1)]),
    "X4 tools and text": (
        '!stream 3 1\n!tool read {"a": 1} 1 yes\n!stream 4 1',
        [("text", 3), ("tool", 1), ("text", 4)],
    ),
    "X5 nothing": ("", []),
    "X12 reasoning in tags that are never closed": ("!thinktags cut", [("thought", 5)]),
}


@pytest.mark.contract("X1")
@pytest.mark.contract("X2")
@pytest.mark.contract("X3")
@pytest.mark.contract("X4")
@pytest.mark.contract("X5")
@pytest.mark.contract("X11")
@pytest.mark.contract("X12")
def test_X1_to_X5_a_cancelled_run_keeps_what_it_had_shown(person: Person, session: SessionId) -> None:
    """One session, one turn for each: reasoning, text, tools, nothing; after each exactly one marker."""
    with person.follow(session) as live:
        for name, (script, wanted) in CANCELLED.items():
            turn = person.say(session, f"{script}\n!sleep {LONG}".strip())
            words = sum(count for _, count in wanted)
            live.until(lambda turn=turn, words=words: _words(live, turn) >= words and _started(live, turn), name)
            assert person.cancel(session, turn).status_code == 200
            live.until_ended(turn)
            user, *streamed, end = [shown for shown in person.look(session).shown if shown.turn == turn]
            assert (user.type, end) == ("user", Shown(turn, "end", "", "cancelled")), name
            assert [shown.type for shown in streamed] == [kind for kind, _ in wanted], name
            assert [user, *streamed, end] == [shown for shown in on_screen(live.records) if shown.turn == turn], name
        assert len(live.of_kind("turn.ended")) == len(CANCELLED)


def _started(live: Follower, turn: str) -> bool:
    return any(event["turn"] == turn for event in live.of_kind("turn.started"))


def _words(live: Follower, turn: str) -> int:
    """Words, and tools that have finished."""
    events = [record["event"] for record in live.records if record["event"].get("turn") == turn]
    words = 0
    for kind in ("text.appended", "thought.appended"):
        for message in {event.get("message", "") for event in events if event["kind"] == kind}:
            said = [event["text"] for event in events if (event["kind"], event.get("message", "")) == (kind, message)]
            words += len("".join(said).split())
    return words + sum(event["kind"] == "tool.changed" and event.get("status") == "completed" for event in events)


@pytest.mark.contract("X6")
@pytest.mark.parametrize("name", ["well", "cancel", "fail first", "kill of the runner"])
def test_X6_the_message_is_pending_or_in_the_transcript_at_every_moment(
    house: House, person: Person, session: SessionId, name: str
) -> None:
    """Loaded again and again, from before the start to after the end, and never both."""
    ending = ENDINGS[name]
    with person.follow(session) as live:
        turn = person.say(session, ending.script)
        with _reloading(person, session, turn) as sights:
            _bring_about(house, person, session, turn, live, ending)
            live.until_ended(turn)
            assert person.look(session).idle
    assert sights
    assert set(sights) <= {(True, False), (False, True)}
    assert sights == sorted(sights, reverse=True), "once in the transcript it stays there"


@contextmanager
def _reloading(person: Person, session: SessionId, turn: str) -> Generator[list[tuple[bool, bool]]]:
    """Load the session all the time: whether the turn's message was pending, and whether it was in the transcript."""
    sights: list[tuple[bool, bool]] = []
    over = threading.Event()

    def reload() -> None:
        while not over.is_set():
            seen = person.look(session)
            shown = [item for item in seen.of(turn) if item["type"] == "user"]
            sights.append((turn in seen.session.get("queue", ()), len(shown) == 1))

    thread = threading.Thread(target=reload)
    thread.start()
    try:
        yield sights
    finally:
        over.set()
        thread.join()
