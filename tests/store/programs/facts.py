"""Run a turn in a session of one's own: `facts.py FOLDER BELLS SESSION BATCHES`.

Begins when told to; reports its worst commit.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

from holdfast.core.events import Event, RunnerStarted, TextAppended, ToolChanged, TurnEnded, TurnStarted
from holdfast.core.ids import CallId, SessionId, TurnId
from holdfast.core.records import Position
from holdfast.store.sqlite.connection import RUNNER_AUTOCHECKPOINT
from holdfast.store.sqlite.store import Options, SqliteStore

TURN = TurnId("t1")


def batch(number: int) -> list[Event]:
    words: list[Event] = [TextAppended(turn=TURN, text=f"{number}.{word} ") for word in range(4)]
    return [*words, ToolChanged(turn=TURN, call=CallId(f"c{number}"), first=True, status="completed", output="x" * 500)]


async def main(folder: str, bells: str, name: str, batches: str) -> None:
    session = SessionId(name)
    store = await SqliteStore.open_folder(Path(folder), Options(autocheckpoint=RUNNER_AUTOCHECKPOINT))
    store.hear_of(session, Path(bells))
    print("ready", flush=True)
    sys.stdin.readline()
    claimed = await store.claim(session, lambda _: [RunnerStarted()])
    n, worst = 2, 0.0
    texts = [[TurnStarted(turn=TURN)], *map(batch, range(int(batches))), [TurnEnded(turn=TURN, outcome="completed")]]
    for facts in texts:
        began = time.monotonic()
        await store.append(session, facts, position=Position(epoch=claimed.epoch, n=n))
        worst = max(worst, time.monotonic() - began)
        n += len(facts)
    await store.close()
    print(json.dumps({"worst": worst}), flush=True)


asyncio.run(main(*sys.argv[1:]))
