"""The contract of ownership: claim, adopt, and who owns what."""

import pytest

from holdfast.core import events as e
from holdfast.core import recovery, window
from holdfast.core.errors import Fenced, NoSuchSession
from holdfast.core.ids import AskId, CallId, SessionId, TurnId
from holdfast.core.items import Text
from holdfast.core.records import Late, Position
from holdfast.core.session import Session, replay
from holdfast.store.protocol import Appended, Owner, Store
from tests.core.shelf import joined
from tests.store.stage import S1, T1, Run, created, events, log, row, shown, submit

WORDS = [e.TextAppended(turn=T1, text=f"word {number} ") for number in range(6)]


async def interrupted(store: Store, *facts: e.Event) -> tuple[Run, Run]:
    """A runner that started a turn, wrote some facts and died; and the one that claimed the session after it."""
    dead = await Run.claim(store)
    await dead.start()
    if facts:
        await dead.write(*facts)
    return dead, await Run.claim(store)


def spooled(run: Run, *facts: e.AnyFact, skip: int = 0) -> list[tuple[Position, e.AnyFact]]:
    """What the runner had in its spool when it died: facts after the last stored one, less the first `skip`."""
    return [(Position(epoch=run.epoch, n=run.n + 1 + skip + i), fact) for i, fact in enumerate(facts)]


async def test_each_claim_raises_the_epoch(store: Store) -> None:
    """The first owner has epoch 1; the answer holds the head and the state after the claim."""
    first = await store.claim(S1, lambda _: [e.RunnerStarted(pid=7)])
    assert (first.epoch, first.head, first.session.alive, first.session.epoch) == (1, 2, True, 1)
    second = await store.claim(S1, lambda _: [])
    assert (second.epoch, second.head, second.session.alive) == (2, 2, True)


async def test_a_claim_is_told_what_was_true_before_it(store: Store) -> None:
    """What the loss means depends on the session, and the store folds it for the claimer."""
    run = await Run.claim(store)
    await run.start()
    seen: list[tuple[str | None, bool, int]] = []

    def loss(session: Session) -> list[e.AnyFact]:
        seen.append((session.running, session.alive, session.seq))
        return []

    await store.claim(S1, loss)
    assert seen == [(T1, True, 4)]


async def test_a_claim_appends_what_the_loss_means(store: Store) -> None:
    """The interrupted turn, its open ask and its runner are ended under the new epoch, with positions from 1."""
    run = await Run.claim(store)
    await run.start()
    await run.write(e.ApprovalRequested(ask=AskId("a1"), turn=T1, command="rm -r"))
    claimed = await store.claim(S1, recovery.loss)
    lost = (await log(store))[-3:]
    assert [type(record.event) for record in lost] == [e.ApprovalExpired, e.TurnEnded, e.RunnerLost]
    assert [(record.epoch, record.n) for record in lost] == [(2, 1), (2, 2), (2, 3)]
    assert (claimed.session.running, claimed.session.asks, claimed.session.last_outcome) == (None, {}, "interrupted")
    assert claimed.head == lost[-1].seq == claimed.session.seq


async def test_the_claimed_state_is_the_fold_of_the_log(store: Store) -> None:
    """A runner goes on from what the claim gave it, without reading the log."""
    run = await Run.claim(store)
    await run.talk(T1, "first", "answer")
    claimed = await store.claim(S1, recovery.loss)
    whole = replay(await log(store))
    window.settle(whole)
    assert window.dump(claimed.session) == window.dump(whole)


async def test_the_claimed_state_is_the_claimers_own(store: Store) -> None:
    """Folding further records into it changes nothing in the store."""
    claimed = await store.claim(S1, lambda _: [e.RunnerStarted()])
    claimed.session.title = "Changed by the runner"
    assert (await store.open(S1)).session.title == "A title"
    await submit(store)
    assert (await row(store)).overview.title == "A title"


async def test_a_claim_whose_loss_can_not_be_told_changes_nothing(store: Store) -> None:
    """Epoch and loss are one transaction: an error on the way leaves the session to its owner."""
    run = await Run.claim(store)
    before = await log(store)

    def broken(_: object) -> list[e.AnyFact]:
        raise RuntimeError("It broke.")

    with pytest.raises(RuntimeError, match="It broke"):
        await store.claim(S1, broken)
    assert await log(store) == before
    assert (await run.write(WORDS[0])).written == 1


async def test_facts_of_every_earlier_epoch_are_refused_after_a_claim(store: Store) -> None:
    """Whoever was owner before writes no more, however often the session was claimed since."""
    runs = [await Run.claim(store) for _ in range(3)]
    for stale in runs[:2]:
        with pytest.raises(Fenced):
            await stale.write(WORDS[0])
    assert (await runs[2].write(WORDS[0])).written == 1


