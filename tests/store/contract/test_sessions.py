"""The contract of the session list: what is on it, in which order, and what each line says."""

import pytest
from msgspec import UNSET

from holdfast.core import events as e
from holdfast.core.errors import BadCommand
from holdfast.core.ids import AskId, SessionId, SteerId
from holdfast.store.protocol import Query, Store
from tests.store.stage import C1, S1, T1, T2, Clock, Run, created, log, names, row, submit


async def several(store: Store, count: int) -> list[str]:
    """Sessions a0, a1, a2, ..., the newest last."""
    return [await created(store, SessionId(f"a{n}"), title=f"Number {n}") for n in range(count)]


async def change(store: Store, session: str, event: e.Event) -> None:
    await store.append(SessionId(session), [event])


async def test_sessions_are_listed_by_activity_newest_first(empty: Store) -> None:
    """What happened last stands first, whatever was created first."""
    await several(empty, 3)
    await submit(empty, session=SessionId("a0"))
    assert await names(empty) == ["a0", "a2", "a1"]


async def test_the_order_of_sessions_that_acted_at_once_is_that_of_their_creation(empty: Store, clock: Clock) -> None:
    """Equal times don't shuffle the list, and no session is skipped between two pages."""
    for number in range(5):
        clock.time = 5_000_000
        await created(empty, SessionId(f"a{number}"))
    assert await pages(empty, Query(limit=2)) == [["a4", "a3"], ["a2", "a1"], ["a0"]]


async def test_looking_at_a_session_does_not_move_it(empty: Store) -> None:
    """Renaming, tagging and seeing are no activity."""
    await several(empty, 2)
    for event in (e.SessionRenamed(title="x"), e.SessionChanged(tags=("t",), seen=1), e.TitleSuggested(title="y")):
        await change(empty, "a0", event)
    assert await names(empty) == ["a1", "a0"]


async def pages(store: Store, query: Query) -> list[list[str]]:
    """All pages of a listing, by its cursor."""
    found: list[list[str]] = []
    cursor = query.cursor
    while True:
        listing = await store.sessions(
            Query(text=query.text, project=query.project, tags=query.tags, limit=query.limit, cursor=cursor)
        )
        found.append([row.id for row in listing.rows])
        cursor = listing.cursor
        if cursor is None:
            return found


async def test_a_listing_is_continued_by_its_cursor(empty: Store) -> None:
    """Every session comes once, and the last page has no cursor."""
    await several(empty, 7)
    assert await pages(empty, Query(limit=3)) == [["a6", "a5", "a4"], ["a3", "a2", "a1"], ["a0"]]
    assert await pages(empty, Query(limit=7)) == [["a6", "a5", "a4", "a3", "a2", "a1", "a0"]]


async def test_sessions_that_did_not_move_are_shown_once_while_others_do(empty: Store) -> None:
    """What comes to the top between two pages neither hides nor doubles its neighbours."""
    await several(empty, 6)
    first = await empty.sessions(Query(limit=3))
    await submit(empty, session=SessionId("a1"))
    second = await empty.sessions(Query(limit=3, cursor=first.cursor))
    assert [row.id for row in [*first.rows, *second.rows]] == ["a5", "a4", "a3", "a2", "a0"]


@pytest.mark.parametrize("cursor", ["", "x", "1", "1.", ".1", "1.2.3", "-1.1", "9" * 30 + ".1", "1." + "9" * 30])
async def test_what_is_no_cursor_is_refused(empty: Store, cursor: str) -> None:
    """A cursor comes from a browser: anything may stand there."""
    with pytest.raises(BadCommand):
        await empty.sessions(Query(cursor=cursor))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["s3", "s2", "s1"]),
        ("grün", ["s2"]),
        ("GRUN", ["s2"]),
        ("  straße ", ["s3"]),
        ("STRASSE", ["s3"]),
        ("cafe\u0301", ["s3"]),
        ("100%", ["s1"]),
        ("_", []),
        ("%", ["s1"]),
        ("' OR 1=1 --", []),
        ("nothing like it", []),
    ],
)
async def test_titles_are_searched_without_case_and_accents(empty: Store, text: str, found: list[str]) -> None:
    """Any piece of a title finds it, and no sign in the question has a meaning of its own."""
    for name, title in [("s1", "100% Wool"), ("s2", "Das Grüne Band"), ("s3", "Café in der Straße")]:
        await created(empty, SessionId(name), title=title)
    assert await names(empty, Query(text=text)) == found


