"""Approvals and questions: what waits for a person, and the person's answer."""

from litestar import get, post
from litestar.params import FromPath, JSONBody

from holdfast.core import commands as c
from holdfast.core import ids
from holdfast.core.errors import BadCommand
from holdfast.core.overview import open_asks
from holdfast.server.act import act
from holdfast.server.schema import Answered, AskAnswer, Asks
from holdfast.server.wired import Caller, Wired


@get("/api/sessions/{session_id:str}/asks", summary="What waits for an answer, oldest first")
async def list_asks(wiring: Wired, session_id: FromPath[str]) -> Asks:
    opened = await wiring.store.open(ids.session_id(session_id))
    asks = open_asks(opened.session)
    return Asks(
        head=asks[0] if asks else None,
        count=len(asks),
        asks=asks,
        seq=opened.session.seq,
        lineage=opened.lineage,
    )


@post("/api/sessions/{session_id:str}/asks/{ask_id:str}", summary="Answer an approval or a question", status_code=200)
async def answer_ask(
    wiring: Wired, client: Caller, session_id: FromPath[str], ask_id: FromPath[str], data: JSONBody[AskAnswer]
) -> Answered:
    session, ask = ids.session_id(session_id), ids.ask_id(ask_id)
    outcome = await act(wiring, session, _command(ask, client, data))
    return Answered(session=session, ask=ask, seq=outcome.seq)


def _command(ask: ids.AskId, client: Caller, data: AskAnswer) -> c.Command:
    match data:
        case AskAnswer(choice=choice, text=None) if choice is not None:
            return c.AnswerApproval(ask=ask, choice=choice, reason=data.reason, client=client)
        case AskAnswer(choice=None, text=text) if text is not None:
            return c.AnswerQuestion(ask=ask, text=text, client=client)
        case _:
            raise BadCommand("Give a choice to answer an approval, or a text to answer a question.")


ROUTES = (list_asks, answer_ask)
