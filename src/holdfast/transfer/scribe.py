"""Writes the log that a session would have if it had been held here.

Whoever imports says what happened, in order, and gets records that the store can take in. All of them lie in one epoch
of a runner that has stopped; its agent commits no memory, because the other program has done so already.

Law: what is said is all in the transcript. A turn is ended before the next begins; one that nobody ended ended well.
"""

from collections.abc import Iterable, Sequence

import msgspec

from holdfast.core import events as e
from holdfast.core.ids import CallId, SessionId, TurnId
from holdfast.core.records import Late, Record
from holdfast.transfer.identity import imported_turn

EPOCH = 1
CLIENT = "import"
PIECE = 16_000
"""Characters of a text that are one record: a page holds a few of them."""


class Scribe:
    """One session. `created` is the time of whatever has none."""

    def __init__(self, session: SessionId, created: int, event: e.SessionCreated, imported: e.SessionImported) -> None:
        self.session = session
        self.records: list[Record] = []
        self.turns: int = 0
        self._time = created
        self._reference = event.reference
        self._n = 0
        self._turn: TurnId | None = None
        self._calls: dict[str, CallId] = {}
        self._open: set[CallId] = set()
        self._names: set[CallId] = set()
        self._spoken = 0
        self._spent: e.UsageReported | None = None
        self._late: list[tuple[int, e.AnyFact]] | None = None
        self._intend(event)
        self._intend(imported)
        self._tell(e.RunnerStarted(), 0)
        self._tell(e.AgentOpened(agent=event.agent, reference=event.reference), 0)

    @property
    def resumes(self) -> bool:
        """Whether the agent has the conversation itself, and goes on with it."""
        return bool(self._reference)

    @property
    def running(self) -> bool:
        return self._turn is not None

    def submit(self, text: str, time: int, attachments: Sequence[e.Attachment] = ()) -> None:
        """A person said something: the turn before is over."""
        self.end("completed", 0)
        self.turns += 1
        turn = imported_turn(self.session, self.turns)
        event = e.TurnSubmitted(turn=turn, text=text, attachments=tuple(attachments), client=CLIENT)
        self._intend(event, time)
        self._tell(e.TurnStarted(turn=turn), 0)
        self._turn, self._calls, self._open, self._names, self._late = turn, {}, set(), set(), None
        if self._spent is not None:
            self._tell(msgspec.structs.replace(self._spent, turn=turn), 0)
            self._spent = None

    def say(self, text: str, time: int = 0) -> None:
        """The agent said something; twice in a row is two answers."""
        self._spoken += 1
        for piece in pieces(text):
            self._do(e.TextAppended(turn=self._in_turn(time), text=piece, message=str(self._spoken)), time)

    def think(self, text: str, time: int = 0) -> None:
        self._spoken += 1
        for piece in pieces(text):
            self._do(e.ThoughtAppended(turn=self._in_turn(time), text=piece, message=str(self._spoken)), time)

    def knows(self, call: str) -> bool:
        """Whether the turn has a tool call that the other program knew by this name."""
        return call in self._calls

    def waits_for(self, call: str) -> bool:
        """Whether that call has no result yet, or was never told of."""
        return call not in self._calls or self._calls[call] in self._open

    def call(self, call: str, name: str, arguments: str, time: int = 0) -> None:
        """The agent began to use a tool. A name that was used before in the turn means another call now."""
        turn = self._in_turn(time)
        named = CallId(call or "call")
        number = 1
        while named in self._names:
            number += 1
            named = CallId(f"{call or 'call'}~{number}")
        self._calls[call] = named
        self._names.add(named)
        self._open.add(named)
        changed = e.ToolChanged(
            turn=turn, call=named, first=True, name=name, title=name, arguments=arguments, status="running"
        )
        self._do(changed, time)

    def result(self, call: str, output: str, time: int = 0, *, failed: bool = False) -> None:
        """What the tool gave back. Without a call of that name there was one that nobody wrote down."""
        turn = self._in_turn(time)
        if call not in self._calls:
            self.call(call, "tool", "", time)
        named = self._calls[call]
        for piece in pieces(output):
            self._do(e.ToolChanged(turn=turn, call=named, appended=piece), time)
        self._open.discard(named)
        self._do(e.ToolChanged(turn=turn, call=named, status="failed" if failed else "completed"), time)

    def notice(self, text: str, *, code: str, level: e.Level = "info", time: int = 0) -> None:
        self._do(e.NoticeRaised(turn=self._in_turn(time), text=text, level=level, code=code), time)

    def spend(self, event: e.UsageReported) -> None:
        """What the whole session has used. It goes on the account of the next turn: nobody knows whose it was."""
        self._spent = event

    def recover(self) -> None:
        """From here on what is said was found after the turn had died, if it is ended as interrupted."""
        self._in_turn(0)
        if self._late is None:
            self._late = []

    def resume(self) -> None:
        """What was found was said before something else: it is as good as the rest."""
        for time, fact in self._late or ():
            self._tell(fact, time)
        self._late = None

    def end(self, outcome: e.Outcome, time: int, error: str = "", recovery: e.RecoveryResult | None = None) -> None:
        """End the turn, if there is one. `recovery`: how looking for the output of an interrupted one has ended."""
        turn = self._turn
        if turn is None:
            return
        if outcome != "interrupted":
            self.resume()
        if outcome == "completed":
            for call in sorted(self._open):
                self._tell(e.ToolChanged(turn=turn, call=call, status="completed"), time)
        self._tell(e.TurnEnded(turn=turn, outcome=outcome, error=error), time)
        for found_at, fact in self._late or ():
            self._tell(fact, found_at, late=Late(epoch=EPOCH, turn=turn))
        if recovery is not None:
            self._tell(e.RecoveryFinished(turn=turn, result="recovered" if self._late else recovery), time)
        self._turn, self._late = None, None

    def finish(self, changes: Iterable[e.AnyIntent]) -> list[Record]:
        """The whole log. Nothing of it is news to anybody."""
        self.end("completed", 0)
        self._tell(e.RunnerStopped(reason="imported"), 0)
        for change in changes:
            self._intend(change)
        self._intend(e.SessionChanged(seen=len(self.records), client=CLIENT))
        return self.records

    def _in_turn(self, time: int) -> TurnId:
        """The present turn; if nobody had said anything, one that begins without words."""
        if self._turn is None:
            self.submit("", time)
        assert self._turn is not None
        return self._turn

    def _do(self, fact: e.AnyFact, time: int) -> None:
        if self._late is None:
            self._tell(fact, time)
        else:
            self._late.append((time, fact))

    def _intend(self, event: e.AnyIntent, time: int = 0) -> None:
        self._time = time or self._time
        self.records.append(Record(seq=len(self.records) + 1, time=self._time, event=event))

    def _tell(self, fact: e.AnyFact, time: int, late: Late | None = None) -> None:
        self._n += 1
        self._time = time or self._time
        seq = len(self.records) + 1
        self.records.append(Record(seq=seq, time=self._time, event=fact, epoch=EPOCH, n=self._n, late=late))


def pieces(text: str) -> Iterable[str]:
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))