async def test_a_renamed_session_is_found_by_its_new_title(store: Store) -> None:
    """And no more by its old one."""
    await change(store, S1, e.SessionRenamed(title="Something else"))
    assert await names(store, Query(text="else")) == [S1]
    assert await names(store, Query(text="A title")) == []


async def test_archived_sessions_are_listed_apart(empty: Store) -> None:
    """They leave the list, can be asked for, and come back."""
    await several(empty, 2)
    await change(empty, "a0", e.SessionChanged(archived=True))
    assert (await names(empty), await names(empty, Query(archived=True))) == (["a1"], ["a0"])
    await change(empty, "a0", e.SessionChanged(archived=False))
    assert (await names(empty), await names(empty, Query(archived=True))) == (["a1", "a0"], [])


async def test_deleted_sessions_are_listed_apart(empty: Store) -> None:
    """Archived or not, they are only among the deleted, until they are restored."""
    await several(empty, 2)
    await change(empty, "a0", e.SessionChanged(archived=True))
    await change(empty, "a0", e.SessionDeleted())
    assert await names(empty) == ["a1"]
    assert await names(empty, Query(archived=True)) == []
    assert await names(empty, Query(deleted=True)) == ["a0"]
    await change(empty, "a0", e.SessionRestored())
    assert await names(empty, Query(archived=True)) == ["a0"]
    assert await names(empty, Query(deleted=True)) == []


async def test_sessions_are_listed_by_project(empty: Store) -> None:
    """No project asked for means all; the empty one means those without."""
    for name, project in [("s1", "p"), ("s2", ""), ("s3", "q"), ("s4", "p")]:
        await created(empty, SessionId(name), project=project)
    await change(empty, "s4", e.SessionChanged(project="q"))
    found = [await names(empty, Query(project=project)) for project in ("p", "q", "", None, "P")]
    assert found == [["s1"], ["s4", "s3"], ["s2"], ["s4", "s3", "s2", "s1"], []]


async def test_sessions_are_listed_by_tag(empty: Store) -> None:
    """A session has any number of tags, each whole; a new set replaces the old."""
    await several(empty, 3)
    await change(empty, "a0", e.SessionChanged(tags=("work", "rust")))
    await change(empty, "a1", e.SessionChanged(tags=("work", "work")))
    assert await names(empty, Query(tags=("work",))) == ["a1", "a0"]
    assert await names(empty, Query(tags=("wor",))) == []
    await change(empty, "a0", e.SessionChanged(tags=("rust",)))
    assert await names(empty, Query(tags=("work",))) == ["a1"]
    assert await names(empty, Query(tags=("rust",))) == ["a0"]


async def test_every_tag_that_is_asked_for_must_be_there(empty: Store) -> None:
    """In whatever order they are named; a session that moves in the list moves in that of its tags."""
    await several(empty, 3)
    for name, tags in (("a0", ("x", "y")), ("a1", ("x",)), ("a2", ("y", "x"))):
        await change(empty, name, e.SessionChanged(tags=tags))
    assert await names(empty, Query(tags=("x", "y"))) == await names(empty, Query(tags=("y", "x"))) == ["a2", "a0"]
    assert await names(empty, Query(tags=("x", "z"))) == []
    await submit(empty, session=SessionId("a0"))
    assert await pages(empty, Query(tags=("x",), limit=1)) == [["a0"], ["a2"], ["a1"]]
    await change(empty, "a2", e.SessionChanged(archived=True))
    assert await names(empty, Query(tags=("x",))) == ["a0", "a1"]
    assert await names(empty, Query(tags=("x",), archived=True)) == ["a2"]
    await change(empty, "a0", e.SessionDeleted())
    assert await names(empty, Query(tags=("x",))) == ["a1"]
    assert await names(empty, Query(tags=("y",), deleted=True)) == ["a0"]


