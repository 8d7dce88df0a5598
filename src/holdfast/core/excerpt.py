"""What was said in some generations of a session, out of its log: for an agent that takes over a dead one's memory.

Law: it holds the messages of these generations and of no others, in the order in which their turns ended, whatever has
left the transcript since.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from holdfast.core import events as e
from holdfast.core.ids import SteerId, TurnId
from holdfast.core.ledger import Segment
from holdfast.core.records import Record

LENGTH = 200_000
"""Characters that are handed over: the end of what was said, if there is more."""


class Message(msgspec.Struct, frozen=True):
    """What one of the two said."""

    role: Literal["user", "assistant"]
    content: str


class Excerpt:
    """Feed it the log from `segment.since` on until `complete`; then `messages` is what was said."""

    def __init__(self, segment: Segment, first: int, last: int) -> None:
        self._segment = segment
        self._first = first
        self._last = last
        self._generation = segment.base - 1
        self._remembers = True
        self._asked: dict[str, str] = {}
        self._said: dict[str, list[str]] = {}
        self._ephemeral: set[str] = set()
        self._cancelled: set[str] = set()
        self._steers: dict[SteerId, str] = {}
        self._told: list[Message] = []

    @property
    def complete(self) -> bool:
        return self._generation >= self._last

    @property
    def messages(self) -> list[Message]:
        """Oldest first; what does not fit is left out at the front."""
        room, kept = LENGTH, list[Message]()
        for message in reversed(self._told):
            room -= len(message.content)
            if room < 0 and kept:
                break
            kept.append(message)
        return kept[::-1]

    def feed(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.late is None and not self.complete:
                self._feed(record)

    def _feed(self, record: Record) -> None:
        match record.event:
            case e.TurnSubmitted() as event:
                self._asked.setdefault(event.turn, event.text)
                if event.ephemeral:
                    self._ephemeral.add(event.turn)
            case e.TurnSteered() as event:
                self._steers[event.steer] = event.text
                self._asked.setdefault(event.steer, event.text)
            case e.SteerDelivered() as event:
                self._asked[event.turn] = f"{self._asked.get(event.turn, '')}\n\n{self._steers.get(event.steer, '')}"
            case e.TextAppended(parent=None) as event:
                self._said.setdefault(event.turn, []).append(event.text)
            case e.TurnCancelRequested() as event:
                self._cancelled.add(event.turn)
            case e.AgentOpened(aside=False) as event:
                self._remembers = event.remembers
            case e.RunnerStarted() | e.RunnerStopped() | e.RunnerLost() | e.AgentFailed():
                self._remembers = True  # a turn that ends without a known process has an unknown owner
            case e.TurnEnded() as event:
                self._end(record.seq, event)
            case _:
                pass

    def _end(self, seq: int, event: e.TurnEnded) -> None:
        asked, said = self._asked.pop(event.turn, ""), "".join(self._said.pop(event.turn, []))
        if seq < self._segment.begun or not self._counts(event.turn, event.outcome):
            return
        self._generation += 1
        if self._first <= self._generation <= self._last:
            self._told += [Message("user", asked), Message("assistant", said)]

    def _counts(self, turn: TurnId, outcome: e.Outcome) -> bool:
        """As the reducer counts: completed, not cancelled before, not ephemeral, by an agent that remembers."""
        passing = turn in self._ephemeral or turn in self._cancelled
        return outcome == "completed" and not passing and self._remembers
