"""What the loss of a runner means. Pure: the claim carries it out in one transaction.

Recovery is the normal start path reached again: the next owner writes these facts and then does what it would do
anyway.
"""

from holdfast.core.course import LOST
from holdfast.core.events import AnyFact, ApprovalExpired, QuestionExpired, RunnerLost, TurnEnded
from holdfast.core.ids import AskId
from holdfast.core.items import Approval
from holdfast.core.session import Session


def loss(session: Session) -> list[AnyFact]:
    """The facts that the next owner appends about the one before; none if it ended well or there was none."""
    if not session.alive:
        return []
    facts: list[AnyFact] = [_expired(session, ask_id) for ask_id in session.asks]
    if session.running is not None:
        facts.append(TurnEnded(turn=session.running, outcome="interrupted", error=LOST))
    return [*facts, RunnerLost(reason=LOST)]


def _expired(session: Session, ask_id: AskId) -> ApprovalExpired | QuestionExpired:
    kind = ApprovalExpired if isinstance(session.ask(ask_id), Approval) else QuestionExpired
    return kind(ask=ask_id, reason="the run ended first")
