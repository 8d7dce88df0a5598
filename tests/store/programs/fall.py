"""Meet a fault while writing: `fall.py FOLDER FAULTS VERB`, where the verb is `intent`, `facts` or `claim`."""

import asyncio
import sys
from pathlib import Path

from holdfast import faults
from holdfast.core import recovery
from holdfast.core.events import TextAppended, TurnEnded, TurnSubmitted
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.records import Position
from holdfast.store.sqlite.store import SqliteStore

S1 = SessionId("s1")
T1, T2 = TurnId("t1"), TurnId("t2")
INTENT = TurnSubmitted(turn=T2, text="from the other process")
FACTS = [TextAppended(turn=T1, text="last words"), TurnEnded(turn=T1, outcome="completed")]
POSITION = Position(epoch=1, n=3)
"""The facts before: the runner's start and the turn's."""


async def write(store: SqliteStore, verb: str) -> object:
    match verb:
        case "intent":
            return await store.append(S1, [INTENT], key="turn:t2")
        case "facts":
            return await store.append(S1, FACTS, position=POSITION)
        case _:
            return await store.claim(S1, recovery.loss)


async def main(folder: str, armed: str, verb: str) -> None:
    store = await SqliteStore.open_folder(Path(folder))
    faults.arm(armed)
    print("ready", flush=True)
    print(await write(store, verb), flush=True)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