async def test_positions_count_from_one_after_a_claim(store: Store) -> None:
    """A new owner's first fact is number 1, however many the old one wrote."""
    old = await Run.claim(store)
    await old.write(*WORDS)
    claimed = await store.claim(S1, lambda _: [])
    assert (await store.append(S1, [WORDS[0]], position=Position(epoch=claimed.epoch, n=1))).written == 1


async def test_a_session_that_is_not_there_can_not_be_claimed_or_adopted_into(empty: Store) -> None:
    """Ownership is of something."""
    with pytest.raises(NoSuchSession):
        await empty.claim(S1, lambda _: [])
    with pytest.raises(NoSuchSession):
        await empty.adopt(S1, [(Position(epoch=1, n=1), WORDS[0])], turn=T1, epoch=1)


# Adopt.


async def test_an_adopted_fact_is_marked_as_late(store: Store) -> None:
    """It lies under the new owner's epoch, with its own position, its old epoch and its turn beside it."""
    dead, heir = await interrupted(store)
    appended = await store.adopt(S1, spooled(dead, *WORDS[:2]), turn=T1, epoch=heir.epoch)
    adopted = (await log(store))[-2:]
    assert appended == Appended(adopted[0].seq, adopted[1].seq, 2)
    assert [record.event for record in adopted] == WORDS[:2]
    assert [(record.epoch, record.n) for record in adopted] == [(heir.epoch, dead.n + 1), (heir.epoch, dead.n + 2)]
    assert {record.late for record in adopted} == {Late(epoch=dead.epoch, turn=T1)}


async def test_adoption_skips_what_the_log_has_already(store: Store) -> None:
    """The spool may hold facts that were stored before their owner died: they are not doubled."""
    dead = await Run.claim(store)
    await dead.start()
    facts = [(Position(epoch=dead.epoch, n=dead.n + 1 + i), word) for i, word in enumerate(WORDS)]
    await dead.write(*WORDS[:3])
    heir = await Run.claim(store)
    assert (await store.adopt(S1, facts, turn=T1, epoch=heir.epoch)).written == 3
    assert [event for event in await events(store) if isinstance(event, e.TextAppended)] == WORDS


@pytest.mark.parametrize("cut", range(4))
async def test_adoption_that_was_cut_half_way_is_finished_by_the_next(store: Store, cut: int) -> None:
    """Run again, as a whole or in other pieces, it adds only what is missing."""
    dead, heir = await interrupted(store)
    facts = spooled(dead, *WORDS[:3])
    if cut:
        await store.adopt(S1, facts[:cut], turn=T1, epoch=heir.epoch)
    await store.adopt(S1, facts, turn=T1, epoch=heir.epoch)
    before = await log(store)
    assert await store.adopt(S1, facts, turn=T1, epoch=heir.epoch) == Appended(before[-1].seq, before[-1].seq, 0)
    assert await log(store) == before
    assert [event for event in await events(store) if isinstance(event, e.TextAppended)] == WORDS[:3]


async def test_adoption_is_finished_by_the_owner_after_the_next(store: Store) -> None:
    """If the adopter dies half way too, its heir goes on where it stopped."""
    dead, heir = await interrupted(store)
    facts = spooled(dead, *WORDS[:3])
    await store.adopt(S1, facts[:2], turn=T1, epoch=heir.epoch)
    second = await Run.claim(store)
    assert (await store.adopt(S1, facts, turn=T1, epoch=second.epoch)).written == 1
    assert [event for event in await events(store) if isinstance(event, e.TextAppended)] == WORDS[:3]


async def test_a_damaged_spool_record_costs_that_record_alone(store: Store) -> None:
    """Gaps between adopted positions are allowed."""
    dead, heir = await interrupted(store)
    facts = spooled(dead, *WORDS[:5])
    del facts[0], facts[1]
    assert (await store.adopt(S1, facts, turn=T1, epoch=heir.epoch)).written == 3


@pytest.mark.parametrize("epoch", [1, 3])
async def test_only_the_present_owner_adopts(store: Store, epoch: int) -> None:
    """A stale or unknown epoch adopts nothing."""
    dead, _ = await interrupted(store)
    before = await log(store)
    with pytest.raises(Fenced):
        await store.adopt(S1, spooled(dead, WORDS[0]), turn=T1, epoch=epoch)
    assert await log(store) == before


