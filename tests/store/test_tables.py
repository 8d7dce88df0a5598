"""What lies in the database, seen by another process."""

from pathlib import Path

import pytest

from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import DATABASE, SqliteStore
from tests.store.children import look
from tests.store.stage import T1, Run, created

SESSION_TABLES = (
    "sessions",
    "records",
    "keys",
    "epochs",
    "attachments",
    "overviews",
    "tags",
    "checkpoints",
    "items",
    "figures",
    "counts",
)


def counts(folder: Path) -> dict[str, int]:
    tables = (*SESSION_TABLES, "words_docsize")
    sql = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables)
    return {str(name): int(count) for name, count in look(folder / DATABASE, sql)}


async def test_a_purged_session_leaves_nothing_in_any_table(sqlite: SqliteStore, folder: Path) -> None:
    """Neither words nor keys nor records: what was thrown away for good is gone."""
    before = counts(folder)
    other = await created(sqlite, SessionId("s2"))
    attachment = e.Attachment(name="a.txt", blob="b1")
    await sqlite.append(other, [e.TurnSubmitted(turn=T1, text="words", attachments=(attachment,))], key="turn:t1")
    await sqlite.append(other, [e.SessionChanged(tags=("x",))])
    run = await Run.claim(sqlite, other)
    await run.write(e.TurnStarted(turn=T1), e.TextAppended(turn=T1, text="more words"))
    await run.end()
    await Run.claim(sqlite, other)
    assert len(await sqlite.search("words")) == 2
    during = counts(folder)
    assert [name for name in during if during[name] <= before[name]] == []
    await sqlite.purge(other)
    assert counts(folder) == before


@pytest.mark.usefixtures("sqlite")
async def test_the_house_has_number_one(folder: Path) -> None:
    """Its records come first, and it is no line of the list."""
    assert look(folder / DATABASE, "SELECT number, id FROM sessions ORDER BY number") == [[1, "house"], [2, "s1"]]
    assert look(folder / DATABASE, "SELECT session FROM overviews") == [[2]]
