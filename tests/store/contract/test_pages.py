"""The contract of opening a session: a small state, its last page, and the pages before it."""

import pytest

from holdfast.core import events as e
from holdfast.core import window
from holdfast.core.errors import NoSuchSession
from holdfast.core.ids import AskId, CallId, TurnId
from holdfast.core.items import END, Text, ToolCall
from holdfast.core.session import replay
from holdfast.store import pages
from holdfast.store.protocol import Store
from tests.core.shelf import joined
from tests.store.stage import C1, S1, T1, T2, Run, log, settled, shown, submit


async def never_settled(store: Store) -> list[object]:
    """What the transcript is by the plain fold of the log."""
    return list(joined(window.transcript(replay(await log(store)))))


def tools(count: int, output: str = "", first: int = 0) -> list[e.AnyFact]:
    """Tool calls that began and ended."""
    return [
        e.ToolChanged(turn=T1, call=CallId(f"c{n}"), first=True, name="shell", status="completed", output=output)
        for n in range(first, first + count)
    ]


async def test_a_new_session_opens_with_an_empty_page(store: Store) -> None:
    """There is nothing to show yet, and page 1 is where it will be."""
    opened = await store.open(S1)
    assert (opened.session.title, opened.session.seq) == ("A title", 1)
    assert (opened.page.number, opened.page.items) == (1, [])


async def test_only_a_session_that_is_there_can_be_opened(empty: Store) -> None:
    """Neither it nor a page of it exists."""
    with pytest.raises(NoSuchSession):
        await empty.open(S1)
    with pytest.raises(NoSuchSession):
        await empty.page(S1, 1)


async def test_a_page_that_does_not_exist_is_empty(store: Store) -> None:
    """Scrolling too far shows nothing and fails nothing."""
    assert (await store.page(S1, 7)).items == []
    assert (await store.page(S1, 0)).items == []


async def test_a_finished_turn_is_on_the_page_and_a_running_one_in_the_state(store: Store) -> None:
    """Together they are the transcript, each item once."""
    run = await Run.claim(store)
    await run.talk(T1, "first", "an answer")
    run = await Run.claim(store)
    await run.start(T2, "second")
    await run.say("half an ans", T2)
    opened = await store.open(S1)
    assert [type(entry.item).__name__ for entry in opened.page.items] == ["UserMessage", "Text", "End"]
    assert {entry.number for entry in opened.page.items} == {1}
    assert opened.session.running == T2
    assert await shown(store) == await never_settled(store)


async def test_the_last_turn_is_settled_when_its_runner_is_gone(store: Store) -> None:
    """Until then its agent may add to it; afterwards all of it is on the page and can be found."""
    run = await Run.claim(store)
    await run.talk(T1, "first", "an answer")
    assert (await store.open(S1)).session.turns[T1].items
    await run.write(e.RunnerStopped())
    opened = await store.open(S1)
    assert opened.session.turns == {}
    assert [entry.item.k for entry in opened.page.items] == [0, 1, END]
    assert len(await store.search("answer")) == 1


async def test_an_opened_session_is_the_openers_own(store: Store) -> None:
    """Whoever changes what was given to him changes nothing in the store."""
    run = await Run.claim(store)
    await run.start()
    await run.say("words")
    opened = await store.open(S1)
    opened.session.turns[T1].items.clear()
    opened.session.title = "Other"
    again = await store.open(S1)
    assert (again.session.title, len(again.session.turns[T1].items)) == ("A title", 2)


async def test_a_page_holds_a_hundred_items(store: Store) -> None:
    """A longer session has more pages, and the last one is what opening gives."""
    run = await Run.claim(store)
    await run.start()
    await run.write(*tools(250))
    await run.end()
    await Run.claim(store)
    sizes = [len((await store.page(S1, number)).items) for number in range(1, 5)]
    assert sizes == [100, 100, 52, 0]
    opened = await store.open(S1)
    assert (opened.page.number, len(opened.page.items)) == (3, 52)
    assert await shown(store) == await never_settled(store)


