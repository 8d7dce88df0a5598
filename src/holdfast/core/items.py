"""What the transcript shows, one small mutable value per thing a person can point at.

An item's name is its turn and `k`: the user's message is 0, what the run did counts 1, 2, 3 in order of
appearance, and the turn's end is `END`, so that whatever arrives late still sorts above it. Names never
change, whatever is coalesced, settled or recovered.

Growing text is kept in pieces until somebody looks: adding a word costs the same after a page of text as
after a line.
"""

from typing import Literal

import msgspec
from msgspec import UNSET

from holdfast.core.events import (
    AnsweredBy,
    Attachment,
    Choice,
    Diff,
    Level,
    Outcome,
    PlanEntry,
    RecoveryResult,
    ToolChanged,
)
from holdfast.core.ids import AskId, CallId, SteerId, TurnId

END = 1_000_000_000
"""The `k` of a turn's end: greater than that of anything that the turn can show."""

AskState = Literal["open", "answered", "delivered", "undelivered", "expired"]


class Shown(msgspec.Struct, kw_only=True, omit_defaults=True, tag_field="type"):
    """What all items have. `recovered` marks output that was found after its run had died."""

    turn: TurnId
    k: int
    time: int
    parent: CallId | None = None
    recovered: bool = False


class UserMessage(Shown, kw_only=True, tag="user"):
    text: str
    attachments: tuple[Attachment, ...] = ()
    client: str = ""
    ephemeral: bool = False
    continues: TurnId | None = None
    replaces: TurnId | None = None


class Prose(Shown, kw_only=True):
    """Words that grow. `part` counts the pieces of one long text that have been settled before this one."""

    text: str = ""
    part: int = 0
    message: str = ""
    pieces: list[str] = []

    def flush(self) -> str:
        """Join the pieces and return the whole text."""
        if self.pieces:
            self.text += "".join(self.pieces)
            self.pieces = []
        return self.text


class Text(Prose, kw_only=True, tag="text"):
    pass


class Thought(Prose, kw_only=True, tag="thought"):
    ended: int = 0


class ToolCall(Shown, kw_only=True, tag="tool"):
    call: CallId
    name: str = ""
    title: str = ""
    action: str = ""
    arguments: str = ""
    status: Literal["pending", "running", "completed", "failed", "interrupted"] = "pending"
    output: str = ""
    pieces: list[str] = []
    diffs: tuple[Diff, ...] = ()
    error: str = ""
    ended: int = 0

    @property
    def finished(self) -> bool:
        return self.status not in ("pending", "running")

    def merge(self, event: ToolChanged, time: int) -> None:
        """Take over what the event sets, at `time`. A call that is finished never runs again."""
        if event.name is not UNSET:
            self.name = event.name
        if event.title is not UNSET:
            self.title = event.title
        if event.action is not UNSET:
            self.action = event.action
        if event.arguments is not UNSET:
            self.arguments = event.arguments
        if event.output is not UNSET:
            self.output = event.output
            self.pieces = []
        if event.appended:
            self.pieces.append(event.appended)
        if event.diffs is not UNSET:
            self.diffs = event.diffs
        if event.error is not UNSET:
            self.error = event.error
        if event.status is not UNSET and not (self.finished and event.status in ("pending", "running")):
            self.status = event.status
            self.ended = time if self.finished else 0

    def interrupt(self, time: int) -> None:
        """The run is over: what it had not finished it never will."""
        if not self.finished:
            self.status, self.ended = "interrupted", time

    def flush(self) -> str:
        """Join the pieces and return the whole output."""
        if self.pieces:
            self.output += "".join(self.pieces)
            self.pieces = []
        return self.output


class Plan(Shown, kw_only=True, tag="plan"):
    entries: tuple[PlanEntry, ...] = ()

    @property
    def done(self) -> int:
        return sum(entry.status == "completed" for entry in self.entries)


class Notice(Shown, kw_only=True, tag="notice"):
    text: str
    level: Level = "info"
    code: str = ""


class Steer(Shown, kw_only=True, tag="steer"):
    """Words that a person added while the run went on, where the agent was told them."""

    steer: SteerId
    text: str
    client: str = ""


class Ask(Shown, kw_only=True):
    """Something the run waits for. `answer_seq` is the record that counts as the answer."""

    ask: AskId
    state: AskState = "open"
    answer_seq: int = 0
    answered_at: int = 0
    answered_from: str = ""
    notified_at: int = 0
    expired_because: str = ""

    @property
    def settled(self) -> bool:
        return self.state not in ("open", "answered")


class Approval(Ask, kw_only=True, tag="approval"):
    command: str
    call: CallId | None = None
    title: str = ""
    tool: str = ""
    action: str = ""
    arguments: str = ""
    directory: str = ""
    description: str = ""
    pattern_keys: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    diffs: tuple[Diff, ...] = ()
    digest: str = ""
    agent: str = ""
    workspace: str = ""
    choice: Choice | None = None
    by: AnsweredBy | None = None
    rule: str = ""
    reason: str = ""
    everywhere: bool = False


class Question(Ask, kw_only=True, tag="question"):
    text: str
    choices: tuple[str, ...] = ()
    free_text: bool = True
    secret: bool = False
    timeout_seconds: int = 0
    expires_at: int = 0
    answer: str = ""
    token: str = ""


class Usage(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Tokens, and cost in millionths of the currency."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    cost: int = 0


class End(Shown, kw_only=True, tag="end"):
    """How the turn ended: its one marker. `epoch` is that of the runner which executed it, 0 if none did."""

    outcome: Outcome
    error: str = ""
    stderr: str = ""
    started: int = 0
    epoch: int = 0
    usage: Usage = msgspec.field(default_factory=Usage)
    recovery: Literal["", "pending"] | RecoveryResult = ""
    attempts: int = 0
    pending_since: int = 0


Item = UserMessage | Text | Thought | ToolCall | Plan | Notice | Steer | Approval | Question | End
