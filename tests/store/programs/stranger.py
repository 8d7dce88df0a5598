"""Try to open a store as somebody who may not write it: `stranger.py FOLDER`. Prints what it is told."""

import asyncio
import os
import sys
from pathlib import Path

from holdfast.core.errors import StoreError
from holdfast.store.sqlite.store import SqliteStore

NOBODY = 65534


async def main(folder: Path) -> None:
    try:
        store = await SqliteStore.open_folder(folder)
    except StoreError as error:
        print(f"{type(error).__name__}: {error}")
    else:
        await store.close()
        print("It was opened.")


if os.geteuid() == 0:  # root may do everything, so it becomes somebody else, now that all is imported
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
asyncio.run(main(Path(sys.argv[1])))
