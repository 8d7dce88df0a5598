"""Questions in the dialect, where they are called clarify: poll, stream, respond."""

from starlette.types import ASGIApp

from holdfast.core.askqueue import AskQueue
from holdfast.core.errors import BadCommand
from holdfast.core.items import Question
from holdfast.server.dialect import values as v
from holdfast.server.dialect.addressed import SessionQuery, meant_ask, named_session, opened
from holdfast.server.dialect.answering import answered_once
from holdfast.server.dialect.refusals import refuse_question
from holdfast.server.dialect.subscription import subscribed
from holdfast.server.endpoint import JSONBody, get, post, refusing, streaming
from holdfast.server.schema.asks import AskAnswer
from holdfast.server.wired import Caller, Wired

DESCRIPTION = """Server-sent events. `initial` comes first, with what waits now; then `clarify`, once for each change
of the queue and in the order of the changes. Each carries what the poll would have said then. A comment comes at least
every ten seconds."""


@get("/api/clarify/pending", summary="The oldest question that waits, and how many do")
async def pending_questions(wiring: Wired, session_id: SessionQuery = None) -> v.PendingQuestions:
    session = await named_session(wiring, session_id)
    return v.pending_questions(session, AskQueue((await opened(wiring, session)).session, Question))


@get(
    "/api/clarify/stream",
    summary="Follow the questions that wait",
    **streaming(DESCRIPTION),
)
async def stream_questions(wiring: Wired, session_id: SessionQuery = None) -> ASGIApp:
    return await subscribed(wiring, session_id, Question, "clarify", v.pending_questions)


@post("/api/clarify/respond", summary="Answer a question, or the oldest that waits", status=200)
async def respond_to_question(wiring: Wired, client: Caller, data: JSONBody[v.QuestionResponse]) -> v.QuestionTaken:
    session, text = await named_session(wiring, data.session_id), _text(data)
    ask = await meant_ask(wiring, session, data.clarify_id, Question)
    await answered_once(wiring, session, ask, client, AskAnswer(text=text))
    return v.QuestionTaken(response=text, clarify_id=ask)


def _text(data: v.QuestionResponse) -> str:
    said = next((text for text in (data.response, data.answer, data.choice) if text), None)
    if said is None:
        raise BadCommand("response is required")
    return said


ROUTES = refusing(refuse_question, pending_questions, stream_questions, respond_to_question)
