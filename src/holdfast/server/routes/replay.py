"""A turn in outline: what a time line needs to be drawn before the records themselves are there."""

from holdfast.core import ids
from holdfast.core.decide import turn_key
from holdfast.core.errors import NotSettled
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.outline import Outline
from holdfast.core.records import Record
from holdfast.server.endpoint import FromPath, get
from holdfast.server.schema.records import wire
from holdfast.server.schema.sessions import TurnOutline
from holdfast.server.wired import Wired
from holdfast.store.protocol import Store
from holdfast.transfer.export import begun

READ_AT_ONCE = 200


@get(
    "/api/sessions/{session_id}/turns/{turn_id}/outline",
    summary="When each record of a turn was written, which decided something, and where it failed",
    description="The records themselves are those after `first - 1`. A turn that left the transcript has one too.",
)
async def outline_turn(wiring: Wired, session_id: FromPath[str], turn_id: FromPath[str]) -> TurnOutline:
    session, turn = ids.session_id(session_id), ids.turn_id(turn_id)
    await begun(wiring.store, session)
    outline = await outlined(wiring.store, session, turn)
    if outline.said is None or not outline.first:
        raise NotSettled(turn)
    times = await wiring.store.times(session, outline.first - 1, outline.last)
    return TurnOutline(
        first=outline.first,
        said=wire(outline.said),
        epoch=outline.epoch,
        times=_steps(times),
        decisive=[wire(record) for record in outline.decisive],
        failures=outline.failures,
        whole=outline.whole,
    )


async def outlined(store: Store, session: SessionId, turn: TurnId) -> Outline:
    # What came from elsewhere has no key: it is looked for from the beginning.
    after = max(0, await store.keyed(session, turn_key(turn)) - 1)
    outline = Outline(turn)
    while not outline.over and (records := await store.telling(session, after, READ_AT_ONCE)):
        after = records[-1].seq
        for record in records:
            outline.take(record)
    head, tail, after = await store.wait(session, -1, 0), list[Record](), outline.ended
    last = outline.over - 1 if outline.over else head
    while outline.ended and after < last and (records := await store.read(session, after, READ_AT_ONCE)):
        after = records[-1].seq
        tail += records
    outline.close(head, tail)
    return outline


def _steps(times: list[int]) -> list[int]:
    """The first time, then how much later each of the others is: most are few digits."""
    return [time - before for time, before in zip(times, [0, *times], strict=False)]


ROUTES = (outline_turn,)
