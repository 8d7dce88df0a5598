"""The one way in which a person's command becomes a record.

Law: order in the log is the referee. `decide` looks at the session as it was and only saves a write; the answer is what
the session says once it is folded up to and including the command's own record, or the record that had its key before.
"""

from collections.abc import Callable
from typing import NamedTuple

from holdfast import faults
from holdfast.core import commands as c
from holdfast.core import events as e
from holdfast.core import window
from holdfast.core.decide import Decision, decide, took_effect, turn_key
from holdfast.core.errors import BadCommand, KeyTaken, NoSuchAsk, NoSuchSession, NoSuchTurn, StoreError
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.items import Approval
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.server.overruled import Overruled, answered_before, overruled
from holdfast.server.pages import find_ask, find_turn
from holdfast.server.provided import Message, check_provided
from holdfast.server.wiring import Wiring
from holdfast.store.protocol import Appended
from holdfast.workspace.files import check_root


class Outcome(NamedTuple):
    """The record that counts, and the session as it was then. `again`: it lay there before, and the session is as of
    now."""

    record: Record
    session: Session
    again: bool = False

    @property
    def seq(self) -> int:
        return self.record.seq


Check = Callable[[Session], None]


async def act(wiring: Wiring, session: SessionId, command: c.Command, check: Check | None = None) -> Outcome:
    """Carry out a command, or raise `Refused`. The same command again has no second effect and the same answer.

    `check` may refuse it by the session as it is when the command would be recorded: then nothing is.
    """
    if isinstance(command, c.ChangeSession | c.StartTurn) and command.workspace:
        check_root(command.workspace, wiring.settings.home)
    state = (await wiring.store.open(session)).session
    if state.alive and await wiring.supervisor.settle(session):
        state = (await wiring.store.open(session)).session
    if state.deleted and not isinstance(command, c.RestoreSession | c.DeleteSession):
        raise NoSuchSession(session)
    if isinstance(command, c.ReplaceTurn) and (seq := await wiring.store.keyed(session, turn_key(command.turn))):
        return await _replaced(wiring, session, state, command, seq)
    try:
        decision = decide(state, command)
    except NoSuchAsk:
        return await _answered(wiring, session, state, command)
    if isinstance(command, Message):
        await check_provided(wiring, session, state, command)
    await _bring_back(wiring, session, state, command)
    try:
        appended = await append(wiring, session, decision, check)
    except KeyTaken as taken:
        return await _taken(wiring, session, state, decision, taken)
    wiring.supervisor.nudge(session)
    if not appended.written:
        return await _again(wiring, session, state, appended.last)
    return await _judge(wiring, session, state, appended.last)


async def append(wiring: Wiring, session: SessionId, decision: Decision, check: Check | None = None) -> Appended:
    """Append what was decided, and let every viewer know whether the store could be written."""
    try:
        appended = await wiring.store.append(session, decision.intents, key=decision.key, check=check)
    except StoreError as exc:
        wiring.hub.report(exc)
        raise
    faults.point("server.appended")
    wiring.hub.report(None)
    wiring.hub.rung()
    return appended


async def _judge(wiring: Wiring, session: SessionId, state: Session, seq: int) -> Outcome:
    """Fold up to the command's own record and see whether it counts."""
    records = await wiring.store.read(session, state.seq, seq - state.seq)
    for record in records:
        state.apply(record)
    own = records[-1]
    if not took_effect(state, own):
        raise overruled(state, own, records[:-1])
    return Outcome(own, state)


async def _again(wiring: Wiring, session: SessionId, state: Session, seq: int) -> Outcome:
    """The same was recorded before. A turn then took effect; an answer did if its ask says so."""
    record = await record_at(wiring, session, seq)
    event = record.event
    if isinstance(event, e.ApprovalAnswered | e.QuestionAnswered):
        state = (await wiring.store.open(session)).session  # the first may have come after we looked
        ask = state.ask(event.ask) or await find_ask(wiring.store, session, state, event.ask)
        if ask is None or ask.answer_seq != seq:
            raise overruled(state, record, [])
    return Outcome(record, state, again=True)


