"""What a person may ask for, as frozen values in the imperative. `decide` says what comes of it."""

import msgspec
from msgspec import UNSET, UnsetType

from holdfast.core.events import AnsweredBy, Attachment, Choice
from holdfast.core.ids import AskId, SessionId, SteerId, TurnId


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What all commands have: the device that they came from."""

    client: str = ""


class CreateSession(Request, frozen=True, kw_only=True):
    title: str = ""
    agent: str = ""
    model: str = ""
    mode: str = ""
    workspace: str = ""
    project: str = ""
    tags: tuple[str, ...] = ()
    predecessor: SessionId | None = None
    reference: str = ""


class ChangeSession(Request, frozen=True, kw_only=True):
    title: str | UnsetType = UNSET
    agent: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    workspace: str | UnsetType = UNSET
    project: str | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    pinned: bool | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    seen: int | UnsetType = UNSET


class DeleteSession(Request, frozen=True, kw_only=True):
    pass


class RestoreSession(Request, frozen=True, kw_only=True):
    pass


class TruncateHistory(Request, frozen=True, kw_only=True):
    turn: TurnId | None = None


class SubmitTurn(Request, frozen=True, kw_only=True):
    turn: TurnId
    text: str
    attachments: tuple[Attachment, ...] = ()
    ephemeral: bool = False
    continues: TurnId | None = None


class StartTurn(Request, frozen=True, kw_only=True):
    """Submit this, to be worked on with that from here on."""

    turn: TurnId
    text: str
    attachments: tuple[Attachment, ...] = ()
    workspace: str | UnsetType = UNSET
    model: str | UnsetType = UNSET


class InterruptTurn(Request, frozen=True, kw_only=True):
    """Cancel what runs and do this instead."""

    turn: TurnId
    text: str
    attachments: tuple[Attachment, ...] = ()


class ReplaceTurn(Request, frozen=True, kw_only=True):
    """Take the transcript back to before a turn, and say this in its place."""

    turn: TurnId
    replaces: TurnId
    text: str
    attachments: tuple[Attachment, ...] = ()


class WithdrawTurn(Request, frozen=True, kw_only=True):
    turn: TurnId


class ReorderQueue(Request, frozen=True, kw_only=True):
    turns: tuple[TurnId, ...]


class ReleaseTurns(Request, frozen=True, kw_only=True):
    turn: TurnId | None = None


class CancelTurn(Request, frozen=True, kw_only=True):
    turn: TurnId


class SteerTurn(Request, frozen=True, kw_only=True):
    turn: TurnId
    steer: SteerId
    text: str


class AnswerApproval(Request, frozen=True, kw_only=True):
    ask: AskId
    choice: Choice
    by: AnsweredBy = "person"
    rule: str = ""
    reason: str = ""
    everywhere: bool = False


class AnswerQuestion(Request, frozen=True, kw_only=True):
    ask: AskId
    text: str = ""
    secret: bool = False
    token: str = ""


class CommitMemory(Request, frozen=True, kw_only=True):
    """Have what the oldest owner completed committed. `successor` is the session that was begun instead."""

    successor: SessionId | None = None


Command = (
    CreateSession | ChangeSession | DeleteSession | RestoreSession | TruncateHistory
    | SubmitTurn | StartTurn | InterruptTurn | ReplaceTurn | WithdrawTurn | ReorderQueue | ReleaseTurns | CancelTurn
    | SteerTurn | AnswerApproval | AnswerQuestion | CommitMemory
)  # fmt: skip