async def test_a_page_is_full_at_64_kilobytes(store: Store) -> None:
    """Large items make short pages: none starts a new item above the limit."""
    run = await Run.claim(store)
    await run.start()
    await run.write(*tools(20, output="x" * 20_000))
    await run.end()
    await Run.claim(store)
    opened = await store.open(S1)
    contents = [(await store.page(S1, number)).items for number in range(1, opened.page.number + 1)]
    sizes = [[len(window.dump_item(entry.item)) for entry in items] for items in contents]
    assert len(sizes) == 6
    assert all(sum(page[:-1]) < pages.PAGE_BYTES for page in sizes)
    assert all(sum(page) >= pages.PAGE_BYTES for page in sizes[:-1])


async def test_pages_close_in_the_middle_of_a_running_turn(store: Store) -> None:
    """A turn of a thousand steps is not carried about: its state stays small while it runs."""
    run = await Run.claim(store)
    await run.start()
    for batch in range(50):
        await run.write(*tools(20, output="some output", first=20 * batch))
    opened = await store.open(S1)
    assert opened.session.running == T1
    assert opened.page.number > 4
    assert len(opened.session.turns[T1].items) <= pages.TAIL_RECORDS + 20
    assert await shown(store) == await never_settled(store)


async def test_what_opening_reads_does_not_grow_with_the_session(store: Store) -> None:
    """State and page of a session with twice the turns are no larger."""
    run = await Run.claim(store)

    async def weigh() -> tuple[int, int]:
        opened = await store.open(S1)
        return len(window.dump(opened.session)), len(opened.page.items)

    for number in range(100):
        await run.talk(TurnId(f"a{number}"), "question", "answer " * 50)
    state, _ = await weigh()
    for number in range(100):
        await run.talk(TurnId(f"b{number}"), "question", "answer " * 50)
    later, items = await weigh()
    assert later <= state * 1.2
    assert items <= pages.PAGE_ITEMS


async def test_the_parts_of_a_long_text_join_to_the_whole(store: Store) -> None:
    """A text that grows for pages is settled from its front, and no letter is lost or doubled at the seams."""
    run = await Run.claim(store)
    await run.start()
    pieces = [f"{number}é " * 400 for number in range(90)]
    for first in range(0, 90, 3):
        await run.write(*(e.TextAppended(turn=T1, text=piece) for piece in pieces[first : first + 3]))
        (_, _, user), (_, _, text) = await shown(store)
        assert user["type"] == "user"
        assert text["text"] == "".join(pieces[: first + 3])
    parts = [entry for entry in await settled(store) if isinstance(entry.item, Text)]
    assert [entry.part for entry in parts] == list(range(len(parts)))
    assert len(parts) > 5
    await run.end()
    assert await shown(store) == await never_settled(store)


async def test_a_late_change_reaches_a_tool_call_that_was_settled(store: Store) -> None:
    """It is changed on its page, where it stands, and nowhere else."""
    run = await Run.claim(store)
    await run.start()
    await run.write(*tools(pages.TAIL_RECORDS + 50))
    before = await settled(store)
    place = next(i for i, entry in enumerate(before) if isinstance(entry.item, ToolCall) and entry.item.call == C1)
    await run.write(e.ToolChanged(turn=T1, call=C1, appended="one line more", error="it was wrong"))
    after = await settled(store)
    item = after[place].item
    assert isinstance(item, ToolCall)
    assert (item.output, item.error) == ("one line more", "it was wrong")
    assert after[:place] + after[place + 1 :] == before[:place] + before[place + 1 :]
    assert await shown(store) == await never_settled(store)


async def test_an_open_ask_stays_in_the_state_until_it_is_settled(store: Store) -> None:
    """What can still change is never on a page."""
    run = await Run.claim(store)
    await run.start()
    await run.write(e.ApprovalRequested(ask=AskId("a1"), turn=T1, command="rm"), *tools(pages.TAIL_RECORDS + 50))
    assert await settled(store)
    assert list((await store.open(S1)).session.asks) == ["a1"]
    assert all(entry.item.k != 1 for entry in await settled(store))
    await store.append(S1, [e.ApprovalAnswered(ask=AskId("a1"), choice="once")], key="answer:a1")
    await run.write(e.ApprovalDelivered(ask=AskId("a1")))
    await run.end()
    await Run.claim(store)
    assert any(entry.item.k == 1 for entry in await settled(store))
    assert await shown(store) == await never_settled(store)


