"""Which turn is next, and what becomes of the others."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.core.events import Attachment, SessionChanged, TurnCancelRequested, TurnSubmitted
from holdfast.core.ids import TurnId
from holdfast.core.items import Steer, UserMessage
from tests.runner.stage import Stage, staged


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as stage:
        yield stage


async def test_turns_run_one_after_the_other_in_the_order_of_the_log(stage: Stage) -> None:
    """One at a time, those that were there before the runner and those that come meanwhile."""
    await stage.say("a", "!say first")
    await stage.say("b", "!say second")
    async with stage.running():
        await stage.say("c", "!say third")
        for turn in ("a", "b", "c"):
            await stage.until_ended(turn)
    assert await stage.order() == ["a", "b", "c"]
    assert [await stage.text(turn) for turn in ("a", "b", "c")] == ["first", "second", "third"]
    kinds = [kind for kind in await stage.kinds() if kind in ("TurnStarted", "TurnEnded")]
    assert kinds == ["TurnStarted", "TurnEnded"] * 3


async def test_what_waits_is_held_after_a_failure_until_it_is_released(stage: Stage) -> None:
    """A new message passes it; released one by one, or all at once."""
    async with stage.running():
        await stage.say("bad", "!sleep 200\n!fail no")
        for turn in ("one", "two", "three"):
            await stage.say(turn, f"!say {turn}")
        await stage.until_ended("bad", "failed")
        session = await stage.session()
        assert [session.turns[turn].held for turn in session.queue] == [True] * 3
        await stage.say("new", "!say new")
        await stage.until_ended("new")
        await stage.release("two")
        await stage.until_ended("two")
        assert list((await stage.session()).queue) == ["one", "three"]
        await stage.release()
        await stage.until_ended("three")
    assert await stage.order() == ["bad", "new", "two", "one", "three"]


async def test_a_turn_that_is_taken_back_never_runs(stage: Stage) -> None:
    """As if it had never been sent."""
    async with stage.running():
        await stage.say("a", "!sleep 200\n!say done")
        await stage.say("b", "!say never")
        await stage.say("c", "!say last")
        await stage.withdraw("b")
        await stage.until_ended("c")
    assert await stage.order() == ["a", "c"]
    assert await stage.items("b") == []


async def test_an_interrupting_message_ends_the_run_and_comes_next(stage: Stage) -> None:
    """Cancel and message are one append; what waited longer still waits behind it, and is not held."""
    async with stage.running():
        await stage.say("long", "!say begun\n!sleep 600000")
        await stage.say("later", "!say later")
        await stage.until_said("long", "begun")
        cancel = TurnCancelRequested(turn=TurnId("long"))
        await stage.append(cancel, TurnSubmitted(turn=TurnId("now"), text="!say now", ahead=True), key="turn:now")
        await stage.until_ended("long", "cancelled")
        await stage.until_ended("later")
    assert await stage.order() == ["long", "now", "later"]
    assert [await stage.text(turn) for turn in ("long", "now", "later")] == ["begun", "now", "later"]


async def test_a_steer_reaches_the_run_and_stands_where_the_agent_heard_it(stage: Stage) -> None:
    """Once; the turn goes on."""
    async with stage.running():
        await stage.say("a", "!stream 60 10")
        await stage.until_said("a", "word5")
        await stage.steer("a", "st", "to the left")
        await stage.until_ended("a")
    items = await stage.items("a")
    assert [item.text for item in items if isinstance(item, Steer)] == ["to the left"]
    said = await stage.text("a")
    assert said.count("steered:to the left") == 1
    assert said.replace("steered:to the left", "").split()[-1] == "word60"
    assert (await stage.kinds()).count("SteerDelivered") == 1


async def test_a_steer_that_comes_too_late_is_the_next_turn(stage: Stage) -> None:
    """Its words are not lost: they are run as a message of their own."""
    async with stage.running():
        await stage.say("a", "!say done")
        await stage.until_ended("a")
        await stage.steer("a", "st", "!say late words")
        await stage.until_ended("st")
    assert await stage.order() == ["a", "st"]
    assert await stage.text("st") == "late words"
    assert isinstance((await stage.items("st"))[0], UserMessage)


async def test_words_that_the_agent_refuses_are_the_next_turns(tmp_path: Path) -> None:
    """In their order, before what waits, and once."""
    async with staged(tmp_path, "refusing") as stage, stage.running():
        await stage.say("a", "work")
        await stage.until_said("a", "heard:work")
        await stage.say("b", "later")
        await stage.steer("a", "s1", "one")
        await stage.steer("a", "s2", "two")
        await stage.until_ended("b")
        order = await stage.order()
        assert [await stage.text(turn) for turn in order] == ["heard:work", "heard:one", "heard:two", "heard:later"]
        assert (await stage.kinds()).count("SteerDelivered") == 2


async def test_words_that_died_with_the_agent_are_not_told_again(tmp_path: Path) -> None:
    """It may have heard them. The one that goes on is told that they were said."""
    async with staged(tmp_path, "dying") as stage, stage.running():
        await stage.say("a", "work")
        await stage.until_said("a", "heard:work")
        await stage.steer("a", "s1", "one")
        await stage.steer("a", "s2", "two")
        await stage.until_ended("a", "failed")
        assert not (await stage.session()).queue
        go_on = TurnSubmitted(turn=TurnId("b"), text="Go on.", continues=TurnId("a"))
        await stage.append(go_on, key="turn:b")
        await stage.until_ended("b")
        assert await stage.order() == ["a", "b"]
        assert "The user said:\n> work" in await stage.text("b")
        assert "The user said:\n> two" in await stage.text("b")


async def test_what_a_stopped_turn_had_said_is_known_though_its_process_ended(tmp_path: Path) -> None:
    """It did not come to keep that itself; the process that takes the conversation up is told."""
    async with staged(tmp_path, "quitting") as stage, stage.running():
        await stage.say("a", "work")
        await stage.until_said("a", "heard:work")
        await stage.append(TurnCancelRequested(turn=TurnId("a")))
        await stage.until_ended("a", "cancelled")
        await stage.say("b", "and:")
        await stage.until_ended("b")
        assert await stage.text("b") == "heard:and:heard:work"


async def test_a_continued_turn_tells_the_agent_what_it_had_said_and_done(tmp_path: Path) -> None:
    """And that a step which was under way may or may not have happened."""
    async with staged(tmp_path) as stage:
        async with stage.running() as runner:
            await stage.say("a", '!say I had begun.\n!tool write {"f": 1} 600000')
            await stage.until_said("a", "begun")
            await stage.until(lambda session: session.turns[TurnId("a")].calls, "the tool")
            runner.stop()
        await stage.until_ended("a", "interrupted")
        await stage.append(SessionChanged(agent="polly"))
        go_on = TurnSubmitted(turn=TurnId("b"), text="Go on.", continues=TurnId("a"))
        async with stage.running():
            await stage.append(go_on, key="turn:b")
            await stage.until_ended("b")
        told = await stage.text("b")
    assert told.startswith("polly> Your last turn was interrupted.")
    for part in ("may or may not have happened", "I had begun.", "You used write (interrupted)", "Go on."):
        assert part in told


async def test_another_agent_is_told_what_was_said_before_it_came(tmp_path: Path) -> None:
    """From the next turn on; each of the two gets a process of its own, and the first one's is gone."""
    async with staged(tmp_path, "polly") as stage, stage.running():
        await stage.say("a", "My name is Ann.")
        await stage.until_ended("a")
        await stage.append(SessionChanged(agent="coco"))
        await stage.say("b", "Who am I?")
        await stage.until_ended("b")
        await stage.say("c", "And now?")
        await stage.until_ended("c")
        assert await stage.text("a") == "polly> My name is Ann."
        told = await stage.text("b")
        assert told.startswith("coco> This conversation began before you joined it.")
        assert "> My name is Ann." in told, "quoted, so that it is not taken for what is said now"
        assert told.endswith("The user now says:\n\nWho am I?")
        assert await stage.text("c") == "coco> And now?", "it knows the conversation by now"
        assert (await stage.kinds()).count("AgentOpened") == 2


