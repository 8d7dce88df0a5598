"""Append intents to one session: `intents.py FOLDER BELLS SESSION NAME COUNT`.

Begins when told to; reports its worst commit.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

from holdfast.core.events import TurnSubmitted
from holdfast.core.ids import SessionId, TurnId
from holdfast.store.sqlite.store import SqliteStore


async def main(folder: str, bells: str, session: str, name: str, count: str) -> None:
    store = await SqliteStore.open_folder(Path(folder))
    store.hear_of(SessionId(session), Path(bells))
    print("ready", flush=True)
    sys.stdin.readline()
    worst = 0.0
    for number in range(int(count)):
        turn = TurnId(f"{name}-{number}")
        began = time.monotonic()
        await store.append(SessionId(session), [TurnSubmitted(turn=turn, text=f"{number}")], key=f"turn:{turn}")
        worst = max(worst, time.monotonic() - began)
    await store.close()
    print(json.dumps({"worst": worst}), flush=True)


asyncio.run(main(*sys.argv[1:]))
