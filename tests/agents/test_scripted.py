"""The scripted agent's directives, each through our client and its real process."""

import asyncio
import os
import signal
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.agents.acp.client import CommitFailed, Result
from holdfast.agents.scripted.directives import ACTS, SCRIPT, UNICODE, Directive, parse
from holdfast.agents.tree import tree
from holdfast.core.events import (
    Diff,
    PlanEntry,
    PlanReplaced,
    TextAppended,
    ThoughtAppended,
    TitleSuggested,
    ToolChanged,
    UsageReported,
)
from holdfast.core.ids import CallId, TurnId
from tests.agents.audience import TURN, Audience, opened


async def play(audience: Audience, workspace: Path, script: str) -> Result:
    async with opened(audience, workspace) as agent:
        audience.on_permission = lambda request: agent.answer_permission(request.id, allow=True)
        audience.on_question = lambda request: agent.answer_question(request.id, f"to {request.text}")
        return await agent.prompt(TURN, script)


async def test_say_and_think(tmp_path: Path) -> None:
    audience = Audience()
    assert await play(audience, tmp_path, "!say some words\n!think a thought\n!say more") == Result("completed")
    assert audience.facts == [
        TextAppended(turn=TURN, text="some words", message="m1"),
        ThoughtAppended(turn=TURN, text="a thought", message="m2"),
        TextAppended(turn=TURN, text="more", message="m3"),
    ]


async def test_stream_and_thinkstream(tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, "!stream 200 1 w\n!thinkstream 5 0\n!stream 2 0")
    words = [*(f"w{number}" for number in range(1, 201)), "word1", "word2"]
    assert audience.text == " ".join(words[:200]) + "word1 word2"
    assert audience.thoughts == "thought1 thought2 thought3 thought4 thought5"
    assert len(audience.facts) == 207


async def test_speak(tmp_path: Path) -> None:
    """One message, word by word."""
    audience = Audience()
    await play(audience, tmp_path, "!speak 1 some words to read")
    assert audience.text == "some words to read"
    assert [fact.message for fact in audience.facts if isinstance(fact, TextAppended)] == ["m1"] * 4


async def test_a_message_that_reads_as_people_write_has_its_directives_in_the_workspace(tmp_path: Path) -> None:
    """Any other message is as it would be without the file."""
    (tmp_path / SCRIPT).write_text('{"Count the boats.": "!say Forty.\\n!say Two."}')
    audience = Audience()
    await play(audience, tmp_path, "Count the boats.")
    assert audience.text == "Forty.Two."
    (tmp_path / SCRIPT).write_text("{")
    assert (await play(Audience(), tmp_path, "Count the boats.")).outcome == "failed"


async def test_tool(tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, '!tool search {"a": "b c",  "d": [1, 2]} 10 found it\n!tool odd {} 0')
    first, last, odd, _ = [fact for fact in audience.facts if isinstance(fact, ToolChanged)]
    assert first == ToolChanged(
        turn=TURN,
        call=CallId("call-1"),
        first=True,
        name="search",
        title="search",
        action="search",
        arguments='{"a": "b c",  "d": [1, 2]}',
        status="running",
    )
    assert last == ToolChanged(turn=TURN, call=CallId("call-1"), status="completed", output="found it")
    assert (odd.first, odd.action) == (True, "other")


async def test_sleep_says_nothing(tmp_path: Path) -> None:
    audience = Audience()
    assert (await play(audience, tmp_path, "!sleep 1")).outcome == "completed"
    assert audience.facts == []


@pytest.mark.parametrize(
    ("directive", "command", "keys"),
    [
        ("deploy", "deploy", ()),
        ("deploy production", "deploy", ("production",)),
        ("rm -rf build", "rm -rf build", ()),
        ('"rm -rf build" delete', "rm -rf build", ("delete",)),
        ("echo it's", "echo it's", ()),
    ],
)
async def test_approve(directive: str, command: str, keys: tuple[str, ...], tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, f"!approve {directive}")
    (asked,) = audience.permissions
    assert (asked.command, asked.pattern_keys, asked.directory) == (command, keys, str(tmp_path))
    assert [option.kind for option in asked.options] == ["allow_once", "allow_always", "reject_once"]
    assert audience.text == "approved:once"