async def test_an_agent_that_cant_be_used_fails_the_turn_and_not_the_runner(tmp_path: Path) -> None:
    """The reason is in the marker; with another agent the next turn works."""
    async with staged(tmp_path) as stage, stage.running():
        for turn, folder, reason in (
            ("a", f"{tmp_path}/workspaces/nowhere", "nowhere"),
            ("home", str(tmp_path), "belongs to Holdfast"),
            ("nobody", "~nobody-of-that-name/x", "can't be a folder"),
            ("nul", "/a\0b", "can't be a folder"),
        ):
            await stage.append(SessionChanged(workspace=folder))
            await stage.say(turn, "!say never")
            await stage.until_ended(turn, "failed")
            assert reason in str((await stage.items(turn))[-1])
        (tmp_path / "workspaces" / "somewhere").mkdir(parents=True)
        await stage.append(SessionChanged(workspace=str(tmp_path / "workspaces" / "somewhere")))
        await stage.say("b", "!say works")
        await stage.until_ended("b")
        assert (await stage.kinds()).count("RunnerStarted") == 1


async def test_a_message_whose_file_is_lost_fails_with_a_sentence_and_not_its_runner(tmp_path: Path) -> None:
    """A home that was moved may lack it. The next message works."""
    lost = Attachment(name="x.txt", blob="a" * 64, media_type="text/plain", size=3)
    async with staged(tmp_path, "polly") as stage, stage.running():
        event = TurnSubmitted(turn=TurnId("a"), text="look", attachments=(lost,))
        await stage.append(event, key="turn:a")
        await stage.until_ended("a", "failed")
        assert "What was attached can't be read. There is no file" in str((await stage.items("a"))[-1])
        await stage.say("b", "next")
        await stage.until_ended("b")
        assert (await stage.text("b")).endswith("next")
        assert (await stage.kinds()).count("RunnerStarted") == 1


ABSURD = ("-5", str(2**64), str(2**80), "1e308", "-1e308", "1e400", '"many"', "null", "true", "[]")


@pytest.mark.parametrize("number", ABSURD)
async def test_a_report_of_absurd_use_costs_no_session_its_turns(tmp_path: Path, number: str) -> None:
    """Nor the log, nor what is counted from it; what makes sense beside it counts."""
    ours = "".join(f', "{name}": {number}' for name in ("output", "cached", "reasoning"))
    reports = (
        f'"used": 7, "size": {number}, "_meta": {{"holdfast": {{"input": 3{ours}}}}}',
        f'"cost": {{"amount": {number}}}, "_meta": {{"holdfast": {{"input": 3}}}}',
        '"cost": {"amount": 0.5}',
    )
    async with staged(tmp_path, "polly") as stage, stage.running():
        for turn, report in zip("abc", reports, strict=True):
            await stage.say(turn, f'{{"sessionUpdate": "usage_update", {report}}}')
            await stage.until_ended(turn)
        usage = (await stage.session()).usage
        assert usage.input in (0, 3, 6), "what can't be read at all says nothing"
        assert (usage.output, usage.cached, usage.reasoning, usage.cost) == (0, 0, 0, 500_000)
        assert (await stage.kinds()).count("RunnerStarted") == 1
