"""A log that was written elsewhere is taken in whole, once, with its own times."""

import pytest

from holdfast.core import events as e
from holdfast.core import window
from holdfast.core.errors import BadCommand
from holdfast.core.ids import HOUSE, SessionId
from holdfast.core.records import Record
from holdfast.core.session import replay
from holdfast.store.protocol import Query, Store
from holdfast.transfer.scribe import Scribe
from tests.core.shelf import joined
from tests.store.stage import EVERYTHING, Run, shown

OLD = SessionId("old1")


def log(turns: int = 3) -> list[Record]:
    created = e.SessionCreated(title="From elsewhere", agent="hermes", client="import")
    scribe = Scribe(OLD, 1_700_000_000_000, created, e.SessionImported(source="elsewhere", name="x"))
    for number in range(turns):
        scribe.submit(f"Question {number}", 1_700_000_001_000 + number)
        scribe.think("Hm.")
        scribe.call("c", "read", "{}")
        scribe.result("c", "words " * 100)
        scribe.say("Answer. " * 3000)
    scribe.submit("Last", 1_700_000_900_000)
    scribe.recover()
    scribe.say("Found later")
    scribe.end("interrupted", 1_700_000_901_000, "It died.", "neutral")
    return scribe.finish([])


async def test_it_reads_as_if_it_had_been_held_here(empty: Store) -> None:
    records = log(40)
    admitted = await empty.admit(OLD, records)
    assert (admitted.first, admitted.last, admitted.written) == (1, len(records), len(records))
    assert await empty.read(OLD, 0, EVERYTHING) == records
    assert await shown(empty, OLD) == joined(window.transcript(replay(records)))
    row = (await empty.sessions(Query())).rows[0]
    assert (row.id, row.overview.active_at, row.overview.unseen) == (OLD, 1_700_000_901_000, False)
    assert row.overview.uncommitted == 0


async def test_the_same_again_writes_nothing_and_so_does_another(empty: Store) -> None:
    records = log()
    await empty.admit(OLD, records)
    assert (await empty.admit(OLD, log(1))).written == 0
    assert await empty.read(OLD, 0, EVERYTHING) == records


async def test_it_takes_the_place_of_another_that_may_go(empty: Store) -> None:
    """Nothing of the one before is left, neither in its log nor in what is found."""
    await empty.admit(OLD, log(40))
    await empty.append(OLD, [e.SessionRenamed(title="Mine")], key="k")
    records = log(1)
    admitted = await empty.admit(OLD, records, lambda there: there.title == "Mine")
    assert (admitted.first, admitted.last, admitted.written) == (1, len(records), len(records))
    assert await empty.read(OLD, 0, EVERYTHING) == records
    assert await shown(empty, OLD) == joined(window.transcript(replay(records)))
    assert [row.overview.title for row in (await empty.sessions(Query())).rows] == ["From elsewhere"]
    assert await empty.keyed(OLD, "k") == 0
    assert {hit.k for hit in await empty.search("Question 2")} == set()
    run = await Run.claim(empty, OLD)
    assert run.epoch == 2


async def test_one_that_may_not_go_stays_as_it_is(empty: Store) -> None:
    """Who decides sees it as it is at that moment, not as it was when somebody looked."""
    records = log()
    await empty.admit(OLD, records)
    await empty.append(OLD, [e.SessionRenamed(title="Mine")])
    refused = await empty.admit(OLD, log(1), lambda there: there.seq == len(records))
    assert (refused.last, refused.written) == (len(records) + 1, 0)
    assert [record.seq for record in await empty.read(OLD, len(records), EVERYTHING)] == [len(records) + 1]


async def test_a_log_that_can_not_be_taken_in_replaces_nothing(empty: Store) -> None:
    records = log()
    await empty.admit(OLD, records)
    with pytest.raises(BadCommand):
        await empty.admit(OLD, log()[1:], lambda _: True)
    assert await empty.read(OLD, 0, EVERYTHING) == records


async def test_the_house_is_never_replaced(empty: Store) -> None:
    await empty.append(HOUSE, [e.DefaultsChosen(model="m")])
    before = await empty.read(HOUSE, 0, EVERYTHING)
    assert (await empty.admit(HOUSE, log(), lambda _: True)).written == 0
    assert await empty.read(HOUSE, 0, EVERYTHING) == before


async def test_the_next_runner_is_a_new_owner(empty: Store) -> None:
    await empty.admit(OLD, log())
    run = await Run.claim(empty, OLD)
    assert run.epoch == 2


async def test_a_log_without_a_beginning_is_refused(empty: Store) -> None:
    with pytest.raises(BadCommand):
        await empty.admit(OLD, log()[1:])
    with pytest.raises(BadCommand):
        await empty.admit(OLD, [])
    assert (await empty.sessions(Query())).rows == []
