"""The contract of the log itself: create, append, keys, read, purge, the house, close."""

import asyncio

import msgspec
import pytest

from holdfast.core import codec
from holdfast.core import events as e
from holdfast.core.errors import BadCommand, Fenced, Hole, KeyTaken, NoSuchSession, NotNow, SessionExists, StoreError
from holdfast.core.ids import HOUSE, SessionId
from holdfast.core.outline import tells
from holdfast.core.records import Position, Record
from holdfast.core.session import Session
from holdfast.store.protocol import Appended, Query, Store
from tests.store.stage import (
    EVERYTHING,
    S1,
    T1,
    T2,
    Clock,
    Run,
    created,
    events,
    log,
    names,
    row,
    settled,
    submit,
    untimed,
)

CREATED = e.SessionCreated(title="A title")
WORDS = [e.TextAppended(turn=T1, text=f"word {number} ") for number in range(6)]


async def test_a_session_begins_with_its_creation(empty: Store, clock: Clock) -> None:
    """The first record of a log is the creation, with the time of the store's clock."""
    assert untimed(await empty.create(S1, CREATED)) == Appended(1, 1, 1)
    (record,) = await log(empty)
    assert (record.seq, record.time, record.event, record.epoch, record.n) == (1, clock.time, CREATED, 0, 0)


async def test_the_same_creation_again_writes_nothing(empty: Store) -> None:
    """Creating twice is creating once, also after the log has grown."""
    await empty.create(S1, CREATED)
    await submit(empty)
    assert await empty.create(S1, CREATED) == Appended(1, 1, 0)
    assert len(await log(empty)) == 2


async def test_another_creation_under_a_taken_id_is_refused(empty: Store) -> None:
    """An id belongs to the session that had it first."""
    await empty.create(S1, CREATED)
    with pytest.raises(SessionExists, match="s1"):
        await empty.create(S1, e.SessionCreated(title="Another"))
    assert await events(empty) == [CREATED]


async def test_events_lie_in_the_order_in_which_they_were_appended(store: Store) -> None:
    """Seqs count 1, 2, 3 without gaps, and the answer says where the events lie."""
    titles = [e.SessionRenamed(title=str(number)) for number in range(5)]
    assert untimed(await store.append(S1, titles[:2])) == Appended(2, 3, 2)
    assert untimed(await store.append(S1, titles[2:])) == Appended(4, 6, 3)
    records = await log(store)
    assert [record.seq for record in records] == [1, 2, 3, 4, 5, 6]
    assert [record.event for record in records[1:]] == titles


async def test_appends_in_flight_keep_the_order_in_which_they_were_handed_over(store: Store) -> None:
    """Nobody has to wait for one append before the next to keep their order."""
    titles = [e.SessionRenamed(title=str(number)) for number in range(40)]
    appended = await asyncio.gather(*(store.append(S1, [title]) for title in titles))
    assert [entry.first for entry in appended] == list(range(2, 42))
    assert (await events(store))[1:] == titles


async def test_a_refused_append_spoils_none_of_those_in_flight_with_it(store: Store) -> None:
    """Whatever is written together: each caller gets its own answer, and only what was refused is missing."""
    run = await Run.claim(store)
    await submit(store)
    outcomes = await asyncio.gather(
        store.append(S1, [e.SessionRenamed(title="first")]),
        store.append(S1, [e.TurnSubmitted(turn=T1, text="other")], key="turn:t1"),
        store.append(S1, [WORDS[0]], position=run.next),
        store.append(S1, [WORDS[1]], position=Position(epoch=run.epoch, n=run.n + 3)),
        store.append(S1, [WORDS[2]], position=Position(epoch=9, n=1)),
        store.append(SessionId("nowhere"), [e.SessionRenamed(title="lost")]),
        store.append(S1, [e.SessionRenamed(title="last")]),
        return_exceptions=True,
    )
    kinds = [type(outcome) for outcome in outcomes]
    assert kinds == [Appended, KeyTaken, Appended, Hole, Fenced, NoSuchSession, Appended]
    written = [e.SessionRenamed(title="first"), WORDS[0], e.SessionRenamed(title="last")]
    assert (await events(store))[-3:] == written
    assert (await row(store)).overview.title == "last"


async def test_an_append_of_nothing_is_a_mistake(store: Store) -> None:
    """An empty append has no place in the log that it could return."""
    with pytest.raises(BadCommand, match="at least one"):
        await store.append(S1, [])


