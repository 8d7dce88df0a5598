"""Everything that can happen in a session, as frozen values in the past tense.

Law: a `kind` once stored keeps its name and its meaning for ever. Classes and modules may be renamed; kinds
and fields may only be added. A reader that meets a kind or a field it does not know keeps it (`Unknown`,
`extra`), so that a newer log is readable by an older program and the reverse.

*Intents* say what a person did; the server appends them. *Facts* say what a run did; its runner appends
them. `synced` marks what must be on the disk before anybody acts on it: all that a person did, and every
fact that permits an effect.

This file is longer than its neighbours because it is a list; it holds no logic.
"""

from typing import Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from holdfast.core.ids import AskId, CallId, SessionId, SteerId, TurnId

Outcome = Literal["completed", "cancelled", "failed", "interrupted"]
Choice = Literal["once", "session", "always", "deny"]
AnsweredBy = Literal["person", "rule", "agent"]
ToolStatus = Literal["pending", "running", "completed", "failed"]
PlanStatus = Literal["pending", "running", "completed"]
Level = Literal["info", "warning", "error"]
RecoveryResult = Literal["recovered", "neutral", "complete"]


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A part of an event."""


class Attachment(Value, frozen=True, kw_only=True):
    """A file that came with a message: its bytes lie in the blob store under `blob`."""

    name: str
    blob: str
    media_type: str = "application/octet-stream"
    size: int = 0


class Diff(Value, frozen=True, kw_only=True):
    """One file's change. `old` is None for a file that did not exist."""

    path: str
    new: str
    old: str | None = None


class Rule(Value, frozen=True, kw_only=True):
    """What was allowed for more than once: requests of this agent and kind of tool that name `key`, in `workspace` or
    everywhere; without a key, exactly this command in this directory."""

    id: str
    agent: str = ""
    action: str = ""
    key: str = ""
    command: str = ""
    directory: str = ""
    workspace: str = ""
    everywhere: bool = False


class Option(Value, frozen=True, kw_only=True):
    """Something that a person may choose for a session: a model, a mode. `name` is what people read."""

    id: str
    name: str = ""
    description: str = ""


class SlashCommand(Value, frozen=True, kw_only=True):
    """What an agent understands after a slash; `hint` says what may follow it."""

    name: str
    description: str = ""
    hint: str = ""


class PlanEntry(Value, frozen=True, kw_only=True):
    text: str
    status: PlanStatus = "pending"


class Happening(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="kind",
):
    """What every known event is. `extra` holds the fields that a newer program wrote."""

    synced: ClassVar[bool] = False
    extra: dict[str, Any] | None = msgspec.field(default=None, name="~")


class Intent(Happening, frozen=True, kw_only=True):
    """What a person did. `client` names the device that it came from."""

    synced: ClassVar[bool] = True
    client: str = ""


class Fact(Happening, frozen=True, kw_only=True):
    """What a run did."""


# Intents: the session itself.


class SessionCreated(Intent, frozen=True, kw_only=True, tag="session.created"):
    """`reference` names a conversation that the agent has already: the session goes on with that one."""

    title: str = ""
    agent: str = ""
    model: str = ""
    mode: str = ""
    workspace: str = ""
    project: str = ""
    tags: tuple[str, ...] = ()
    predecessor: SessionId | None = None
    reference: str = ""


class SessionImported(Intent, frozen=True, kw_only=True, tag="session.imported"):
    """The log up to here was written by another program: `source` knew the session as `name`.

    `details` is JSON: what that program said of it that has no place here. `digest` names what was read.
    """

    source: str
    name: str
    details: str = ""
    digest: str = ""


class SessionForked(Intent, frozen=True, kw_only=True, tag="session.forked"):
    """The log up to here is that of `source`, which goes its own way: this session goes on after `turn`."""

    source: SessionId
    turn: TurnId


class SessionRenamed(Intent, frozen=True, kw_only=True, tag="session.renamed"):
    title: str


class SessionChanged(Intent, frozen=True, kw_only=True, tag="session.changed"):
    """What is set is changed; the rest stays. `seen` is the highest seq that a person had on screen.

    `add_tags` and `remove_tags` say what was meant, so that two who change tags at once both have their way; `tags` is
    then what came of it, as far as the writer knew, for those who know of nothing else.
    """

    agent: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    workspace: str | UnsetType = UNSET
    project: str | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    seen: int | UnsetType = UNSET
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()


