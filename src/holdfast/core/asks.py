"""Approvals and questions: requested, answered, delivered, expired.

    open -> answered -> delivered          the agent was told
    open -> expired                        the run ended first; nothing happened
    answered -> undelivered                the run ended before it could be told

No arrow leads back, so the first answer wins and a late one changes nothing.
"""

import msgspec

from holdfast.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    QuestionAnswered,
    QuestionAsked,
    Rule,
)
from holdfast.core.ids import AskId, TurnId
from holdfast.core.items import Approval, Question
from holdfast.core.output import hush
from holdfast.core.policy import rules_of
from holdfast.core.records import Record
from holdfast.core.state import Place, State
from holdfast.core.turns import Turn


def request(state: State, turn: Turn, record: Record, event: ApprovalRequested) -> None:
    item = Approval(
        turn=turn.id,
        k=turn.next_k(),
        time=record.time,
        parent=event.parent,
        ask=event.ask,
        command=event.command,
        call=event.call,
        title=event.title,
        tool=event.tool,
        action=event.action,
        arguments=event.arguments,
        directory=event.directory,
        description=event.description,
        pattern_keys=event.pattern_keys,
        choices=event.choices,
        diffs=event.diffs,
        digest=event.digest,
        agent=event.agent,
        workspace=event.workspace,
    )
    _open(state, turn, record, item)


def question(state: State, turn: Turn, record: Record, event: QuestionAsked) -> None:
    item = Question(
        turn=turn.id,
        k=turn.next_k(),
        time=record.time,
        parent=event.parent,
        ask=event.ask,
        text=event.text,
        choices=event.choices,
        free_text=event.free_text,
        secret=event.secret,
        timeout_seconds=event.timeout_seconds,
        expires_at=event.expires_at,
    )
    _open(state, turn, record, item)


def _open(state: State, turn: Turn, record: Record, item: Approval | Question) -> None:
    hush(turn, item.parent, record.time)
    turn.add(item)
    state.asks[item.ask] = Place(turn.id, item.k)
    state.touch(record)


def answer(state: State, record: Record, event: ApprovalAnswered | QuestionAnswered) -> None:
    item = state.ask(event.ask)
    turn = None if item is None else state.turns.get(item.turn)
    if item is None or item.state != "open" or turn is None or turn.cancel_requested:
        return  # whoever was asked to stop is told nothing more
    match event, item:
        case ApprovalAnswered(), Approval():
            item.choice, item.by, item.rule, item.reason, item.everywhere = (
                event.choice,
                event.by,
                event.rule,
                event.reason,
                event.everywhere,
            )
            if event.choice == "session":
                _remember(state, rules_of(item, item.ask))
        case QuestionAnswered(), Question():
            item.answer, item.token = event.text, event.token
        case _:
            return
    item.state = "answered"
    item.answer_seq, item.answered_at, item.answered_from = (
        record.seq,
        record.time,
        event.client,
    )


def _remember(state: State, rules: tuple[Rule, ...]) -> None:
    """Allow this for the rest of the session. What is allowed already is not remembered twice."""
    known = {msgspec.structs.replace(rule, id="") for rule in state.rules}
    state.rules += tuple(rule for rule in rules if msgspec.structs.replace(rule, id="") not in known)


def deliver(state: State, ask_id: AskId) -> None:
    item = state.ask(ask_id)
    if item is not None and item.state == "answered":
        item.state = "delivered"
        del state.asks[ask_id]
        turn = state.turns.get(item.turn)
        if turn is not None and isinstance(item, Approval) and item.choice != "deny":
            turn.permit(ask_id, item.call)


def expire(state: State, ask_id: AskId, reason: str) -> None:
    item = state.ask(ask_id)
    if item is None:
        return
    item.state = "expired" if item.state == "open" else "undelivered"
    item.expired_because = reason
    del state.asks[ask_id]


def expire_all(state: State, turn_id: TurnId, reason: str) -> None:
    """Nobody waits any more: the run is over."""
    for ask_id in [ask_id for ask_id, place in state.asks.items() if place.turn == turn_id]:
        expire(state, ask_id, reason)
