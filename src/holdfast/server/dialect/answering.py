"""An answer in the dialect: given in the one way there is, and only once."""

from holdfast.core.ids import AskId, SessionId
from holdfast.server.act import record_at
from holdfast.server.overruled import answered_before
from holdfast.server.routes.asks import answer
from holdfast.server.schema.asks import AskAnswer
from holdfast.server.wiring import Wiring


async def answered_once(wiring: Wiring, session: SessionId, ask: AskId, client: str, data: AskAnswer) -> None:
    """Raise `Overruled` for the same answer again: a request has no id here, so it can't be told from a second one."""
    given = await answer(wiring, session, ask, client, data)
    if given.again:
        raise answered_before(await record_at(wiring, session, given.answered.seq))