class SessionDeleted(Intent, frozen=True, kw_only=True, tag="session.deleted"):
    """The session is gone for its followers; its log stays until it is purged."""


class SessionRestored(Intent, frozen=True, kw_only=True, tag="session.restored"):
    """The deletion was undone."""


class HistoryTruncated(Intent, frozen=True, kw_only=True, tag="history.truncated"):
    """`turn` and all that follows it left the transcript; without a turn, everything did."""

    turn: TurnId | None = None


# Intents: turns.


class TurnSubmitted(Intent, frozen=True, kw_only=True, tag="turn.submitted"):
    """`ahead` puts it before the turns that wait. `continues` names the interrupted turn that it takes up.

    `replaces` names the turn in whose place it is said. Its truncation is the record before, and if that counts for
    nothing, neither does this.
    """

    turn: TurnId
    text: str
    attachments: tuple[Attachment, ...] = ()
    ahead: bool = False
    ephemeral: bool = False
    continues: TurnId | None = None
    replaces: TurnId | None = None


class TurnWithdrawn(Intent, frozen=True, kw_only=True, tag="turn.withdrawn"):
    """A queued turn was taken back, as if never sent."""

    turn: TurnId


class QueueReordered(Intent, frozen=True, kw_only=True, tag="queue.reordered"):
    """These queued turns trade places among themselves, so that they stand in this order; all others stay."""

    turns: tuple[TurnId, ...]


class TurnReleased(Intent, frozen=True, kw_only=True, tag="turn.released"):
    """A held turn may run after all; without a turn, every held one may."""

    turn: TurnId | None = None


class TurnCancelRequested(Intent, frozen=True, kw_only=True, tag="turn.cancel_requested"):
    turn: TurnId


class TurnSteered(Intent, frozen=True, kw_only=True, tag="turn.steered"):
    """Words for the run in progress. If they come too late for it, they become the next turn."""

    turn: TurnId
    steer: SteerId
    text: str


# Intents: answers.


class ApprovalAnswered(Intent, frozen=True, kw_only=True, tag="approval.answered"):
    """`everywhere` goes with `always`: not only in this workspace. `rule` names the rule that answered, if one did."""

    ask: AskId
    choice: Choice
    by: AnsweredBy = "person"
    rule: str = ""
    reason: str = ""
    everywhere: bool = False


class QuestionAnswered(Intent, frozen=True, kw_only=True, tag="question.answered"):
    """A `secret` answer says only that it was given: its text went over the runner's private socket, under `token`."""

    ask: AskId
    text: str = ""
    secret: bool = False
    token: str = ""


class PersonNotified(Intent, frozen=True, kw_only=True, tag="person.notified"):
    """Somebody who was not looking was told of an ask, or of the end of a turn."""

    ask: AskId | None = None
    turn: TurnId | None = None


# Intents: the house, which all sessions share.


class RuleRemembered(Intent, frozen=True, kw_only=True, tag="rule.remembered"):
    """Allowed for good, by the answer to an ask of a session."""

    rule: Rule
    session: SessionId | None = None
    ask: AskId | None = None


class DefaultsChosen(Intent, frozen=True, kw_only=True, tag="defaults.chosen"):
    """What a new session is given unless it says otherwise. What is set replaces, the rest stays."""

    agent: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    workspace: str | UnsetType = UNSET


class RuleRevoked(Intent, frozen=True, kw_only=True, tag="rule.revoked"):
    rule: str


class RuleUsed(Intent, frozen=True, kw_only=True, tag="rule.used"):
    """It has answered an ask on this day, perhaps several: the answers themselves lie in the logs of their sessions."""

    rule: str


# Intents: memory.


class MemoryRequested(Intent, frozen=True, kw_only=True, tag="memory.requested"):
    """What the oldest owner completed is to be committed now. `successor` names the session that was begun instead."""

    successor: SessionId | None = None


# Facts: the runner and its agent.


class RunnerStarted(Fact, frozen=True, kw_only=True, tag="runner.started"):
    synced: ClassVar[bool] = True
    pid: int = 0
    protocol: int = 1
    version: str = ""


class RunnerStopped(Fact, frozen=True, kw_only=True, tag="runner.stopped"):
    """The runner ended by itself and left nothing behind."""

    synced: ClassVar[bool] = True
    reason: str = ""