async def test_nothing_is_appended_to_a_session_that_is_not_there(empty: Store) -> None:
    """A log begins by `create` alone."""
    with pytest.raises(NoSuchSession):
        await submit(empty)
    with pytest.raises(NoSuchSession):
        await empty.read(S1, 0, 10)


async def test_an_append_that_was_handed_over_is_not_cancelled(store: Store) -> None:
    """The caller may go; the records are stored all the same, and a retry with the key finds them."""
    task = asyncio.create_task(submit(store))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert await submit(store) == Appended(2, 2, 0)
    assert len(await log(store)) == 2


# Positions.


async def test_facts_carry_their_position(store: Store) -> None:
    """The record of a fact names the epoch and the place among its owner's facts; that of an intent has neither."""
    run = await Run.claim(store)
    await run.start()
    await run.write(*WORDS[:2])
    assert [(record.epoch, record.n) for record in await log(store)] == [(0, 0), (1, 1), (0, 0), (1, 2), (1, 3), (1, 4)]


async def test_a_retry_in_another_grouping_loses_nothing_and_doubles_nothing(store: Store) -> None:
    """After an ambiguous commit the outbox sends all again, with what came meanwhile, cut as it likes."""
    run = await Run.claim(store)
    first = run.next
    await store.append(S1, WORDS[:3], position=first)
    await store.append(S1, WORDS, position=first)
    for number, word in enumerate(WORDS):
        await store.append(S1, [word], position=Position(epoch=run.epoch, n=first.n + number))
    await store.append(S1, WORDS[1:], position=Position(epoch=run.epoch, n=first.n + 1))
    assert [event for event in await events(store) if isinstance(event, e.TextAppended)] == WORDS


async def test_the_answer_to_a_retry_says_how_many_were_new(store: Store) -> None:
    """Facts that the log has already are skipped, and only the rest is written."""
    run = await Run.claim(store)
    first = run.next
    assert (await store.append(S1, WORDS[:2], position=first)).written == 2
    partly = await store.append(S1, WORDS[:5], position=first)
    assert (partly.written, partly.last - partly.first) == (3, 2)
    again = await store.append(S1, WORDS[:5], position=first)
    assert (again.written, again.last) == (0, len(await log(store)))


async def test_a_retried_fact_is_told_by_its_position_and_not_by_its_content(store: Store) -> None:
    """Two equal words in a row are two words."""
    run = await Run.claim(store)
    await run.write(WORDS[0])
    await run.write(WORDS[0])
    assert (await events(store)).count(WORDS[0]) == 2


async def test_a_hole_is_refused(store: Store) -> None:
    """A skipped fact writes nothing, and the error says where to go on."""
    run = await Run.claim(store)
    before = await log(store)
    with pytest.raises(Hole) as caught:
        await store.append(S1, WORDS, position=Position(epoch=run.epoch, n=run.n + 2))
    assert caught.value.details == (S1, run.n + 1, run.n + 2)
    assert await log(store) == before
    await run.write(*WORDS)


@pytest.mark.parametrize("epoch", [0, 1, 3])
async def test_a_stale_or_unknown_epoch_is_refused(store: Store, epoch: int) -> None:
    """Only the present owner writes facts; the error names both epochs."""
    await Run.claim(store)
    run = await Run.claim(store)
    before = await log(store)
    with pytest.raises(Fenced) as caught:
        await store.append(S1, WORDS, position=Position(epoch=epoch, n=1))
    assert caught.value.details == (S1, epoch, run.epoch)
    assert await log(store) == before


async def test_a_fenced_retry_of_what_was_stored_is_refused_too(store: Store) -> None:
    """A dead owner learns that it is dead, even if it only repeats itself."""
    old = await Run.claim(store)
    position = old.next
    await old.write(WORDS[0])
    await Run.claim(store)
    with pytest.raises(Fenced):
        await store.append(S1, [WORDS[0]], position=position)


async def test_intents_take_no_position(store: Store) -> None:
    """What people do between two facts leaves no hole in them."""
    run = await Run.claim(store)
    await run.write(WORDS[0])
    await submit(store)
    await run.write(WORDS[1])
    assert [record.n for record in await log(store)] == [0, 1, 2, 0, 3]


# Keys.


async def test_a_key_with_equal_content_returns_the_first_place(store: Store) -> None:
    """A second event with the key writes nothing and says where the first lies."""
    assert untimed(await submit(store)) == Appended(2, 2, 1)
    await store.append(S1, [e.SessionRenamed(title="Meanwhile")])
    assert await submit(store) == Appended(2, 2, 0)
    assert len(await log(store)) == 3