async def test_what_stands_on_top_can_be_asked_for_by_label(empty: Store) -> None:
    await several(empty, 3)
    for name in ("a0", "a1"):
        await change(empty, name, e.SessionChanged(pinned=True, tags=("x",), project=name))
    assert await names(empty, Query(on_top=True)) == ["a1", "a0"]
    assert await names(empty, Query(on_top=True, tags=("x",), project="a0")) == ["a0"]
    await change(empty, "a0", e.SessionChanged(pinned=False))
    assert await names(empty, Query(on_top=True)) == ["a1"]


async def test_labels_are_those_of_the_list_the_most_used_first(empty: Store) -> None:
    """What is archived or deleted does not count; of equals the first by name comes first; no more than asked for."""
    for number, (project, tags) in enumerate(
        [("p", ("x",)), ("q", ("y", "x", "x")), ("p", ()), ("", ("z",)), ("gone", ("gone",)), ("gone", ("z",))]
    ):
        await created(empty, SessionId(f"s{number}"), project=project)
        await change(empty, f"s{number}", e.SessionChanged(tags=tags))
    await change(empty, "s4", e.SessionChanged(archived=True))
    await change(empty, "s5", e.SessionDeleted())
    found = await empty.labels(9)
    assert [(label.name, label.sessions) for label in found.projects] == [("p", 2), ("q", 1)]
    assert [(label.name, label.sessions) for label in found.tags] == [("x", 2), ("y", 1), ("z", 1)]
    few = await empty.labels(1)
    assert [label.name for label in (*few.projects, *few.tags)] == ["p", "x"]


async def test_filters_hold_together_and_on_every_page(empty: Store) -> None:
    """Text, project and tag are all asked of each session, also by a continued listing."""
    for number in range(9):
        name = SessionId(f"a{number}")
        await created(empty, name, title="even" if number % 2 == 0 else "odd", project="p" if number < 8 else "q")
        await change(empty, name, e.SessionChanged(tags=("t",) if number else ()))
    assert await pages(empty, Query(text="even", project="p", tags=("t",), limit=2)) == [["a6", "a4"], ["a2"]]


# What a line says.


async def test_a_line_tells_what_a_session_is(empty: Store, clock: Clock) -> None:
    """Its title, agent, model, workspace, project, tags, pin and times."""
    session = e.SessionCreated(
        title="A title", agent="scripted", model="m", workspace="/w", project="p", tags=("x", "y")
    )
    await empty.create(S1, session)
    created_at = clock.time
    await change(empty, S1, e.SessionChanged(pinned=True))
    line = (await row(empty)).overview
    assert (line.title, line.agent, line.model, line.workspace) == ("A title", "scripted", "m", "/w")
    assert (line.project, line.tags, line.pinned) == ("p", ("x", "y"), True)
    assert (line.created, line.active_at) == (created_at, created_at)


async def test_a_line_follows_its_session_through_a_turn(store: Store, clock: Clock) -> None:
    """Idle, queued, running since when and with what, waiting for whom, and idle again with an outcome."""
    assert (await row(store)).overview.state == "idle"
    await submit(store)
    assert ((await row(store)).overview.state, (await row(store)).overview.queued) == ("queued", 1)
    run = await Run.claim(store)
    await run.write(e.TurnStarted(turn=T1))
    started = clock.time
    await run.write(e.ThoughtAppended(turn=T1, text="hm"))
    line = (await row(store)).overview
    assert (line.state, line.turn_started, line.doing, line.queued) == ("running", started, "thinking", 0)
    await run.write(e.ToolChanged(turn=T1, call=C1, first=True, title="Read the file", status="running"))
    assert (await row(store)).overview.doing == "Read the file"
    await run.write(e.UsageReported(turn=T1, cost=7), e.UsageReported(turn=T1, cost=5))
    assert (await row(store)).overview.cost == 12
    await run.end(outcome="failed")
    line = (await row(store)).overview
    assert (line.state, line.outcome, line.turn_started, line.doing) == ("idle", "failed", 0, "")
    assert line.active_at == clock.time


