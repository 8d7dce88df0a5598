"""Open the stores that are named on standard input, one a line, and create the same session in each."""

import asyncio
import sys
from pathlib import Path

from holdfast.core.events import SessionCreated
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import SqliteStore


async def found(folder: Path) -> str:
    store = await SqliteStore.open_folder(folder)
    appended = await store.create(SessionId("s1"), SessionCreated(title="The same"))
    lineage = await store.lineage()
    await store.close()
    return f"{appended.written} {lineage}"


print("ready", flush=True)
for line in sys.stdin:
    print(asyncio.run(found(Path(line.strip()))), flush=True)
