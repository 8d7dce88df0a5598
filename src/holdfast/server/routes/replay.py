"""A turn in outline: what a time line needs to be drawn before the records themselves are there."""

from litestar import get
from litestar.params import FromPath

from holdfast.core import ids
from holdfast.core.decide import turn_key
from holdfast.core.errors import NoSuchTurn
from holdfast.core.outline import Outline
from holdfast.server.schema import TurnOutline, wire
from holdfast.server.wired import Wired
from holdfast.transfer.export import begun

READ_AT_ONCE = 5_000


@get(
    "/api/sessions/{session_id:str}/turns/{turn_id:str}/outline",
    summary="When each record of a turn was written, which decided something, and where it failed",
    description="The records themselves are those after `first - 1`. A turn that left the transcript has one too.",
)
async def outline_turn(wiring: Wired, session_id: FromPath[str], turn_id: FromPath[str]) -> TurnOutline:
    session, turn = ids.session_id(session_id), ids.turn_id(turn_id)
    await begun(wiring.store, session)
    # What came from elsewhere has no key: it is looked for from the beginning.
    after = max(0, await wiring.store.keyed(session, turn_key(turn)) - 1)
    outline = Outline(turn)
    while not outline.over and (records := await wiring.store.read(session, after, READ_AT_ONCE)):
        after = records[-1].seq
        for record in records:
            outline.take(record)
    if not outline.finish() or outline.said is None:
        raise NoSuchTurn(turn)
    return TurnOutline(
        first=outline.first,
        said=wire(outline.said),
        epoch=outline.epoch,
        times=_steps(outline.times),
        decisive=[wire(record) for record in outline.decisive],
        failures=outline.failures,
        whole=outline.whole,
    )


def _steps(times: list[int]) -> list[int]:
    """The first time, then how much later each of the others is: most are few digits."""
    return [time - before for time, before in zip(times, [0, *times], strict=False)]


ROUTES = (outline_turn,)