async def test_edit_and_write_ask_with_what_would_change_and_change_nothing(tmp_path: Path) -> None:
    """Several places of one file are several diffs of one path; a file that is not there yet has no old text."""
    audience = Audience()
    await play(audience, tmp_path, "!edit a.txt | one | two\\nthree | four | five\n!write b.txt 20")
    edited, written = audience.permissions
    path = f"{tmp_path}/a.txt"
    assert edited.diffs == (Diff(path=path, old="one", new="two\nthree"), Diff(path=path, old="four", new="five"))
    assert (edited.tool, edited.action, edited.command) == ("edit", "edit", "edit a.txt")
    assert written.diffs == (Diff(path=f"{tmp_path}/b.txt", old=None, new="0123456789abcde\n0123"),)
    assert not (tmp_path / "a.txt").exists()
    assert audience.text == "approved:onceapproved:once"


async def test_a_denied_approval_says_so_with_its_reason(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        audience.on_permission = lambda request: agent.answer_permission(request.id, allow=False, reason="too risky")
        await agent.prompt(TURN, "!approve append file.txt line")
        audience.on_permission = lambda request: agent.answer_permission(request.id, allow=False)
        await agent.prompt(TURN, "!approve x")
    assert audience.text == "denied:too riskydenied"
    assert not (tmp_path / "file.txt").exists()


async def test_approve_append_appends_once_approved_and_only_in_the_workspace(tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, "!approve append file.txt one two\n!approve append file.txt three")
    assert (tmp_path / "file.txt").read_text() == "one two\nthree\n"
    assert audience.permissions[0].command == "append file.txt one two"
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "link").symlink_to(tmp_path)
    for path in ("../file.txt", "/etc/file.txt", "link/file.txt"):
        result = await play(Audience(), tmp_path / "inside", f"!approve append {path} x")
        assert (result.outcome, "outside" in result.error) == ("failed", True)


async def test_many_approvals_wait_at_once_and_are_answered_in_any_order(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, "!approvemany 8"))
        await audience.until(lambda: len(audience.permissions) == 8)
        for number, asked in reversed(list(enumerate(audience.permissions))):
            agent.answer_permission(asked.id, allow=number % 2 == 0)
            agent.answer_permission(asked.id, allow=True)  # again: ignored
        assert (await prompting).outcome == "completed"
    assert audience.text.split("\n") == ["approved:once", "denied"] * 4
    assert len({asked.id for asked in audience.permissions}) == 8
    assert [asked.command for asked in audience.permissions] == [f"command-{number}" for number in range(1, 9)]