async def test_a_key_with_other_content_is_refused(store: Store) -> None:
    """The error names the key and the record that has it."""
    await submit(store)
    with pytest.raises(KeyTaken) as caught:
        await store.append(S1, [e.TurnSubmitted(turn=T1, text="other")], key="turn:t1")
    assert caught.value.details == ("turn:t1", 2)
    assert len(await log(store)) == 2


async def test_a_key_belongs_to_the_last_event(store: Store) -> None:
    """An interrupt is one append of cancel and submit, found again by the key of the submission."""
    both = [e.TurnCancelRequested(turn=T1), e.TurnSubmitted(turn=T2, text="instead")]
    assert untimed(await store.append(S1, both, key="turn:t2")) == Appended(2, 3, 2)
    assert await store.append(S1, both, key="turn:t2") == Appended(3, 3, 0)
    assert await store.append(S1, both[1:], key="turn:t2") == Appended(3, 3, 0)


async def test_a_key_leads_to_its_record(store: Store) -> None:
    """To the last event of its append; a key that nobody used, and one of another session, lead nowhere."""
    both = [e.TurnCancelRequested(turn=T1), e.TurnSubmitted(turn=T2, text="instead")]
    await store.append(S1, both, key="turn:t2")
    assert await store.keyed(S1, "turn:t2") == 3
    assert await store.keyed(S1, "turn:t1") == 0
    assert await store.keyed(HOUSE, "turn:t2") == 0
    with pytest.raises(NoSuchSession):
        await store.keyed(SessionId("unknown"), "turn:t2")


async def test_keys_belong_to_their_session(store: Store) -> None:
    """The same key in another session is another key."""
    await submit(store)
    other = await created(store, SessionId("s2"))
    assert (await submit(store, text="other", session=other)).written == 1


async def test_keys_outlive_the_history_they_were_made_in(store: Store) -> None:
    """A cleared transcript does not make a message new that was sent before."""
    await submit(store)
    await store.append(S1, [e.TurnCancelRequested(turn=T1), e.HistoryTruncated()])
    assert await submit(store) == Appended(2, 2, 0)


async def test_a_keyed_fact_that_is_there_already_takes_its_position(store: Store) -> None:
    """The owner goes on counting: its second ending counts as written, and the next fact makes no hole."""
    run = await Run.claim(store)
    await run.start()
    ending = e.TurnEnded(turn=T1, outcome="completed")
    where = await run.write(ending, key="end:t1")
    assert await run.write(ending, key="end:t1") == Appended(where.last, where.last, 0)
    assert (await run.write(WORDS[0])).written == 1


async def test_a_keyed_fact_with_other_content_takes_no_position(store: Store) -> None:
    """A refused fact was not written, so the next one has its place."""
    run = await Run.claim(store)
    await run.start()
    await run.write(e.TurnEnded(turn=T1, outcome="completed"), key="end:t1")
    with pytest.raises(KeyTaken):
        await run.write(e.TurnEnded(turn=T1, outcome="failed"), key="end:t1")
    assert (await run.write(WORDS[0])).written == 1


# Reading.


async def test_reading_starts_after_a_seq_and_ends_at_a_limit(store: Store) -> None:
    """Any stretch of the log can be read, and beyond the head there is nothing."""
    await store.append(S1, [e.SessionRenamed(title=str(number)) for number in range(9)])
    seqs = {
        (after, limit): [record.seq for record in await store.read(S1, after, limit)]
        for after, limit in [(0, 3), (3, 3), (8, 3), (10, 3), (99, 3), (-7, 2), (0, EVERYTHING)]
    }
    assert seqs == {
        (0, 3): [1, 2, 3],
        (3, 3): [4, 5, 6],
        (8, 3): [9, 10],
        (10, 3): [],
        (99, 3): [],
        (-7, 2): [1, 2],
        (0, EVERYTHING): list(range(1, 11)),
    }


async def test_sessions_do_not_see_each_other(store: Store) -> None:
    """A log holds the records of its session alone, whichever was created first."""
    other = await created(store, SessionId("s2"), title="Another")
    for name in (S1, other, S1):
        await store.append(name, [e.SessionRenamed(title=name)])
    assert await events(store, other) == [e.SessionCreated(title="Another"), e.SessionRenamed(title="s2")]
    assert [record.seq for record in await store.read(other, -EVERYTHING, EVERYTHING)] == [1, 2]
    assert len(await log(store)) == 3


