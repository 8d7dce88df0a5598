"""A turn as the reducer sees it: one user message and what followed."""

from typing import Literal

import msgspec

from holdfast.core.events import Outcome
from holdfast.core.ids import CallId, SteerId, TurnId
from holdfast.core.items import (
    END,
    Approval,
    End,
    Item,
    Question,
    Steer,
    ToolCall,
    Usage,
    UserMessage,
)


class Turn(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`number` is its place in the transcript, from 1; 0 while it is queued.

    `items` holds what may still change, and in a session that was never settled everything. `tails` names the
    item that speaks last for each parent (`""`: the agent itself); `calls` finds a tool call by its agent's id;
    `plan` is the `k` of the turn's one plan; `steers` are words that the agent was not told yet; `doing` is what it
    was last seen to do.
    """

    id: TurnId
    seq: int
    message: UserMessage
    number: int = 0
    state: Literal["queued", "running", "ended"] = "queued"
    held: bool = False
    cancel_requested: bool = False
    outcome: Outcome | None = None
    epoch: int = 0
    started: int = 0
    count: int = 0
    items: dict[int, Item] = {}
    tails: dict[str, int] = {}
    calls: dict[CallId, int] = {}
    plan: int | None = None
    steers: dict[SteerId, Steer] = {}
    doing: str = ""
    usage: Usage = msgspec.field(default_factory=Usage)

    def add(self, item: Item) -> None:
        """Put a new item at the end of what its parent shows."""
        self.items[item.k] = item
        self.tails[item.parent or ""] = item.k
        if isinstance(item, ToolCall):
            self.calls[item.call] = item.k

    def next_k(self) -> int:
        self.count += 1
        return self.count

    def tail(self, parent: CallId | None) -> Item | None:
        k = self.tails.get(parent or "")
        return None if k is None else self.items.get(k)

    def call(self, call: CallId) -> ToolCall | None:
        k = self.calls.get(call)
        item = None if k is None else self.items.get(k)
        return item if isinstance(item, ToolCall) else None

    def ask(self, k: int) -> Approval | Question | None:
        item = self.items.get(k)
        return item if isinstance(item, Approval | Question) else None

    @property
    def end(self) -> End | None:
        item = self.items.get(END)
        return item if isinstance(item, End) else None

    def shown(self) -> list[Item]:
        """The items in the order in which they are read."""
        return [self.items[k] for k in sorted(self.items)]