class RunnerLost(Fact, frozen=True, kw_only=True, tag="runner.lost"):
    """The next owner found the previous one dead."""

    synced: ClassVar[bool] = True
    reason: str = ""


class AgentOpening(Fact, frozen=True, kw_only=True, tag="agent.opening"):
    """The agent's process is being started, which may take seconds."""

    agent: str


class AgentOpened(Fact, frozen=True, kw_only=True, tag="agent.opened"):
    """The agent's process runs. Synced before the first prompt, so that it can be found and ended.

    `steers`: it takes words while it works. `takes_reasons`: it takes the reason of a refusal with the refusal.
    `remembers`: it can commit memory. `aside`: it was opened only for that, and the conversation is not its own.
    """

    synced: ClassVar[bool] = True
    agent: str
    instance: str = ""
    pid: int = 0
    born: int = 0
    group: int = 0
    reference: str = ""
    steers: bool = False
    takes_reasons: bool = False
    remembers: bool = False
    aside: bool = False


class AgentDescribed(Fact, frozen=True, kw_only=True, tag="agent.described"):
    """What the agent lets people choose, and what it has chosen: all of it, whenever some of it changes."""

    agent: str
    model: str = ""
    mode: str = ""
    models: tuple[Option, ...] = ()
    modes: tuple[Option, ...] = ()
    commands: tuple[SlashCommand, ...] = ()


class AgentEnded(Fact, frozen=True, kw_only=True, tag="agent.ended"):
    """The process is known to be dead: what it had not committed to memory may be committed by another."""

    instance: str


class AgentFailed(Fact, frozen=True, kw_only=True, tag="agent.failed"):
    error: str
    stderr: str = ""


# Facts: the course of a turn.


class TurnStarted(Fact, frozen=True, kw_only=True, tag="turn.started"):
    synced: ClassVar[bool] = True
    turn: TurnId
    instance: str = ""


class TurnEnded(Fact, frozen=True, kw_only=True, tag="turn.ended"):
    synced: ClassVar[bool] = True
    turn: TurnId
    outcome: Outcome
    error: str = ""
    stderr: str = ""


class TextAppended(Fact, frozen=True, kw_only=True, tag="text.appended"):
    """`parent` is the tool call of the sub-agent that speaks; `message` parts two answers in a row."""

    turn: TurnId
    text: str
    parent: CallId | None = None
    message: str = ""


class ThoughtAppended(Fact, frozen=True, kw_only=True, tag="thought.appended"):
    turn: TurnId
    text: str
    parent: CallId | None = None
    message: str = ""


class ToolChanged(Fact, frozen=True, kw_only=True, tag="tool.changed"):
    """A tool call began or changed: what is set replaces, `appended` grows the output, the rest stays.

    `first` is set on the first event of a call within its turn, whatever the agent called it; one that is
    not the first and names an unknown call has no effect.
    """

    turn: TurnId
    call: CallId
    first: bool = False
    parent: CallId | None = None
    name: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    action: str | UnsetType = UNSET
    arguments: str | UnsetType = UNSET
    status: ToolStatus | UnsetType = UNSET
    output: str | UnsetType = UNSET
    appended: str = ""
    diffs: tuple[Diff, ...] | UnsetType = UNSET
    error: str | UnsetType = UNSET


class PlanReplaced(Fact, frozen=True, kw_only=True, tag="plan.replaced"):
    turn: TurnId
    entries: tuple[PlanEntry, ...] = ()


class SteerDelivered(Fact, frozen=True, kw_only=True, tag="steer.delivered"):
    """Synced before the agent is told: a steer is handed over at most once."""

    synced: ClassVar[bool] = True
    turn: TurnId
    steer: SteerId


class UsageReported(Fact, frozen=True, kw_only=True, tag="usage.reported"):
    """What was used since the last report of this turn; `context` fields are the state now. Cost in millionths."""

    turn: TurnId
    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    cost: int = 0
    model: str = ""
    context_used: int = 0
    context_window: int = 0


class TitleSuggested(Fact, frozen=True, kw_only=True, tag="title.suggested"):
    title: str


class NoticeRaised(Fact, frozen=True, kw_only=True, tag="notice.raised"):
    text: str
    turn: TurnId | None = None
    level: Level = "info"
    code: str = ""


