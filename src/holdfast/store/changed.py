"""The rows of the session list that changed since one last looked: all of them, the first time."""

from collections.abc import AsyncGenerator

from holdfast.store.protocol import Row, Store

ROWS = 100
"""How many are in memory at once, of however many sessions there are."""


class Changed:
    """One reader's place in the changes of the list."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._change = 0

    async def rows(self) -> AsyncGenerator[Row]:
        """What has changed. A row that its reader did not come to the end of is given again."""
        while rows := await self._store.changes(self._change, ROWS):
            for row in rows:
                yield row
                self._change = row.change
