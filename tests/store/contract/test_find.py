"""The contract of finding something in one session."""

import pytest

from holdfast.core import events as e
from holdfast.core.errors import BadCommand, NoSuchSession
from holdfast.core.ids import SessionId, TurnId
from holdfast.store.protocol import Found, Store
from tests.store.stage import C1, S1, T1, T2, Run, created

OTHER = SessionId("other")


async def whole(store: Store, text: str, stretch: int = 3) -> list[Found]:
    """All that is found, stretch by stretch."""
    finds = await store.find(S1, text, stretch=stretch)
    found = [*finds.found]
    while finds.cursor is not None:
        finds = await store.find(S1, text, cursor=finds.cursor, stretch=stretch)
        found += finds.found
    return found


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("QUICK", ["t1"]),
        ("ick bro", ["t1"]),
        ("brown quick", []),
        ("the", ["t2", "t1"]),
        ("lazy  dog", ["t2"]),
        ("cafe", ["t3"]),
        ("strasse: snake_ca", ["t3"]),
        ("bold word", ["t4"]),
        ("`bold`", ["t4"]),
        ("%", []),
        ("*", []),
        (" ", []),
        ("", []),
    ],
)
async def test_it_is_found_as_it_is_read_newest_first(store: Store, text: str, turns: list[str]) -> None:
    """Any piece of a text, whatever its case, accents, emphasis and line breaks."""
    run = await Run.claim(store)
    answers = ("The quick brown fox", "jumps over the lazy\ndog", "Café, Straße: snake_case_name", "a **bold** word")
    for number, answer in enumerate(answers, 1):
        await run.talk(TurnId(f"t{number}"), "question", answer)
    assert [hit.turn for hit in await whole(store, text)] == turns


async def test_every_stretch_is_small_and_together_they_are_everything(store: Store) -> None:
    await created(store, OTHER)
    run, beside = await Run.claim(store), await Run.claim(store, OTHER)
    for number in range(1, 121):
        await run.talk(TurnId(f"t{number}"), "question", f"answer {number}")
        await beside.talk(TurnId(f"t{number}"), "question", f"answer {number}")
    await run.write(e.RunnerStopped())  # now all is settled
    first = await store.find(S1, "answer", stretch=10)
    assert 0 < len(first.found) <= 10
    found = await whole(store, "answer", 10)
    assert [hit.number for hit in found] == list(range(120, 0, -1))
    for hit in found:
        page = await store.page(S1, hit.page)
        assert (hit.turn, hit.k) in [(entry.item.turn, entry.item.k) for entry in page.items]
    assert [hit.turn for hit in await whole(store, "answer 77", 10)] == ["t77"]


async def test_what_grows_is_found_too_and_what_tools_print_is_not(store: Store) -> None:
    run = await Run.claim(store)
    await run.talk(T1, "Where is the barnacle?", "On the hull.")
    await run.start(T2, "And now?")
    await run.say("The barn", T2)
    await run.write(e.ToolChanged(turn=T1, call=C1, first=True, output="a barnacle", status="completed"))
    assert [(hit.turn, hit.page) for hit in await whole(store, "barnacle")] == [(T1, 1)]
    await run.write(e.ThoughtAppended(turn=T2, text="barnacles think"))
    await run.say("another barnacle", T2)
    assert [(hit.turn, hit.page) for hit in await whole(store, "barnacle")] == [(T2, 0), (T1, 1)]


async def test_a_long_text_in_many_parts_is_found_once(store: Store) -> None:
    run = await Run.claim(store)
    await run.start(T1)
    for _ in range(40):
        await run.say("kelp and barnacles " * 100)
    await run.end()
    found = await whole(store, "barnacle", 1_000)
    assert [(hit.turn, hit.k) for hit in found] == [(T1, 1)]


async def test_what_was_taken_back_is_not_found(store: Store) -> None:
    run = await Run.claim(store)
    await run.talk(T1, "first", "barnacle")
    await run.talk(T2, "second", "barnacle")
    await store.append(S1, [e.HistoryTruncated(turn=T2)])
    assert [hit.turn for hit in await whole(store, "barnacle")] == [T1]


@pytest.mark.parametrize("cursor", ["", "1", "1.2.x", "-1.0.0", "1.2.3.4", "9" * 40 + ".1.1"])
async def test_a_cursor_that_is_none_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(BadCommand):
        await store.find(S1, "x", cursor=cursor)


async def test_there_is_nothing_to_find_in_a_session_that_is_not_there(store: Store) -> None:
    with pytest.raises(NoSuchSession):
        await store.find(SessionId("nobody"), "x")
