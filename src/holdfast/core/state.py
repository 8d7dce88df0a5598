"""The fields of a session, and who may change them.

The three questions below decide every matter of ownership in the reducer: `living` (is this the present
runner?), `owns` (is it that one, or a later owner writing about it?) and `grows` (may the runner still add to
this turn?).
"""

from typing import Literal

import msgspec

from holdfast.core.events import NoticeRaised, Option, Outcome, Rule, SlashCommand
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.core.items import Approval, Question, Usage
from holdfast.core.ledger import Ledger
from holdfast.core.records import Record
from holdfast.core.turns import Turn


class Place(msgspec.Struct, frozen=True):
    """Where an ask stands: its turn and its `k`."""

    turn: TurnId
    k: int


class Process(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The agent process of the living runner."""

    agent: str
    instance: str = ""
    pid: int = 0
    born: int = 0
    group: int = 0
    reference: str = ""
    steers: bool = False
    takes_reasons: bool = False
    remembers: bool = False


class Opening(msgspec.Struct, frozen=True):
    """The agent that is being started, and since when."""

    agent: str
    since: int


class Description(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the agent last said that people may choose, and what it works with."""

    agent: str
    model: str = ""
    mode: str = ""
    models: tuple[Option, ...] = ()
    modes: tuple[Option, ...] = ()
    commands: tuple[SlashCommand, ...] = ()


class Conversation(msgspec.Struct, frozen=True):
    """What an agent calls this conversation, so that its next process can take it up."""

    agent: str
    reference: str


class Run(msgspec.Struct, frozen=True):
    """The last turn that was executed to its end."""

    turn: TurnId
    outcome: Outcome
    started: int
    ended: int


class Recovering(msgspec.Struct, frozen=True, kw_only=True):
    """An interrupted turn whose output may still arrive: its number, who ran it, since when, and looks in vain."""

    number: int
    epoch: int
    since: int
    attempts: int = 0


class State(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What is true of one session.

    `turns` holds the queued turns, the running one and those that may still change; in a session that was never
    settled, all. `numbered` counts the turns that ever entered the transcript. `activity` is the seq of the last
    thing worth a look: what lies above `seen` is unseen. `deleted` is the time of deletion, 0 if there was none.
    `latest` is the last turn that the living runner started. `recovering` holds the interrupted turns
    whose output may still arrive. `rules` are what was allowed for the rest of the session;
    `notified` is the last turn whose end somebody was told of who was not looking. `ledger` is there from the first
    turn on that can be committed to memory.
    """

    seq: int = 0
    created: int = 0
    title: str = ""
    titled_by: Literal["", "agent", "person"] = ""
    agent: str = ""
    model: str = ""
    mode: str = ""
    workspace: str = ""
    project: str = ""
    tags: tuple[str, ...] = ()
    pinned: bool = False
    archived: bool = False
    deleted: int = 0
    predecessor: SessionId | None = None
    seen: int = 0
    activity: int = 0
    active_at: int = 0
    epoch: int = 0
    alive: bool = False
    opening: Opening | None = None
    process: Process | None = None
    described: Description | None = None
    conversation: Conversation | None = None
    failure: str = ""
    failed_starts: int = 0
    turns: dict[TurnId, Turn] = {}
    queue: list[TurnId] = []
    running: TurnId | None = None
    latest: TurnId | None = None
    last_outcome: Outcome | None = None
    last_run: Run | None = None
    notified: TurnId | None = None
    numbered: int = 0
    asks: dict[AskId, Place] = {}
    rules: tuple[Rule, ...] = ()
    recovering: dict[TurnId, Recovering] = {}
    usage: Usage = msgspec.field(default_factory=Usage)
    context_used: int = 0
    context_window: int = 0
    notice: NoticeRaised | None = None
    ledger: Ledger | None = None

    def living(self, record: Record) -> bool:
        """Whether the present runner wrote it."""
        return self.alive and record.epoch == self.epoch

    def owns(self, record: Record) -> bool:
        """Whether the present owner wrote it, or one that has claimed the session after it."""
        return record.epoch > 0 and record.epoch >= self.epoch

    def grows(self, record: Record, turn_id: TurnId) -> Turn | None:
        """The turn, if the living runner may still add to it: the running one, or the last, if it ended by itself."""
        turn = self.turns.get(turn_id)
        if turn is None or turn_id != self.latest or not self.living(record):
            return None
        return turn if self.growable(turn) else None

    def growable(self, turn: Turn) -> bool:
        """Whether more may come from the run itself. Adopted facts are another matter."""
        return (
            turn.id == self.latest
            and self.alive
            and turn.epoch == self.epoch
            and turn.outcome in (None, "completed", "failed")
        )

    def ask(self, ask_id: AskId) -> Approval | Question | None:
        """The ask, while it waits for an answer or its delivery."""
        place = self.asks.get(ask_id)
        turn = None if place is None else self.turns.get(place.turn)
        return None if place is None or turn is None else turn.ask(place.k)

    def touch(self, record: Record) -> None:
        """Something happened that a person may want to see."""
        self.activity, self.active_at = record.seq, record.time
