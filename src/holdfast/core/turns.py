"""A turn as the reducer sees it: one user message and what followed."""

from typing import Literal

import msgspec

from holdfast.core.events import Outcome
from holdfast.core.ids import AskId, CallId, SteerId, TurnId
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

PERMITTED = 50
"""Steps in doubt that a turn remembers: that there is one is all that anybody is told."""


class Turn(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`number` is its place in the transcript, from 1; 0 while it is queued.

    `items` holds what may still change, and in a session that was never settled everything. `tails` names the
    item that speaks last for each parent (`""`: the agent itself); `calls` finds a tool call by its agent's id;
    `plan` is the `k` of the turn's one plan; `steers` are words that the agent was not told yet; `doing` is what it
    was last seen to do; `permitted` are the steps that it was allowed and has not been seen to finish.
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
    permitted: dict[AskId, CallId | None] = {}
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

    def permit(self, ask: AskId, call: CallId | None) -> None:
        """The run was allowed a step."""
        self.permitted[ask] = call
        if len(self.permitted) > PERMITTED:
            del self.permitted[next(iter(self.permitted))]

    def went_on(self) -> None:
        """The run did something else: whatever it was allowed and reports no call of is behind it."""
        if self.permitted:
            self.permitted = {ask: call for ask, call in self.permitted.items() if self._unfinished(call)}

    def finished(self, call: CallId) -> None:
        """The run reports the end of a call, and so of the step that it was allowed for it."""
        if self.permitted:
            self.permitted = {ask: allowed for ask, allowed in self.permitted.items() if allowed != call}

    def _unfinished(self, call: CallId | None) -> bool:
        item = None if call is None else self.call(call)
        return item is not None and not item.finished

    @property
    def in_doubt(self) -> bool:
        """Whether a step may or may not have run, as far as anybody can know who sees the run no more."""
        unfinished = any(isinstance(item, ToolCall) and not item.finished for item in self.items.values())
        return unfinished or bool(self.permitted)

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