STRANGE = b'{"kind":"weather.changed","turn":"t1","deep":{"a":[1,2.5,null,"\xc3\xa9"]},"big":12345678901234567890}'
NEWER = b'{"kind":"turn.submitted","turn":"t1","text":"do it","colour":"blue","nested":{"deep":[1]}}'


@pytest.mark.parametrize("body", [STRANGE, NEWER])
async def test_unknown_kinds_and_fields_survive_storage(store: Store, body: bytes) -> None:
    """What a newer program wrote is given back value by value, and changes nothing that this one shows."""
    await store.append(S1, [codec.decode(body)])
    (event,) = (await events(store))[1:]
    assert msgspec.json.decode(codec.encode(event)) == msgspec.json.decode(body)


# Purge, the house, close.


async def test_events_follow_only_a_session_that_is_as_it_must_be(store: Store) -> None:
    """It is looked at where they would be written, with all that was written before; what lies there is not asked."""

    def untouched(state: Session) -> None:
        if state.title != "A title":
            raise NotNow(state.title)

    event = e.SessionRenamed(title="Another")
    together = [e.SessionChanged(pinned=True), event]
    first, *refused = await asyncio.gather(
        *(store.append(S1, together, key=f"k{number}", check=untouched) for number in range(4)),
        return_exceptions=True,
    )
    assert isinstance(first, Appended)
    assert [str(each) for each in refused] == ["Another"] * 3
    assert await events(store) == [e.SessionCreated(title="A title"), *together]
    assert await store.append(S1, together, key="k0", check=untouched) == Appended(first.last, first.last, 0)
    assert await store.keyed(S1, "k1") == 0


async def test_a_purged_session_is_gone_and_its_id_is_free(store: Store) -> None:
    """Log, keys, pages, words, epoch and row are gone; a new session of that name starts from nothing."""
    run = await Run.claim(store)
    await run.talk(T1, "find this", "an answer")
    await store.purge(S1)
    for call in (store.read(S1, 0, 9), store.open(S1), store.page(S1, 1), store.wait(S1, 0, 0.01)):
        with pytest.raises(NoSuchSession):
            await call
    assert (await names(store), await store.search("find"), await store.owners()) == ([], [], [])
    await created(store, title="Another")
    assert (await submit(store, text="other words")).written == 1
    assert (await store.claim(S1, lambda _: [])).epoch == 1
    assert await settled(store) == []


async def test_purging_touches_no_other_session(store: Store) -> None:
    """What belongs to the neighbours stays."""
    other = await created(store, SessionId("s2"))
    run = await Run.claim(store, other)
    await run.talk(T1, "find this", "an answer")
    before = await log(store, other)
    await store.purge(S1)
    assert await log(store, other) == before
    assert len(await store.search("find")) == 1


async def test_only_what_is_as_it_is_wanted_is_purged(store: Store) -> None:
    """It is looked at in the moment in which it goes."""
    assert await store.purge(S1, lambda state: bool(state.deleted)) is False
    assert await names(store) == [S1]
    await store.append(S1, [e.SessionDeleted()])
    assert await store.purge(S1, lambda state: bool(state.deleted)) is True
    with pytest.raises(NoSuchSession):
        await store.open(S1)


async def test_what_lies_is_told_by_where_and_since_when(store: Store, clock: Clock) -> None:
    far = clock() + 1_000_000
    assert await store.lying("archived", far, 9) == await store.lying("deleted", far, 9) == []
    await store.append(S1, [e.SessionChanged(archived=True)])
    assert [each.session for each in await store.lying("archived", far, 9)] == [S1]
    assert await store.lying("archived", 1, 9) == []
    await store.append(S1, [e.SessionDeleted()])
    assert await store.lying("archived", far, 9) == []
    assert [(each.session, each.deleted) for each in await store.lying("deleted", far, 9)] == [(S1, True)]
    assert await store.lying("deleted", 1, 9) == []
    await Run.claim(store)
    assert await store.lying("deleted", far, 9) == []


async def test_purging_what_is_not_there_is_refused(empty: Store) -> None:
    """Nobody is told that something was removed when nothing was."""
    with pytest.raises(NoSuchSession):
        await empty.purge(S1)


