"""Approvals in the dialect: poll, stream, respond."""

from typing import cast, get_args

from starlette.types import ASGIApp

from holdfast.core.askqueue import AskQueue
from holdfast.core.errors import BadCommand
from holdfast.core.events import Choice
from holdfast.core.items import Approval
from holdfast.server.dialect import values as v
from holdfast.server.dialect.addressed import SessionQuery, meant_ask, named_session, opened
from holdfast.server.dialect.answering import answered_once
from holdfast.server.dialect.refusals import refuse_approval
from holdfast.server.dialect.subscription import subscribed
from holdfast.server.endpoint import JSONBody, get, post, refusing, streaming
from holdfast.server.schema.asks import AskAnswer
from holdfast.server.wired import Caller, Wired

DESCRIPTION = """Server-sent events. `initial` comes first, with what waits now; then `approval`, once for each change
of the queue and in the order of the changes. Each carries what the poll would have said then. A comment comes at least
every ten seconds."""


@get("/api/approval/pending", summary="The oldest approval that waits, and how many do")
async def pending_approvals(wiring: Wired, session_id: SessionQuery = None) -> v.PendingApprovals:
    session = await named_session(wiring, session_id)
    return v.pending_approvals(session, AskQueue((await opened(wiring, session)).session, Approval))


@get(
    "/api/approval/stream",
    summary="Follow the approvals that wait",
    **streaming(DESCRIPTION),
)
async def stream_approvals(wiring: Wired, session_id: SessionQuery = None) -> ASGIApp:
    return await subscribed(wiring, session_id, Approval, "approval", v.pending_approvals)


@post("/api/approval/respond", summary="Answer an approval, or the oldest that waits", status=200)
async def respond_to_approval(wiring: Wired, client: Caller, data: JSONBody[v.ApprovalResponse]) -> v.ApprovalTaken:
    session, choice = await named_session(wiring, data.session_id), _choice(data)
    ask = await meant_ask(wiring, session, data.approval_id, Approval)
    await answered_once(wiring, session, ask, client, AskAnswer(choice=choice))
    return v.ApprovalTaken(choice=choice, approval_id=ask)


def _choice(data: v.ApprovalResponse) -> Choice:
    if data.choice not in get_args(Choice):
        raise BadCommand(f"Invalid choice: {data.choice}")
    if data.yolo:
        raise BadCommand("Leave for everything is not given here. Answer each approval, or choose 'always'.")
    return cast("Choice", data.choice)


ROUTES = refusing(refuse_approval, pending_approvals, stream_approvals, respond_to_approval)
