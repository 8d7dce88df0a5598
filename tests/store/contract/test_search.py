"""The contract of searching what was said."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.core import events as e
from holdfast.core.ids import SessionId, SteerId, TurnId
from holdfast.store.protocol import Store
from tests.store.stage import C1, S1, T1, T2, Run, created


async def told(store: Store, *answers: str, session: SessionId = S1) -> None:
    """Turns that were asked `question 1`, `question 2`, ... and answered so; all of them settled."""
    run = await Run.claim(store, session)
    for number, answer in enumerate(answers, 1):
        await run.talk(TurnId(f"t{number}"), f"question {number}", answer)
    await run.write(e.RunnerStopped())


async def found(store: Store, text: str) -> list[tuple[str, int]]:
    return [(hit.turn, hit.k) for hit in await store.search(text)]


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("quick", ["t1"]),
        ("QUICK", ["t1"]),
        ("brown quick", ["t1"]),
        ("quick lazy", []),
        ("the", ["t2", "t1"]),
        ("fox", ["t1"]),
        ("fo", ["t1"]),
        ("fo quick", []),
        ("quick fo", ["t1"]),
        ("ox", []),
        ("cafe", ["t3"]),
        ("CAFÉ", ["t3"]),
        ("cafe\u0301", ["t3"]),
        ("strasse", ["t3"]),
        ("Straße", ["t3"]),
        ("name", ["t3"]),
        ("snake_case_name", ["t3"]),
        ("", []),
        ("  ", []),
        ("?!", []),
    ],
)
async def test_every_word_must_be_there_and_the_last_may_be_a_beginning(
    store: Store, text: str, turns: list[str]
) -> None:
    """Words are found in any order, without case and accents; the last one while it is still being typed."""
    await told(store, "The quick brown fox", "jumps over the lazy dog", "Café, Straße: snake_case_name")
    assert [turn for turn, _ in await found(store, text)] == turns


HOSTILE = [
    '" OR *',
    '"',
    "*",
    "a*b",
    "NOT x",
    "x NEAR y",
    "(",
    "text:x",
    "^x",
    "-x",
    "x AND",
    "\x00",
    "'; --",
    "𞤀 ☃ ﷺ",
    "_",
]


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_question_has_no_syntax(store: Store, text: str) -> None:
    """Whatever is typed is words and nothing else: no error, and no hit that the words don't justify."""
    await told(store, "plain answer")
    assert await store.search(text) == []


async def test_syntax_words_are_words(store: Store) -> None:
    """`or`, `and`, `not` and `near` can be looked for."""
    await told(store, "this OR that", "near AND not far")
    assert await found(store, "or") == [("t1", 1)]
    assert await found(store, '" OR *') == [("t1", 1)]
    assert await found(store, "NOT near") == [("t2", 1)]


async def test_what_people_and_agents_said_is_found_and_what_tools_printed_is_not(store: Store) -> None:
    """Messages, answers and steers; no thoughts, no output."""
    run = await Run.claim(store)
    await run.start(text="needle of the person")
    await run.write(
        e.ThoughtAppended(turn=T1, text="needle of a thought"),
        e.ToolChanged(turn=T1, call=C1, first=True, status="completed", output="needle of a tool"),
        e.TextAppended(turn=T1, text="needle of the agent"),
    )
    await store.append(S1, [e.TurnSteered(turn=T1, steer=SteerId("x1"), text="needle of a steer")])
    await run.write(e.SteerDelivered(turn=T1, steer=SteerId("x1")))
    await run.end()
    await Run.claim(store)
    assert sorted(hit.type for hit in await store.search("needle")) == ["steer", "text", "user"]


async def test_a_hit_says_where_it_lies_and_shows_the_words(store: Store) -> None:
    """Session, title, turn, item and time; an excerpt with the places of the words in it."""
    await told(store, "x " * 500 + "Here lies the wordé in question " + "y " * 500)
    (hit,) = await store.search("lies worde")
    assert (hit.session, hit.title, hit.turn, hit.k, hit.type) == (S1, "A title", T1, 1, "text")
    assert hit.time > 0
    assert len(hit.excerpt) <= 160
    assert [hit.excerpt[start:end] for start, end in hit.marks] == ["lies", "wordé"]


async def test_hits_come_newest_first_up_to_a_limit(store: Store) -> None:
    """The newest are those that are kept."""
    await told(store, *(f"needle {number}" for number in range(6)))
    assert [turn for turn, _ in await found(store, "needle")] == ["t6", "t5", "t4", "t3", "t2", "t1"]
    assert [hit.turn for hit in await store.search("needle", limit=2)] == ["t6", "t5"]


