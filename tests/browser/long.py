"""A session as it is after years: written straight into the store, as its runners would have written it."""

import asyncio
import threading
from pathlib import Path

from holdfast.core import events as e
from holdfast.core.ids import SessionId, TurnId
from holdfast.settings import read_settings
from holdfast.store.sqlite.store import Options, SqliteStore
from tests.store.stage import Run

BATCH = 500


def write_long_session(home: Path, session: SessionId, *, turns: int) -> None:
    """In a thread of its own: Playwright keeps an event loop in this one."""
    writer = threading.Thread(target=lambda: asyncio.run(_write(home, session, turns)))
    writer.start()
    writer.join()


async def _write(home: Path, session: SessionId, turns: int) -> None:
    settings = read_settings({}, home=home)
    store = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells))
    try:
        await store.create(session, e.SessionCreated(title="A long one"))
        run = await Run.claim(store, session)
        for first in range(1, turns + 1, BATCH):
            numbers = range(first, min(first + BATCH, turns + 1))
            names = {number: TurnId(f"t{number}") for number in numbers}
            await store.append(
                session, [e.TurnSubmitted(turn=names[number], text=f"question {number}") for number in numbers]
            )
            await run.write(*(fact for number in numbers for fact in _facts(names[number], number)))
        await run.write(e.RunnerStopped())
    finally:
        await store.close()


def _facts(turn: TurnId, number: int) -> list[e.AnyFact]:
    return [
        e.TurnStarted(turn=turn),
        e.TextAppended(turn=turn, text=f"answer {number}"),
        e.TurnEnded(turn=turn, outcome="completed"),
    ]
