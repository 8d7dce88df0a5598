"""Tail sessions: `follow.py FOLDER BELLS SESSION:UNTIL ...`. Reports every seq and event that it read."""

import asyncio
import json
import sys
from pathlib import Path

from holdfast.core import codec
from holdfast.core.ids import SessionId
from holdfast.store.sqlite.store import Options, SqliteStore
from holdfast.store.tail import tail


async def follow(store: SqliteStore, name: str, until: int) -> list[tuple[int, str]]:
    read: list[tuple[int, str]] = []
    async for records in tail(store, SessionId(name)):
        read += [(record.seq, codec.encode(record.event).decode()) for record in records]
        if read[-1][0] >= until:
            break
    return read


async def main(folder: str, bells: str, *wanted: str) -> None:
    store = await SqliteStore.open_folder(Path(folder), Options(bells=Path(bells)))
    print("ready", flush=True)
    sys.stdin.readline()
    ends = dict(entry.split(":") for entry in wanted)
    read = await asyncio.gather(*(follow(store, name, int(until)) for name, until in ends.items()))
    await store.close()
    print(json.dumps(dict(zip(ends, read, strict=True))), flush=True)


asyncio.run(main(*sys.argv[1:]))