async def test_the_house_is_always_there(empty: Store) -> None:
    """The reserved log needs no creation; it is read, followed and keyed like any other."""
    assert await empty.read(HOUSE, 0, 10) == []
    rule = e.Unknown(kind="rule.added", fields={"pattern": "ls"})
    assert untimed(await empty.append(HOUSE, [rule], key="rule:1")) == Appended(1, 1, 1)
    assert await empty.append(HOUSE, [rule], key="rule:1") == Appended(1, 1, 0)
    assert await events(empty, HOUSE) == [rule]
    assert await empty.wait(HOUSE, 0, 0.01) == 1
    opened = await empty.open(HOUSE)
    assert (opened.session.seq, opened.page.items) == (1, [])


async def test_the_house_is_hidden_from_people(empty: Store) -> None:
    """It is no line of the list, no hit of a search and no session that a runner owns."""
    await empty.append(HOUSE, [e.SessionRenamed(title="House"), e.TurnSubmitted(turn=T1, text="find this")])
    await empty.append(HOUSE, [e.TurnCancelRequested(turn=T1)])
    assert (await names(empty), await empty.changes(0, 10), await empty.owners()) == ([], [], [])
    assert await empty.search("find") == []
    assert await names(empty, Query(text="house")) == []


async def test_the_house_can_not_be_created_or_purged(empty: Store) -> None:
    """There is exactly one, for ever."""
    with pytest.raises(SessionExists):
        await empty.create(HOUSE, CREATED)
    with pytest.raises(NotNow):
        await empty.purge(HOUSE)


async def test_closing_twice_is_harmless(store: Store) -> None:
    """The second close finds nothing to do."""
    await store.close()
    await store.close()


async def test_closing_finishes_what_was_handed_over(store: Store) -> None:
    """Appends that are in flight when the store is closed are answered, not dropped."""
    appends = [asyncio.ensure_future(store.append(S1, [e.SessionRenamed(title=str(n))])) for n in range(20)]
    await asyncio.sleep(0)
    await store.close()
    assert [(await append).last for append in appends] == list(range(2, 22))


async def test_every_store_has_a_lineage(store: Store) -> None:
    """It stays while the store is open, and a snapshot carries it."""
    lineage = await store.lineage()
    assert lineage
    assert (await store.open(S1)).lineage == lineage == await store.lineage()


def test_a_store_error_is_a_sentence() -> None:
    """Whoever meets one can read it to a person."""
    assert str(StoreError("the dog ate it.")) == "The store can't be used: the dog ate it."


async def test_what_tells_something_is_found_without_the_rest(store: Store) -> None:
    """In pieces as well, with its place and time; words that look like a failure are none."""
    run = await Run.claim(store, S1)
    await run.start()
    call = e.CallId("c1")
    loud = '"status":"failed" {"kind":"turn.ended"'
    await run.write(
        *WORDS,
        e.TextAppended(turn=T1, text=loud),
        e.ToolChanged(turn=T1, call=call, first=True, status="running", arguments=loud),
        e.ToolChanged(turn=T1, call=call, appended=loud),
        e.ToolChanged(turn=T1, call=call, status="failed", error="No."),
        e.NoticeRaised(turn=T1, text="Note"),
        e.NoticeRaised(turn=T1, text="Broken", level="error"),
        e.UsageReported(turn=T1, input=1),
        e.PlanReplaced(turn=T1),
        e.ThoughtAppended(turn=T1, text="Hm."),
    )
    await run.end()
    records = await log(store)
    told = [record for record in records if tells(record.event)]
    assert await store.telling(S1, 0, 100) == told
    assert [codec.kind(record.event) for record in told[-4:]] == [
        "turn.started",
        "tool.changed",
        "notice.raised",
        "turn.ended",
    ]
    pieces, after = list[Record](), 0
    while piece := await store.telling(S1, after, 2):
        pieces, after = pieces + piece, piece[-1].seq
    assert pieces == told
    assert await store.times(S1, 2, 5) == [record.time for record in records[2:5]]
    assert await store.times(S1, -5, 1_000) == [record.time for record in records]
    assert await store.times(S1, 1_000, 2_000) == []
    fork = SessionId("fork")  # what it shares lies elsewhere
    await store.fork(fork, S1, lambda _: [e.SessionForked(source=S1, turn=T1)])
    shared = await log(store, fork)
    assert await store.telling(fork, 0, 100) == [record for record in shared if tells(record.event)]
    assert await store.telling(fork, told[1].seq, 3) == told[2:5]
    assert await store.times(fork, 2, len(shared)) == [record.time for record in shared[2:]]
    with pytest.raises(NoSuchSession):
        await store.telling(SessionId("none"), 0, 1)
    with pytest.raises(NoSuchSession):
        await store.times(SessionId("none"), 0, 1)