async def test_adoption_takes_no_position_of_the_adopter(store: Store) -> None:
    """Its own facts go on as if nothing had been adopted."""
    dead, heir = await interrupted(store)
    await store.adopt(S1, spooled(dead, *WORDS), turn=T1, epoch=heir.epoch)
    assert (await heir.write(e.NoticeRaised(text="Welcome back."))).written == 1


async def test_adopted_words_are_shown_in_their_turn_above_its_end(store: Store) -> None:
    """They join what the run had said, and are marked as recovered; other kinds of facts change nothing."""
    dead, heir = await interrupted(store, WORDS[0])
    late = spooled(dead, WORDS[1], e.TurnEnded(turn=T1, outcome="completed"))
    await store.adopt(S1, late, turn=T1, epoch=heir.epoch)
    user, text, end = [item for _, _, item in await shown(store)]
    assert (user["type"], text["text"], text["recovered"]) == ("user", "word 0 word 1 ", True)
    assert end["outcome"] == "interrupted"


async def test_adopted_facts_land_in_the_page_of_their_turn(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn that was settled pages ago takes its late words where its end stands, whatever has been said since."""
    monkeypatch.setattr("holdfast.store.pages.PAGE_ITEMS", 3)
    dead, heir = await interrupted(store, WORDS[0])
    for number in range(2, 5):
        await heir.talk(TurnId(f"t{number}"), "go on", "an answer")
    last = await Run.claim(store)
    pages = (await store.open(S1)).page.number
    assert pages > 2
    lines = spooled(dead, e.ToolChanged(turn=T1, call=CallId("c9"), first=True), WORDS[1])
    await store.adopt(S1, lines, turn=T1, epoch=last.epoch)
    first = (await store.page(S1, 1)).items
    assert [type(entry.item).__name__ for entry in first] == ["UserMessage", "Text", "ToolCall", "Text", "End"]
    assert isinstance(first[3].item, Text)
    assert first[3].item.recovered
    assert (await store.open(S1)).page.number == pages


@pytest.mark.parametrize("ending", [e.RunnerStarted(), e.RunnerLost()])
async def test_adopted_changes_find_their_settled_tool_call(
    store: Store, monkeypatch: pytest.MonkeyPatch, ending: e.AnyFact
) -> None:
    """However the run was ended, a late change of a call that had left the state is merged with it, not shown twice."""
    monkeypatch.setattr("holdfast.store.pages.TAIL_RECORDS", 1)
    dead = await Run.claim(store)
    await dead.start()
    await dead.write(e.ToolChanged(turn=T1, call=CallId("c1"), first=True, status="completed"), WORDS[0])
    await dead.write(WORDS[1])
    monkeypatch.setattr("holdfast.store.pages.TAIL_RECORDS", 1_000)
    claimed = await store.claim(S1, lambda _: [])
    await store.append(S1, [ending], position=Position(epoch=claimed.epoch, n=1))
    late = spooled(dead, e.ToolChanged(turn=T1, call=CallId("c1"), appended="late"))
    await store.adopt(S1, late, turn=T1, epoch=claimed.epoch)
    tools = [item for _, _, item in await shown(store) if item["type"] == "tool"]
    assert [tool["output"] for tool in tools] == ["late"]
    assert await shown(store) == joined(window.transcript(replay(await log(store))))


# Owners.


async def test_owners_are_the_sessions_whose_log_says_that_a_runner_lives(store: Store) -> None:
    """A claim alone is no life; a start is; a stop and a loss end it."""
    others = [await created(store, SessionId(name)) for name in ("s2", "s3", "s4")]
    await Run.claim(store, S1)
    second = await Run.claim(store, others[0])
    await store.claim(others[1], lambda _: [])
    await Run.claim(store, others[2])
    assert await store.owners() == [Owner(S1, 1), Owner(others[0], 1), Owner(others[2], 1)]
    await second.write(e.RunnerStopped())
    await store.claim(others[2], recovery.loss)
    assert await store.owners() == [Owner(S1, 1)]


async def test_an_owner_is_listed_with_its_present_epoch(store: Store) -> None:
    """Whoever looks after the runners knows which one it must be."""
    await Run.claim(store)
    await Run.claim(store)
    assert await store.owners() == [Owner(S1, 2)]


async def test_claims_are_counted_whether_or_not_anything_was_written(store: Store) -> None:
    """Who takes over knows whether anybody was there before: a claim alone may have started something."""
    assert await store.claims(S1) == 0
    await store.claim(S1, lambda _: [])
    assert await store.claims(S1) == 1
    await Run.claim(store)
    assert await store.claims(S1) == 2
    with pytest.raises(NoSuchSession):
        await store.claims(SessionId("nowhere"))