async def test_what_is_asked_at_once_says_why_each(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        script = "!approveall rm -rf build # Deletes files recursively | make clean"
        prompting = asyncio.create_task(agent.prompt(TURN, script))
        await audience.until(lambda: len(audience.permissions) == 2)
        for asked in audience.permissions:
            agent.answer_permission(asked.id, allow=True)
        assert (await prompting).outcome == "completed"
    told = [(asked.command, asked.description) for asked in audience.permissions]
    assert told == [("rm -rf build", "Deletes files recursively"), ("make clean", "")]


async def test_ask(tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, "!ask Which colour? | red | blue\n!ask Why?\n!ask Key? | secret=yes | timeout=7")
    colour, why, key = audience.questions
    assert (colour.text, colour.choices, colour.free_text) == ("Which colour?", ("red", "blue"), True)
    assert (why.choices, why.secret, why.timeout_seconds) == ((), False, 0)
    assert (key.secret, key.timeout_seconds, key.choices) == (True, 7, ())
    assert audience.text == f"answer:to Which colour?answer:to Why?secret:{sha256(b'to Key?').hexdigest()[:8]}"


async def test_a_question_without_an_answer_goes_on(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        audience.on_question = lambda request: agent.answer_question(request.id, None)
        assert (await agent.prompt(TURN, "!ask Why?")).outcome == "completed"
    assert audience.text == "unanswered"


async def test_many_questions_wait_at_once(tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, "!askmany 50")
    assert audience.text.split("\n") == [f"answer:to Question {number} of 50?" for number in range(1, 51)]


async def test_plan_usage_and_title(tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, "!plan one; two; three\n!usage 10 20\n!title A title")
    assert audience.facts == [
        PlanReplaced(turn=TURN, entries=tuple(PlanEntry(text=text) for text in ("one", "two", "three"))),
        UsageReported(turn=TURN, input=10, output=20, context_used=30, context_window=200_000),
        TitleSuggested(title="A title"),
    ]


async def test_fail_crash_and_what_is_no_directive(tmp_path: Path) -> None:
    audience = Audience()
    assert await play(audience, tmp_path, "!say a\n!fail It broke.") == Result("failed", "It broke.")
    crashed = await play(audience, tmp_path, "!say b\n!crash\n!say never")
    assert (crashed.outcome, crashed.error) == ("failed", "The agent's process ended (1).")
    for script in ("!nothing", "!stream", "!tool x", "!memory perhaps"):
        assert (await play(audience, tmp_path, script)).outcome == "failed"
    assert audience.text == "ab"


async def test_late_words_belong_to_the_turn_before(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        await agent.prompt(TURN, "!say now\n!late 3")
        await audience.until(lambda: "late3" in audience.text)
        await agent.prompt(TurnId("t2"), "!say then")
    turns = [(fact.turn, fact.text) for fact in audience.facts if isinstance(fact, TextAppended)]
    assert turns == [("t1", "now"), ("t1", "late1 "), ("t1", "late2 "), ("t1", "late3 "), ("t2", "then")]


@pytest.mark.contract("X9")
async def test_x9_late_words_of_a_cancelled_turn_never_reach_the_next(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        for number in range(5):
            prompting = asyncio.create_task(agent.prompt(TurnId(f"a{number}"), "!late 20\n!say begun\n!sleep 100000"))
            await audience.until(lambda number=number: audience.text.count("begun") == number + 1)
            agent.cancel()
            assert await prompting == Result("cancelled")
            assert (await agent.prompt(TurnId(f"b{number}"), "!stream 20 5")).outcome == "completed"
    assert "late" not in audience.text


async def test_memory(tmp_path: Path) -> None:
    async with opened(Audience(), tmp_path) as agent:
        assert agent.can_commit_memory
        await agent.commit_memory("s:1-2", 1, 2)
        await agent.prompt(TURN, "!memory fail 2")
        for _ in range(2):
            with pytest.raises(CommitFailed, match="says that this commit fails"):
                await agent.commit_memory("s:1-2", 1, 2)
        await agent.prompt(TURN, "!memory slow 50")
        committing = asyncio.create_task(agent.commit_memory("s:1-2", 1, 2))
        assert (await agent.prompt(TURN, "!say meanwhile")).outcome == "completed"
        assert not committing.done()
        await committing
        await agent.prompt(TURN, "!memory ok")
        await agent.commit_memory("s:3-3", 3, 3)


@pytest.mark.parametrize("count", [0, 1, 100, 5_000_000])
async def test_bytes_come_in_one_delta(count: int, tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, f"!bytes {count}")
    assert [len(fact.text) for fact in audience.facts if isinstance(fact, TextAppended)] == ([count] if count else [])


async def test_unicode_arrives_as_it_was_sent(tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, "!unicode")
    assert [fact.text for fact in audience.facts if isinstance(fact, TextAppended)] == list(UNICODE)


@pytest.mark.contract("X12")
async def test_x12_reasoning_in_tags_is_thought(tmp_path: Path) -> None:
    audience = Audience()
    await play(audience, tmp_path, "!thinktags")
    assert (audience.thoughts, audience.text) == ("Reasoning inside tags.", "Text outside of <b>them</b>.")
    audience = Audience()
    await play(audience, tmp_path, "!thinktags cut")
    assert (audience.thoughts, audience.text) == ("Reasoning that is cut off </thin", "")


@pytest.mark.parametrize("script", ["!stream 100000 5", "!thinkstream 100000 5", "!sleep 100000", "!tool t {} 100000"])
async def test_cancel_ends_a_turn_wherever_it_is(script: str, tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, f"!say begun\n{script}"))
        await audience.until(lambda: audience.facts)
        agent.cancel()
        assert await prompting == Result("cancelled")
        assert (await agent.prompt(TURN, "!say next")).outcome == "completed"
    assert audience.text.startswith("begun")
    assert audience.text.endswith("next")


@pytest.mark.parametrize("script", ["!approve x", "!approvemany 3", "!ask why?", "!askmany 3", "!asksame 3 why?"])
async def test_cancel_calls_off_what_is_asked(script: str, tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, script))
        await audience.until(lambda: audience.permissions or audience.questions)
        agent.cancel()
        assert await prompting == Result("cancelled")
        for asked in audience.permissions:
            agent.answer_permission(asked.id, allow=True)  # too late: ignored
    assert audience.text == ""


@pytest.mark.contract("X10")
async def test_x10_hang_ignores_all_but_the_end_of_its_tree(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        prompting = asyncio.create_task(agent.prompt(TURN, "!say begun\n!hang"))
        await audience.until(lambda: audience.facts)
        agent.cancel()
        os.kill(agent.pid, signal.SIGTERM)
        agent._child.hang_up()
        await asyncio.wait([prompting], timeout=0.5)
        assert not prompting.done()
        assert agent.alive
        await agent.end()
        assert await prompting == Result("cancelled")
    assert tree(f"{tmp_path.name}:1") == set()


async def test_steering(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        assert agent.can_steer
        assert not await agent.steer("nobody runs")
        prompting = asyncio.create_task(agent.prompt(TURN, "!say begun\n!sleep 100000"))
        await audience.until(lambda: audience.facts)
        assert await agent.steer("to the left")
        await audience.until(lambda: "steered:to the left" in audience.text)
        agent.cancel()
        await prompting


async def test_a_session_is_taken_up_again(tmp_path: Path) -> None:
    async with opened(Audience(), tmp_path) as agent:
        reference = agent.reference
    audience = Audience()
    async with opened(audience, tmp_path, reference=reference) as agent:
        assert agent.reference == reference
        await agent.prompt(TURN, "Fix my program")
    assert "I am a script, not a model" in audience.text


@pytest.mark.slow
async def test_the_tour_shows_all_that_a_run_can_show_and_touches_nothing(tmp_path: Path) -> None:
    audience = Audience()
    async with opened(audience, tmp_path) as agent:
        audience.on_permission = lambda request: agent.answer_permission(request.id, allow=True)
        audience.on_question = lambda request: agent.answer_question(request.id, request.choices[0])
        assert (await agent.prompt(TURN, "hello there")).outcome == "completed"
        facts = list(audience.facts)
        await agent.prompt(TURN, "What is the weather like?")
    assert {TextAppended, ThoughtAppended, ToolChanged, PlanReplaced, TitleSuggested} == {type(fact) for fact in facts}
    assert [fact.diffs for fact in facts if isinstance(fact, ToolChanged) and fact.diffs]
    assert (audience.permissions[0].command, len(audience.questions)) == ("python greeting.py World", 1)
    assert "I am a script, not a model" in audience.text
    assert await asyncio.to_thread(lambda: list(tmp_path.iterdir())) == []


def test_only_lines_that_begin_with_the_mark_are_directives() -> None:
    assert parse("Please:\n !say no\n!say  yes \nthe end!\n!crash") == [Directive("say", "yes"), Directive("crash", "")]
    assert parse("Before:\n!say old\n\nThe user now says:\n\n!say new") == [Directive("say", "new")]
    assert parse("no directives") == []


def test_every_directive_is_described() -> None:
    from holdfast.agents.scripted import directives

    described = {line.split()[0][1:] for line in (directives.__doc__ or "").splitlines() if line.startswith("!")}
    assert described == {*ACTS, "memory"}
