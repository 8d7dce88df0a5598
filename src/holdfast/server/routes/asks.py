"""Approvals and questions: what waits for a person, what an answer would allow, and the answer."""

import secrets
from typing import Literal, NamedTuple

from holdfast.core import commands as c
from holdfast.core import ids, policy
from holdfast.core.errors import BadCommand, HoldfastError, NoSuchAsk
from holdfast.core.ids import AskId, SessionId
from holdfast.core.items import Approval, Question
from holdfast.core.overview import open_asks
from holdfast.core.session import Session
from holdfast.door import Words, hand_over
from holdfast.rules import remember
from holdfast.server.act import Outcome, act
from holdfast.server.endpoint import FromPath, JSONBody, get, post
from holdfast.server.overruled import Overruled
from holdfast.server.pages import find_ask
from holdfast.server.schema.asks import Answered, AskAnswer, Asks, Offers
from holdfast.server.wired import Caller, Wired


class Given(NamedTuple):
    """An answer that counts. `again`: it was given before, by the same client, and this was no second one."""

    answered: Answered
    again: bool


class NotHandedOver(HoldfastError):
    """The run did not take the secret. It was written nowhere, and the question still waits: answer it again."""

    status = 503


@get("/api/sessions/{session_id}/asks", summary="What waits for an answer, oldest first")
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


@get("/api/sessions/{session_id}/asks/{ask_id}/offers", summary="What could be allowed beyond this once")
async def list_offers(wiring: Wired, session_id: FromPath[str], ask_id: FromPath[str]) -> Offers:
    session, ask = ids.session_id(session_id), ids.ask_id(ask_id)
    approval = (await wiring.store.open(session)).session.ask(ask)
    if not isinstance(approval, Approval):
        raise NoSuchAsk(ask)
    return Offers(offers=policy.offers(approval))


@post("/api/sessions/{session_id}/asks/{ask_id}", summary="Answer an approval or a question", status=200)
async def answer_ask(
    wiring: Wired, client: Caller, session_id: FromPath[str], ask_id: FromPath[str], data: JSONBody[AskAnswer]
) -> Answered:
    session, ask = ids.session_id(session_id), ids.ask_id(ask_id)
    return (await answer(wiring, session, ask, client, data)).answered


async def answer(wiring: Wired, session: SessionId, ask: AskId, client: str, data: AskAnswer) -> Given:
    """The one way in which an answer is given, whatever language it came in."""
    match data:
        case AskAnswer(choice=choice, text=None) if choice is not None:
            await _check_digest(wiring, session, ask, data.digest)
            command = c.AnswerApproval(
                ask=ask, choice=choice, reason=data.reason, everywhere=data.everywhere, client=client
            )
            outcome = await act(wiring, session, command)
            if choice == "always":
                await _remember(wiring, session, ask, outcome)
            goes = _goes(outcome.session) if choice == "deny" and data.reason else None
            return Given(Answered(session=session, ask=ask, seq=outcome.seq, reason_goes=goes), outcome.again)
        case AskAnswer(choice=None, text=text) if text is not None:
            outcome = await act(wiring, session, await _words(wiring, session, ask, client, text))
            return Given(Answered(session=session, ask=ask, seq=outcome.seq), outcome.again)
        case _:
            raise BadCommand("Give a choice to answer an approval, or a text to answer a question.")


async def _check_digest(wiring: Wired, session: SessionId, ask: AskId, digest: str) -> None:
    """A client that says what it showed gets no answer for something else."""
    approval = (await wiring.store.open(session)).session.ask(ask) if digest else None
    if isinstance(approval, Approval) and approval.digest != digest:
        raise Overruled("This is not what was asked. Load the session anew and look again.", None)


async def _remember(wiring: Wired, session: SessionId, ask: AskId, outcome: Outcome) -> None:
    """An answer of *always* is acknowledged only when the rule is on the disk too."""
    found = outcome.session.ask(ask) or await find_ask(wiring.store, session, outcome.session, ask)
    if isinstance(found, Approval) and found.choice == "always":
        await remember(wiring.store, session, found)


def _goes(session: Session) -> Literal["agent", "steer", "turn"]:
    """How the reason of a refusal reaches the agent."""
    if session.process is not None and session.process.takes_reasons:
        return "agent"
    return "steer" if session.process is not None and session.process.steers else "turn"


async def _words(wiring: Wired, session: SessionId, ask: AskId, client: str, text: str) -> c.AnswerQuestion:
    """The answer to a question. A secret goes to the run itself first; what is recorded is that it was given."""
    state = (await wiring.store.open(session)).session
    question = state.ask(ask) or await find_ask(wiring.store, session, state, ask)
    if not (isinstance(question, Question) and question.secret):
        return c.AnswerQuestion(ask=ask, text=text, client=client)
    token = secrets.token_hex(16)
    if question.state == "open":
        taken = await hand_over(wiring.settings.doors, session, Words(ask=ask, token=token, text=text))
        if not taken and not await wiring.supervisor.settle(session):
            raise NotHandedOver
    return c.AnswerQuestion(ask=ask, secret=True, token=token, client=client)


ROUTES = (list_asks, list_offers, answer_ask)