async def test_a_search_can_be_kept_to_one_session(store: Store) -> None:
    """Everywhere, or here."""
    other = await created(store, SessionId("s2"))
    await told(store, "needle")
    await told(store, "needle", session=other)
    assert [hit.session for hit in await store.search("needle")] == ["s2", "s1"]
    assert [hit.session for hit in await store.search("needle", session=S1)] == ["s1"]
    assert await store.search("needle", session=SessionId("s9")) == []


async def test_deleted_sessions_are_not_searched_and_archived_ones_are(store: Store) -> None:
    """What was put aside can be found; what was thrown away can't, until it is taken back."""
    await told(store, "needle")
    await store.append(S1, [e.SessionChanged(archived=True)])
    assert len(await store.search("needle")) == 1
    await store.append(S1, [e.SessionDeleted()])
    assert await store.search("needle") == []
    await store.append(S1, [e.SessionRestored()])
    assert len(await store.search("needle")) == 1


async def test_a_renamed_session_is_shown_by_its_new_name(store: Store) -> None:
    """A hit carries the title of today."""
    await told(store, "needle")
    await store.append(S1, [e.SessionRenamed(title="New")])
    assert [hit.title for hit in await store.search("needle")] == ["New"]


async def test_recovered_words_are_found(store: Store) -> None:
    """An adopted fact changes a settled text, and the index with it."""
    dead = await Run.claim(store)
    await dead.start()
    await dead.say("before ")
    heir = await Run.claim(store)
    late = e.TextAppended(turn=T1, text="needle")
    await store.adopt(S1, [(dead.next, late)], turn=T1, epoch=heir.epoch)
    assert await found(store, "needle") == [("t1", 1)]
    assert await found(store, "before needle") == [("t1", 1)]


async def test_what_a_run_says_is_found_while_it_grows_and_after(store: Store) -> None:
    """The newest answer is found like any other: no turn has to follow it before it is."""
    run = await Run.claim(store)
    await run.start()
    await run.say("the needle is still ")
    assert await found(store, "needle") == [("t1", 1)]
    await run.say("being ")
    assert await found(store, "still being") == [("t1", 1)]
    await run.say("told")
    await run.end()
    assert await found(store, "needle being to") == [("t1", 1)]
    assert await found(store, "needle tol being") == []
    assert [hit.session for hit in await store.search("told", session=S1)] == [S1]
    assert await store.search("told", session=SessionId("s9")) == []
    await run.talk(T2, "question 2", "another needle")
    assert await found(store, "needle") == [("t2", 1), ("t1", 1)]
    await store.append(S1, [e.SessionDeleted()])
    assert await found(store, "needle") == []


async def test_what_a_fork_settles_of_a_run_is_found_once(store: Store) -> None:
    """A fork writes down what may not change any more of the session that it comes from, which gets no record by it."""
    run = await Run.claim(store)
    await run.talk(T1, "first", "one")
    await run.start(T2, "the needle of the person")
    await run.say("the needle of the agent", T2)
    await run.write(e.ToolChanged(turn=T2, call=C1, first=True, title="look", status="running"))
    before = await found(store, "needle")
    assert before == [("t2", 1), ("t2", 0)]
    await store.fork(SessionId("f1"), S1, lambda _: [e.SessionForked(source=S1, turn=T1, client="c")])
    assert await found(store, "needle") == before
    await run.write(e.ToolChanged(turn=T2, call=C1, status="completed"))
    assert await found(store, "needle") == before


async def test_words_in_any_part_of_a_long_text_are_found(store: Store) -> None:
    """The parts of a text are indexed one by one, and each hit names the same item."""
    run = await Run.claim(store)
    await run.start()
    for number in range(60):
        await run.say(f"needle{number} " + "hay " * 500)
    await run.end()
    await run.start(T2)
    await run.end(T2)
    assert await found(store, "needle0") == await found(store, "needle59") == [("t1", 1)]
    assert len(await found(store, "hay")) > 5


async def test_no_question_breaks_the_search(store: Store) -> None:
    """Any text at all can be asked for."""
    await told(store, "plain answer")
    loop = asyncio.get_running_loop()
    questions: list[str] = []

    @settings(
        max_examples=300, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
    )
    @given(st.text(max_size=20))
    def collect(text: str) -> None:
        questions.append(text)

    await loop.run_in_executor(None, collect)
    for text in questions:
        await store.search(text)
