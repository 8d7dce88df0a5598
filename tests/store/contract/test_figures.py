"""The contract of the figures: what was used, on which day, by whom, and how much each session takes."""

from holdfast.core import codec
from holdfast.core import events as e
from holdfast.core.figures import HOUR, Figures
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.store.protocol import DailyFigures, Store
from tests.store.stage import S1, T1, T2, Clock, Run, created, log, submit

DAY = 24 * HOUR


async def working(store: Store, session: SessionId = S1, agent: str = "hermes") -> Run:
    run = await Run.claim(store, session)
    await run.write(e.AgentOpened(agent=agent, instance="i1"))
    return run


async def spend(run: Run, cost: int, model: str = "m") -> None:
    await run.write(
        e.UsageReported(turn=T1, input=cost, output=cost * 2, cached=1, reasoning=2, cost=cost, model=model)
    )


async def total(store: Store) -> Figures:
    return sum((day.figures for day in await store.figures(0)), Figures())


async def test_a_turn_is_counted_with_what_it_used_how_long_it_ran_and_what_it_asked(
    store: Store, clock: Clock
) -> None:
    """Once it has ended, all of it stands under its day, its agent and its model."""
    clock.time = 20_000 * DAY
    await store.append(S1, [e.SessionChanged(model="m")])
    run = await working(store)
    await run.start()
    began = clock.time
    await spend(run, 10)
    await spend(run, 5)
    await run.write(e.ApprovalRequested(ask=AskId("a1"), turn=T1, command="rm"))
    await store.append(S1, [e.ApprovalAnswered(ask=AskId("a1"), choice="once")])
    clock.time = began + 90_000
    await run.end()
    lasted = clock.time - began
    expected = Figures(turns=1, approvals=1, run_ms=lasted, input=15, output=30, cached=2, reasoning=4, cost=15)
    assert await store.figures(0) == [DailyFigures(day=20_000, agent="hermes", model="m", figures=expected)]


async def test_failed_and_interrupted_turns_are_failures_and_stopped_ones_are_not(store: Store) -> None:
    """A run whose runner died counts, from its start to when that was found."""
    run = await working(store)
    outcomes: tuple[e.Outcome, ...] = ("failed", "cancelled", "completed")
    for outcome in outcomes:
        await run.start(TurnId(outcome))
        await run.end(TurnId(outcome), outcome)
    await run.start(TurnId("t4"))
    await Run.claim(store)
    found = await total(store)
    assert (found.turns, found.failures) == (4, 2)


async def test_what_the_reducer_refuses_is_not_counted(store: Store) -> None:
    """Neither a fact for a turn that does not run, nor the same ask twice, nor a second end."""
    run = await working(store)
    await run.start()
    for _ in range(2):
        await run.write(e.ApprovalRequested(ask=AskId("a1"), turn=T1, command="rm"))
    await run.write(e.UsageReported(turn=T2, cost=1_000))
    await run.end()
    await run.end(outcome="failed")
    found = await total(store)
    assert (found.turns, found.failures, found.approvals, found.cost) == (1, 0, 1, 0)


async def test_days_agents_and_models_are_apart_and_sessions_are_not(empty: Store, clock: Clock) -> None:
    """What two sessions used on the same day with the same agent and model is one line."""
    for number, (day, agent, model) in enumerate([(10, "a", "m"), (10, "a", "m"), (10, "b", "m"), (11, "a", "n")]):
        clock.time = day * DAY + number
        session = await created(empty, SessionId(f"s{number}"))
        run = await working(empty, session, agent)
        await submit(empty, session=session)
        await run.write(e.TurnStarted(turn=T1))
        await spend(run, 1, model)
        await run.write(e.TurnEnded(turn=T1, outcome="completed"))
    lines = [(day.day, day.agent, day.model, day.figures.cost) for day in await empty.figures(0)]
    assert [line for line in lines if line[3]] == [(10, "a", "m", 2), (10, "b", "m", 1), (11, "a", "n", 1)]
    assert {day.day for day in await empty.figures(11)} == {11}
    assert await empty.figures(12) == []


async def test_a_day_begins_where_the_reader_is(store: Store, clock: Clock) -> None:
    """An hour before midnight is tomorrow further east, and an hour after it yesterday further west."""
    clock.time = 10 * DAY - HOUR
    run = await working(store)
    await run.talk(T1, "do it", "done")
    assert [day.day for day in await store.figures(0)] == [9]
    assert [day.day for day in await store.figures(10, 120)] == [10]
    assert await store.figures(10, 30) == []
    clock.time = 20 * DAY + HOUR
    await run.talk(T2, "do it", "done")
    assert [day.day for day in await store.figures(11, -120)] == [19]


async def test_a_deleted_session_counts_and_a_purged_one_does_not(store: Store) -> None:
    run = await working(store)
    await run.talk(T1, "do it", "done")
    await store.append(S1, [e.SessionDeleted()])
    assert (await total(store)).turns == 1
    assert [(size.session, size.deleted) for size in await store.sizes(5)] == [(S1, True)]
    await store.purge(S1)
    assert await store.figures(0) == []
    assert await store.sizes(5) == []


async def test_an_admitted_log_is_counted_by_its_own_times(store: Store, clock: Clock) -> None:
    clock.time = 10 * DAY
    run = await working(store)
    await run.talk(T1, "do it", "done")
    clock.time = 99 * DAY
    await store.admit(SessionId("copy"), await log(store))
    assert [(day.day, day.figures.turns) for day in await store.figures(0)] == [(10, 2)]


async def test_the_largest_session_comes_first_with_the_size_of_its_events(store: Store) -> None:
    """All events up to the end of the last turn, to the byte."""
    small = await created(store, SessionId("s2"), title="Small")
    for session, text in ((S1, "x" * 5_000), (small, "x")):
        run = await Run.claim(store, session)
        await run.talk(T1, "do it", text)
    expected = sum(len(codec.encode(record.event)) for record in await log(store))
    sizes = await store.sizes(5)
    assert [(size.session, size.title) for size in sizes] == [(S1, "A title"), (small, "Small")]
    assert sizes[0].bytes == expected
    assert [size.session for size in await store.sizes(1)] == [S1]