async def three_turns(store: Store) -> Run:
    run = await Run.claim(store)
    for number in (1, 2, 3):
        await run.talk(TurnId(f"t{number}"), f"question{number}", f"answer{number}")
    return run


async def test_truncating_removes_the_turn_and_all_after_it(store: Store) -> None:
    """Pages, state and search forget them; what lies before stays."""
    await three_turns(store)
    await store.append(S1, [e.HistoryTruncated(turn=T2)])
    assert {item["turn"] for _, _, item in await shown(store)} == {T1}
    assert [len(await store.search(f"answer{number}")) for number in (1, 2, 3)] == [1, 0, 0]
    assert [len(await store.search(f"question{number}")) for number in (1, 2, 3)] == [1, 0, 0]
    assert await shown(store) == await never_settled(store)


async def test_after_a_truncation_the_last_page_is_the_last_that_has_something(store: Store) -> None:
    """However much has left: whoever opens the session sees its end, and an agent is told of it."""
    run = await Run.claim(store)
    for number in range(100):
        await run.talk(TurnId(f"t{number}"), f"question{number}", f"answer{number}")
    assert (await store.open(S1)).page.number > 2
    await store.append(S1, [e.HistoryTruncated(turn=TurnId("t5"))])
    opened = await store.open(S1)
    assert (opened.page.number, len(opened.page.items)) == (1, 15)
    await run.talk(TurnId("next"), "question", "answer")
    await Run.claim(store)
    opened = await store.open(S1)
    assert (opened.page.number, len(opened.page.items)) == (1, 18)
    assert await shown(store) == await never_settled(store)


async def test_clearing_removes_everything(store: Store) -> None:
    """Without a turn, the whole transcript goes; the log keeps it."""
    await three_turns(store)
    length = len(await log(store))
    await store.append(S1, [e.HistoryTruncated()])
    assert await shown(store) == []
    assert await store.search("answer") == []
    assert len(await log(store)) == length + 1


async def test_what_is_said_after_a_truncation_is_shown(store: Store) -> None:
    """The session goes on, in pages too, and nothing that was cut comes back."""
    run = await three_turns(store)
    await store.append(S1, [e.HistoryTruncated(turn=T2)])
    await run.talk(TurnId("t4"), "question4", "answer4")
    await Run.claim(store)
    assert [item["turn"] for _, k, item in await shown(store) if k == END] == [T1, "t4"]
    assert await shown(store) == await never_settled(store)


async def test_what_takes_the_place_of_truncated_words_is_not_found_by_them(store: Store) -> None:
    """Steps have no words to be found by: they must not inherit those of what was there before."""
    run = await three_turns(store)
    assert len(await store.search("answer2")) == 1
    await store.append(S1, [e.HistoryTruncated(turn=T2)])
    turn = TurnId("t4")
    await run.start(turn, "look")
    calls = [CallId(f"c{number}") for number in range(9)]
    await run.write(*(e.ToolChanged(turn=turn, call=call, first=True, status="completed") for call in calls))
    await run.end(turn)
    await Run.claim(store)
    for gone in ("answer2", "answer3", "question2", "question3"):
        assert await store.search(gone) == []


async def test_history_is_not_truncated_while_a_turn_runs(store: Store) -> None:
    """The record lies in the log and has no effect."""
    run = await three_turns(store)
    await run.start(TurnId("t4"))
    before = await shown(store)
    await store.append(S1, [e.HistoryTruncated(turn=T1)])
    assert await shown(store) == before == await never_settled(store)


async def test_a_queued_turn_is_in_the_state(store: Store) -> None:
    """It has no place in the transcript yet."""
    await submit(store, text="later")
    opened = await store.open(S1)
    assert opened.session.queue == [T1]
    assert opened.session.turns[T1].message.text == "later"
    assert opened.page.items == []
