"""A runner in miniature: claim a session, start a turn, and append until somebody ends it."""

import asyncio
import sys
from pathlib import Path

from holdfast.core.events import RunnerStarted, SessionCreated, TextAppended, TurnStarted, TurnSubmitted
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Position
from holdfast.core.recovery import loss
from holdfast.store.sqlite.store import SqliteStore


async def main(folder: Path, session: SessionId) -> None:
    store = await SqliteStore.open_folder(folder)
    turn = TurnId("turn")
    await store.create(session, SessionCreated(title=session))
    await store.append(session, [TurnSubmitted(turn=turn, text="go")], key="turn:turn")
    epoch = (await store.claim(session, loss)).epoch
    await store.append(session, [RunnerStarted(), TurnStarted(turn=turn)], position=Position(epoch=epoch, n=1))
    print("ready", flush=True)
    n = 2
    while True:
        words = [TextAppended(turn=turn, text=f" {session}-{n + i}") for i in range(1, 6)]
        await store.append(session, words, position=Position(epoch=epoch, n=n + 1))
        n += len(words)


asyncio.run(main(Path(sys.argv[1]), SessionId(sys.argv[2])))
