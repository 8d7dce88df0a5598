"""What a command comes to: the intents to append, or a refusal that says what to do instead.

Law: `decide` only saves a write. Another intent may reach the log first, so the reply to a person is given by
`took_effect`, from the session folded up to and including the intent's own record.
"""

from typing import TypeVar, assert_never

import msgspec
from msgspec import UNSET

from holdfast.core import commands as c
from holdfast.core import events as e
from holdfast.core import labels
from holdfast.core.errors import BadCommand, NoSuchAsk, NoSuchTurn, NotNow, QueueFull
from holdfast.core.ids import AskId, SteerId, TurnId
from holdfast.core.items import Approval, Question
from holdfast.core.records import Record
from holdfast.core.session import Session

TITLE_LENGTH = 200
_Intent = TypeVar("_Intent", bound=e.Intent)


class Decision(msgspec.Struct, frozen=True):
    """Append these together. The key, if there is one, belongs to the last of them."""

    intents: tuple[e.AnyIntent, ...]
    key: str | None = None


QUEUED = 100
"""Messages that may wait in one session."""


def turn_key(turn: TurnId | SteerId) -> str:
    return f"turn:{turn}"


def answer_key(ask: AskId) -> str:
    return f"answer:{ask}"


def end_key(turn: TurnId) -> str:
    return f"end:{turn}"


def memory_key(session: Session) -> str:
    """One wish for each state of the ledger: it is new when a turn was completed, or an attempt was made, since."""
    return "memory:0:0" if session.ledger is None else f"memory:{session.ledger.generation}:{session.ledger.tries}"


def decide(session: Session, command: c.Command) -> Decision:
    """Raise `Refused` if the command can't take effect now."""
    match command:
        case c.CreateSession():
            return Decision((_created(command),))
        case c.ChangeSession():
            return Decision(_change(session, command))
        case c.DeleteSession():
            return Decision((e.SessionDeleted(client=command.client),))
        case c.RestoreSession():
            return Decision((e.SessionRestored(client=command.client),))
        case c.TruncateHistory():
            return _truncate(session, command)
        case c.SubmitTurn():
            _check_message(command.text, command.attachments)
            _check_room(session, command.turn)
            return Decision((_as(e.TurnSubmitted, command),), turn_key(command.turn))
        case c.StartTurn():
            return _start(session, command)
        case c.InterruptTurn():
            return _interrupt(session, command)
        case c.ReplaceTurn():
            return _replace(session, command)
        case c.WithdrawTurn():
            _check_queued(session, command.turn)
            return Decision((e.TurnWithdrawn(turn=command.turn, client=command.client),))
        case c.ReorderQueue():
            for turn in command.turns:
                _check_queued(session, turn)
            return Decision((_as(e.QueueReordered, command),))
        case c.ReleaseTurns():
            if command.turn is not None:
                _check_queued(session, command.turn)
            return Decision((e.TurnReleased(turn=command.turn, client=command.client),))
        case c.CancelTurn():
            _check_unfinished(session, command.turn)
            return Decision((e.TurnCancelRequested(turn=command.turn, client=command.client),))
        case c.SteerTurn():
            _check_message(command.text, ())
            return Decision((_as(e.TurnSteered, command),), turn_key(command.steer))
        case c.AnswerApproval():
            _check_approval(session, command)
            return Decision((_as(e.ApprovalAnswered, command),), answer_key(command.ask))
        case c.AnswerQuestion():
            _check_question(session, command)
            return Decision((_question_answered(command),), answer_key(command.ask))
        case c.CommitMemory():
            return Decision((_as(e.MemoryRequested, command),), memory_key(session))
        case _:
            assert_never(command)


def _as(event: type[_Intent], command: c.Command) -> _Intent:
    """A command and the intent it becomes have the same fields."""
    return event(**msgspec.structs.asdict(command))


def _created(command: c.CreateSession) -> e.SessionCreated:
    made = _as(e.SessionCreated, command)
    return msgspec.structs.replace(made, project=labels.project(made.project), tags=labels.tags(made.tags))


def _change(session: Session, command: c.ChangeSession) -> tuple[e.AnyIntent, ...]:
    """All of it or, if a part is refused, nothing."""
    changed = _changed(session, command)
    if command.title is UNSET:
        return (changed,)
    renamed = e.SessionRenamed(title=_title(command.title), client=command.client)
    return (renamed,) if changed == e.SessionChanged(client=command.client) else (renamed, changed)


def _changed(session: Session, command: c.ChangeSession) -> e.SessionChanged:
    """Of tags that are added or removed the whole set is said as well: an older runner folds only that."""
    given = msgspec.structs.asdict(command)
    del given["title"]
    added, removed = labels.tags(command.add_tags), command.remove_tags
    if command.project is not UNSET:
        given["project"] = labels.project(command.project)
    if command.tags is not UNSET or added or removed:
        before = session.tags if command.tags is UNSET else command.tags
        kept = [tag for tag in before if tag not in removed]
        given["tags"] = labels.tags([*kept, *added])
    # Beside a whole set, adding and removing only says what that set is to be.
    given["add_tags"], given["remove_tags"] = (added, removed) if command.tags is UNSET else ((), ())
    return e.SessionChanged(**given)


