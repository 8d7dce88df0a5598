"""Follow a log: read what is there, then wait for more. Written once, over `read` and `wait`.

A bell that is lost costs at most `POLL` seconds, never a record.
"""

from collections.abc import AsyncIterator

from holdfast.core.ids import SessionId
from holdfast.core.records import Record
from holdfast.store.protocol import Store

POLL = 1.0
BATCH = 500


async def tail(store: Store, session: SessionId, after: int = 0) -> AsyncIterator[list[Record]]:
    """Yield the records after `after` in batches, in order, without a gap or a double, for ever."""
    while True:
        records = await store.read(session, after, BATCH)
        if records:
            after = records[-1].seq
            yield records
        if len(records) < BATCH:
            await store.wait(session, after, POLL)