async def _taken(wiring: Wiring, session: SessionId, state: Session, decision: Decision, taken: KeyTaken) -> Outcome:
    """The key has other content. Words that were meant for a run which is over by now are still the same words."""
    record = await record_at(wiring, session, int(str(taken.details[1])))
    if _words(record.event) == _words(decision.intents[-1]) is not None:
        return Outcome(record, state, again=True)
    if _same_secret(record.event, decision.intents[-1]):
        return Outcome(record, state, again=True)
    if isinstance(record.event, e.ApprovalAnswered | e.QuestionAnswered):
        raise answered_before(record) from taken
    raise Overruled(str(taken), record, "KeyTaken") from taken


async def _replaced(wiring: Wiring, session: SessionId, state: Session, command: c.ReplaceTurn, seq: int) -> Outcome:
    """The id was used before, and what it named may have left with that: it is not looked for again."""
    record = await record_at(wiring, session, seq)
    said = (command.turn, command.text, command.attachments, None, command.replaces, command.client)
    if _words(record.event) != said:
        raise Overruled(str(KeyTaken(turn_key(command.turn), seq)), record, "KeyTaken")
    try:
        if command.turn not in state.turns:
            await find_turn(wiring.store, session, command.turn)
    except NoSuchTurn:
        raise overruled(state, record, []) from None
    return Outcome(record, state, again=True)


def _same_secret(before: e.Event, now: e.Event) -> bool:
    """Whether the same client gave a secret to the same question, as one does who heard no reply the first time."""
    if not (isinstance(before, e.QuestionAnswered) and isinstance(now, e.QuestionAnswered)):
        return False
    return before.secret and now.secret and (before.ask, before.client) == (now.ask, now.client)


def _words(event: e.Event) -> tuple[object, ...] | None:
    match event:
        case e.TurnSubmitted():
            return event.turn, event.text, event.attachments, event.continues, event.replaces, event.client
        case e.TurnSteered():
            return event.steer, event.text, (), None, None, event.client
        case _:
            return None


async def _answered(wiring: Wiring, session: SessionId, state: Session, command: c.Command) -> Outcome:
    """Nothing waits under this id: it was settled, or it never was."""
    if not isinstance(command, c.AnswerApproval | c.AnswerQuestion):
        raise NoSuchAsk("")
    ask = await find_ask(wiring.store, session, state, command.ask)
    if ask is None:
        raise NoSuchAsk(command.ask)
    if ask.state == "open":
        raise BadCommand(
            f"This is {'an approval: give a choice' if isinstance(ask, Approval) else 'a question: give a text'}."
        )
    if not ask.answer_seq:
        raise Overruled("This ended without an answer: its run was over first.", None)
    record = await record_at(wiring, session, ask.answer_seq)
    if _same_answer(record.event, command):
        return Outcome(record, state, again=True)
    raise answered_before(record)


def _same_answer(event: e.Event, command: c.AnswerApproval | c.AnswerQuestion) -> bool:
    match event, command:
        case e.ApprovalAnswered(), c.AnswerApproval():
            given = (event.choice, event.reason, event.everywhere, event.client)
            return given == (command.choice, command.reason, command.everywhere, command.client)
        case e.QuestionAnswered(), c.AnswerQuestion():  # what a secret said, nobody knows
            return (event.text, event.secret, event.client) == (command.text, command.secret, command.client)
        case _:
            return False


async def _bring_back(wiring: Wiring, session: SessionId, state: Session, command: c.Command) -> None:
    """A turn that has left the state must be back in it before its truncation is folded."""
    match command:
        case c.TruncateHistory(turn=str() as first) | c.ReplaceTurn(replaces=first):
            turn = state.turns.get(first)
        case _:
            return
    if turn is not None and (turn.outcome is None or 0 in turn.items):
        return
    number, items = await find_turn(wiring.store, session, first)
    window.restore(state, number, items)


async def record_at(wiring: Wiring, session: SessionId, seq: int) -> Record:
    (record,) = await wiring.store.read(session, seq - 1, 1)
    return record


def turn_state(outcome: Outcome, turn: TurnId) -> str:
    """What was true of a turn when its record was written; one that has left the state is over."""
    if isinstance(outcome.record.event, e.TurnSteered) and turn not in outcome.session.turns:
        return "steering"
    found = outcome.session.turns.get(turn)
    return "ended" if found is None else found.state