def _question_answered(command: c.AnswerQuestion) -> e.QuestionAnswered:
    """A secret's words are not for the log."""
    text = "" if command.secret else command.text
    return e.QuestionAnswered(
        ask=command.ask, text=text, secret=command.secret, token=command.token, client=command.client
    )


def _title(text: str) -> str:
    title = " ".join(text.split())
    if not title:
        raise BadCommand("A title needs at least one letter.")
    if len(title) > TITLE_LENGTH:
        raise BadCommand(f"A title may have {TITLE_LENGTH} characters; this one has {len(title)}. Shorten it.")
    return title


def _check_message(text: str, attachments: tuple[e.Attachment, ...]) -> None:
    if not text.strip() and not attachments:
        raise BadCommand("The message is empty. Write something or attach a file.")


def _check_queued(session: Session, turn: TurnId) -> None:
    if turn not in session.queue:
        raise NoSuchTurn(turn)


def _check_unfinished(session: Session, turn_id: TurnId) -> None:
    turn = session.turns.get(turn_id)
    if turn is None or turn.outcome is not None:
        raise NoSuchTurn(turn_id)


def _truncate(session: Session, command: c.TruncateHistory) -> Decision:
    if session.running is not None:
        raise NotNow("A turn is running. Stop it first, then remove messages.")
    if command.turn in session.queue:
        raise NotNow("This message still waits. Take it back instead.")
    return Decision((e.HistoryTruncated(turn=command.turn, client=command.client),))


def _replace(session: Session, command: c.ReplaceTurn) -> Decision:
    """Both or neither: the words count only if the truncation right before them does."""
    _check_message(command.text, command.attachments)
    _check_room(session, command.turn)
    removed = _truncate(session, c.TruncateHistory(turn=command.replaces, client=command.client))
    submitted = e.TurnSubmitted(
        turn=command.turn,
        text=command.text,
        attachments=command.attachments,
        ahead=True,
        replaces=command.replaces,
        client=command.client,
    )
    return Decision((*removed.intents, submitted), turn_key(command.turn))


def _check_room(session: Session, turn: TurnId) -> None:
    """One that waits already is the same message again."""
    if len(session.queue) >= QUEUED and turn not in session.turns:
        raise QueueFull(QUEUED)


def _start(session: Session, command: c.StartTurn) -> Decision:
    wanted = c.SubmitTurn(turn=command.turn, text=command.text, attachments=command.attachments, client=command.client)
    submitted = decide(session, wanted)
    change = e.SessionChanged(
        workspace=UNSET if command.workspace == session.workspace else command.workspace,
        model=UNSET if command.model == session.model else command.model,
        client=command.client,
    )
    if change == e.SessionChanged(client=command.client):
        return submitted
    return Decision((change, *submitted.intents), submitted.key)


def _interrupt(session: Session, command: c.InterruptTurn) -> Decision:
    _check_message(command.text, command.attachments)
    _check_room(session, command.turn)
    submitted = e.TurnSubmitted(
        turn=command.turn,
        text=command.text,
        attachments=command.attachments,
        ahead=True,
        client=command.client,
    )
    if session.running is None:
        return Decision((submitted,), turn_key(command.turn))
    cancelled = e.TurnCancelRequested(turn=session.running, client=command.client)
    return Decision((cancelled, submitted), turn_key(command.turn))


def _check_approval(session: Session, command: c.AnswerApproval) -> None:
    ask = session.ask(command.ask)
    if not isinstance(ask, Approval):
        raise NoSuchAsk(command.ask)
    _check_going(session, ask)
    if command.choice not in ask.choices:
        raise BadCommand(f"{command.choice!r} is not offered here. Choose one of: {', '.join(ask.choices)}.")
    if command.everywhere and command.choice != "always":
        raise BadCommand("Only what is allowed for good can be allowed everywhere. Choose: always.")


def _check_going(session: Session, ask: Approval | Question) -> None:
    turn = session.turns.get(ask.turn)
    if turn is not None and turn.cancel_requested and ask.state == "open":
        raise NotNow("The run was asked to stop, so this answer would count for nothing.")


def _check_question(session: Session, command: c.AnswerQuestion) -> None:
    ask = session.ask(command.ask)
    if not isinstance(ask, Question):
        raise NoSuchAsk(command.ask)
    _check_going(session, ask)
    if command.secret != ask.secret:
        raise BadCommand("A secret is asked for." if ask.secret else "This question does not take a secret.")
    if not ask.secret and not ask.free_text and command.text not in ask.choices:
        raise BadCommand(f"{command.text!r} is not offered here. Choose one of: {', '.join(ask.choices)}.")


def took_effect(session: Session, record: Record) -> bool:
    """Whether the intent counts, given the session folded up to and including its record."""
    match record.event:
        case e.ApprovalAnswered() | e.QuestionAnswered() as event:
            ask = session.ask(event.ask)
            return ask is not None and ask.answer_seq == record.seq
        case e.TurnSubmitted() as event:
            turn = session.turns.get(event.turn)
            return turn is not None and turn.seq == record.seq
        case e.TurnWithdrawn() as event:
            return event.turn not in session.turns
        case e.TurnCancelRequested() as event:
            turn = session.turns.get(event.turn)
            return turn is not None and (turn.cancel_requested or turn.outcome == "cancelled")
        case e.HistoryTruncated() | e.SessionForked():
            return session.activity == record.seq
        case _:
            return True