# Facts: asks.


class ApprovalRequested(Fact, frozen=True, kw_only=True, tag="approval.requested"):
    """The run waits for a person's leave. What is shown is what was asked, unabridged; `digest` names it."""

    synced: ClassVar[bool] = True
    ask: AskId
    turn: TurnId
    command: str
    call: CallId | None = None
    parent: CallId | None = None
    title: str = ""
    tool: str = ""
    action: str = ""
    arguments: str = ""
    directory: str = ""
    description: str = ""
    pattern_keys: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ("once", "session", "always", "deny")
    diffs: tuple[Diff, ...] = ()
    digest: str = ""
    agent: str = ""
    workspace: str = ""


class ApprovalDelivered(Fact, frozen=True, kw_only=True, tag="approval.delivered"):
    """Synced before the agent is told: a permission is handed over at most once."""

    synced: ClassVar[bool] = True
    ask: AskId


class ApprovalExpired(Fact, frozen=True, kw_only=True, tag="approval.expired"):
    ask: AskId
    reason: str = ""


class QuestionAsked(Fact, frozen=True, kw_only=True, tag="question.asked"):
    synced: ClassVar[bool] = True
    ask: AskId
    turn: TurnId
    text: str
    parent: CallId | None = None
    choices: tuple[str, ...] = ()
    free_text: bool = True
    secret: bool = False
    timeout_seconds: int = 0
    expires_at: int = 0


class QuestionDelivered(Fact, frozen=True, kw_only=True, tag="question.delivered"):
    """Synced before the agent is told: an answer is handed over at most once."""

    synced: ClassVar[bool] = True
    ask: AskId


class QuestionExpired(Fact, frozen=True, kw_only=True, tag="question.expired"):
    ask: AskId
    reason: str = ""


# Facts: recovery of an interrupted turn.


class RecoveryPending(Fact, frozen=True, kw_only=True, tag="recovery.pending"):
    """Output of the interrupted turn may still arrive; `attempts` counts looks that found nothing."""

    turn: TurnId
    attempts: int = 0


class RecoveryFinished(Fact, frozen=True, kw_only=True, tag="recovery.finished"):
    turn: TurnId
    result: RecoveryResult


# Facts: memory.


class MemoryStarted(Fact, frozen=True, kw_only=True, tag="memory.started"):
    """Synced before the provider is called. Generations `first` to `last` of `owner` are being committed."""

    synced: ClassVar[bool] = True
    token: str
    owner: str
    first: int
    last: int


class MemoryCommitted(Fact, frozen=True, kw_only=True, tag="memory.committed"):
    synced: ClassVar[bool] = True
    token: str


class MemoryFailed(Fact, frozen=True, kw_only=True, tag="memory.failed"):
    """`in_doubt`: the provider may have committed all the same. Without a token: no agent could be asked."""

    token: str
    error: str
    in_doubt: bool = False


class Unknown(msgspec.Struct, frozen=True):
    """An event that this program can't interpret: kept as it came, without effect."""

    synced: ClassVar[bool] = True
    kind: str
    fields: dict[str, Any]


AnyIntent = (
    SessionCreated | SessionRenamed | SessionChanged | SessionDeleted | SessionRestored | HistoryTruncated
    | SessionImported | SessionForked
    | TurnSubmitted | TurnWithdrawn | QueueReordered | TurnReleased | TurnCancelRequested | TurnSteered
    | ApprovalAnswered | QuestionAnswered | PersonNotified | RuleRemembered | RuleRevoked | RuleUsed
    | DefaultsChosen
    | MemoryRequested
)  # fmt: skip
AnyFact = (
    TextAppended | ThoughtAppended | ToolChanged
    | RunnerStarted | RunnerStopped | RunnerLost | AgentOpening | AgentOpened | AgentDescribed | AgentFailed
    | AgentEnded
    | TurnStarted | TurnEnded | PlanReplaced | SteerDelivered | UsageReported | TitleSuggested | NoticeRaised
    | ApprovalRequested | ApprovalDelivered | ApprovalExpired | QuestionAsked | QuestionDelivered | QuestionExpired
    | RecoveryPending | RecoveryFinished | MemoryStarted | MemoryCommitted | MemoryFailed
)  # fmt: skip
Known = AnyIntent | AnyFact
Event = Known | Unknown