async def test_a_line_tells_how_far_the_plan_is(store: Store) -> None:
    """Steps done of steps in all, while the turn runs."""
    run = await Run.claim(store)
    await run.start()
    steps = (e.PlanEntry(text="a", status="completed"), e.PlanEntry(text="b", status="running"), e.PlanEntry(text="c"))
    await run.write(e.PlanReplaced(turn=T1, entries=steps))
    line = (await row(store)).overview
    assert (line.plan_done, line.plan_total) == (1, 3)


async def test_a_line_tells_who_waits_and_for_what(store: Store) -> None:
    """The number of open asks, the oldest one's text and id; an answered one waits no more."""
    run = await Run.claim(store)
    await run.start()
    await run.write(
        e.ApprovalRequested(ask=AskId("a1"), turn=T1, command="rm -r build"),
        e.QuestionAsked(ask=AskId("q1"), turn=T1, text="Which one?"),
    )
    line = (await row(store)).overview
    assert (line.state, line.waiting, line.ask, line.ask_kind) == ("waiting", 2, "rm -r build", "approval")
    assert line.ask_id == "a1"
    await store.append(S1, [e.ApprovalAnswered(ask=AskId("a1"), choice="deny")])
    line = (await row(store)).overview
    assert (line.state, line.waiting, line.ask, line.ask_kind) == ("waiting", 1, "Which one?", "question")
    assert line.ask_id == "q1"
    await store.append(S1, [e.QuestionAnswered(ask=AskId("q1"), text="this")])
    line = (await row(store)).overview
    assert (line.state, line.waiting, line.ask, line.ask_id) == ("running", 0, "", "")


async def test_a_line_tells_whether_there_is_something_new(store: Store) -> None:
    """`seen` only rises, never beyond the log, and what happens after it is unseen."""
    run = await Run.claim(store)
    await run.start()
    assert (await row(store)).overview.unseen
    head = len(await log(store))
    await change(store, S1, e.SessionChanged(seen=head))
    assert not (await row(store)).overview.unseen
    await change(store, S1, e.SessionChanged(seen=1))
    assert (await row(store)).overview.seen == head
    await run.end()
    assert (await row(store)).overview.unseen
    await change(store, S1, e.SessionChanged(seen=1_000_000))
    assert (await row(store)).overview.seen == len(await log(store))


# Changes.


async def test_changes_are_told_oldest_first(empty: Store) -> None:
    """Whoever knows a change number reads what is newer, each session once, as it is now."""
    await several(empty, 3)
    start = (await empty.sessions(Query())).change
    assert await empty.changes(start, 10) == []
    await submit(empty, session=SessionId("a2"))
    await change(empty, "a0", e.SessionRenamed(title="New"))
    await submit(empty, T2, session=SessionId("a2"))
    rows = await empty.changes(start, 10)
    assert [row.id for row in rows] == ["a0", "a2"]
    assert [row.change for row in rows] == sorted(row.change for row in rows)
    assert rows[0].overview.title == "New"
    assert rows[1].overview.queued == 2
    assert [row.id for row in await empty.changes(start, 1)] == ["a0"]
    assert [row.id for row in await empty.changes(rows[0].change, 10)] == ["a2"]


async def test_a_listing_tells_the_change_from_which_to_go_on(empty: Store) -> None:
    """Listing and then following misses nothing: archived and deleted sessions are told too."""
    await several(empty, 2)
    listing = await empty.sessions(Query())
    assert listing.change == max(row.change for row in listing.rows)
    await change(empty, "a0", e.SessionDeleted())
    (gone,) = await empty.changes(listing.change, 10)
    assert (gone.id, bool(gone.overview.deleted)) == ("a0", True)


async def test_a_streaming_word_changes_no_line(store: Store) -> None:
    """The list is written on changes of state only, never per word."""
    run = await Run.claim(store)
    await run.start()
    await run.say("first ")
    change_number = (await store.sessions(Query())).change
    for _ in range(5):
        await run.say("word ")
    await store.append(S1, [e.TurnSteered(turn=T1, steer=SteerId("x"), text="no"), e.SessionChanged(seen=UNSET)])
    assert (await store.sessions(Query())).change == change_number
