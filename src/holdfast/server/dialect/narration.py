"""A session's log, told as the events of chat streams.

Law: what is told, and under which number, follows from the log alone: every turn's events count 1, 2, 3 from the record
that sent its message, whoever asks, whenever, from whatever record before that on. So a cursor means the same to every
server that ever reads it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from holdfast.core import course
from holdfast.core import events as e
from holdfast.core.askqueue import AskQueue
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.items import Approval, End, Question, ToolCall, UserMessage
from holdfast.core.records import Record
from holdfast.core.session import Session
from holdfast.core.turns import Turn
from holdfast.core.window import settle
from holdfast.server.dialect import values as v
from holdfast.server.dialect.messages import arguments, excerpt
from holdfast.server.dialect.runs import RunName

Json = dict[str, Any]
CLOSING = frozenset({"stream_end", "cancel", "apperror"})
"""The last event of a stream."""
STATES = {
    "completed": "completed",
    "cancelled": "interrupted-by-user",
    "interrupted": "interrupted-by-crash",
    "failed": "errored",
}
_builtins = msgspec.to_builtins


class Told(NamedTuple):
    """One event of a run's stream. To `done` and `cancel` their sender adds the session."""

    run: RunName
    number: int
    name: str
    data: Json

    @property
    def id(self) -> str:
        return f"{self.run}:{self.number}"


class Narration:
    """Takes over `state`, which stands where the first record to tell follows; by default, anywhere in the log."""

    def __init__(self, session: SessionId, state: Session | None = None) -> None:
        self._session = session
        self._state = Session() if state is None else state
        self._counts: dict[TurnId, int] = dict.fromkeys(self._open(), 1)
        self._speaking: dict[TurnId, int] = {}
        self._over: set[TurnId] = set()
        self._asked = (0, 0)
        self._renamed = ""

    def tell(self, record: Record) -> list[Told]:
        """Fold the next record and tell what it means to the streams."""
        if record.late is not None:  # its stream has ended
            self._state.apply(record)
            return []
        if isinstance(record.event, e.TurnStarted):
            self._renamed = ""
            self._believe(record, record.event.turn)
        finished = self._finished(record.event)
        self._state.apply(record)
        if isinstance(record.event, e.TextAppended | e.ThoughtAppended):  # most of a log, and nothing else changes
            told = list(self._said(record.event, finished=finished))
        else:
            told = [*self._begun(), *self._said(record.event, finished=finished), *self._asks(), *self._ended()]
        settle(self._state)
        return told

    def _open(self) -> list[TurnId]:
        return [turn.id for turn in self._state.turns.values() if turn.outcome is None]

    def _believe(self, record: Record, turn_id: TurnId) -> None:
        """The store takes facts of the present owner alone, so the start of a turn that we know nothing of is one: what
        made it possible lies before the first record that was told. Of a turn that we have seen end it is none."""
        state = self._state
        if not state.living(record):
            state.alive, state.epoch = True, record.epoch
        if turn_id not in state.turns and turn_id not in self._over:
            message = UserMessage(turn=turn_id, k=0, time=record.time, text="")
            course.enqueue(state, Turn(id=turn_id, seq=record.seq, message=message), ahead=True)

    def _finished(self, event: e.Event) -> bool:
        """Whether the event speaks of a call that has ended already."""
        turn = self._state.turns.get(event.turn) if isinstance(event, e.ToolChanged) else None
        call = turn.call(event.call) if turn is not None and isinstance(event, e.ToolChanged) else None
        return call is not None and call.finished

    def _told(self, turn: TurnId, name: str, data: Json) -> Told:
        self._counts[turn] += 1
        return Told(RunName(self._session, turn), self._counts[turn], name, data)

    def _begun(self) -> Iterator[Told]:
        for turn in self._open():
            if turn not in self._counts and turn not in self._over:
                self._counts[turn] = 0
                prefill = {"status": "not_configured", "source": "none", "label": "", "message_count": 0}
                yield self._told(turn, "context_status", {"session_id": self._session, "prefill": prefill})

    def _said(self, event: e.Event, *, finished: bool) -> Iterator[Told]:
        running = self._state.running
        if running is None or running not in self._counts:
            return
        turn = self._state.turns[running]
        match event:
            case e.TextAppended(parent=None) if event.turn == running and event.text:
                yield self._told(running, "token", {"text": self._spoken(turn, event.text)})
            case e.ThoughtAppended(parent=None) if event.turn == running and event.text:
                yield self._told(running, "reasoning", {"text": event.text})
            case e.ToolChanged() if event.turn == running:
                call = turn.call(event.call)
                if call is not None:
                    yield from self._used(running, call, first=event.first, finished=finished)
            case e.PlanReplaced() if event.turn == running:
                todos = [{"id": str(n), "content": entry.text, "status": _todo(entry.status)} for n, entry
                         in enumerate(event.entries, 1)]  # fmt: skip
                yield self._told(running, "todo_state", {"session_id": self._session, "todos": todos})
            case e.UsageReported() if event.turn == running:
                yield self._told(running, "metering", {"session_id": self._session, "usage": usage_of(turn.usage)})
            case e.NoticeRaised() if event.turn == running and event.level != "info":
                yield self._told(running, "warning", {"type": event.code or event.level, "message": event.text})
            case e.TitleSuggested() | e.SessionRenamed():
                # Whether a person had named it before the run is not known from everywhere; the list says what holds.
                self._renamed = event.title if isinstance(event, e.SessionRenamed) else self._renamed
                title = self._renamed or event.title
                yield self._told(running, "title", {"session_id": self._session, "title": title})
            case _:
                pass

    def _spoken(self, turn: Turn, text: str) -> str:
        """Two answers in a row are parted as their message parts them, so that what streams is what is kept."""
        item = turn.tails.get("", 0)
        before = self._speaking.get(turn.id)
        self._speaking[turn.id] = item
        return text if before in (None, item) else f"\n\n{text}"

    def _used(self, turn: TurnId, call: ToolCall, *, first: bool, finished: bool) -> Iterator[Told]:
        data: Json = {"name": call.name or call.title, "args": arguments(call), "tid": call.call}
        if first:
            began = {"event_type": "tool.started", "preview": None, "is_error": False}
            yield self._told(turn, "tool", {**began, **data})
        if call.finished and not finished:
            ended = {"event_type": "tool.completed", "preview": excerpt(call), "is_error": call.status != "completed"}
            yield self._told(turn, "tool_complete", {**ended, **data})

    def _asks(self) -> Iterator[Told]:
        """What waits, whenever that is another one now; that nothing waits any more goes without saying."""
        running = self._state.running
        approvals, questions = AskQueue(self._state, Approval), AskQueue(self._state, Question)
        before, self._asked = self._asked, (approvals.count, questions.count)
        if running is None or running not in self._counts:
            return
        if approvals.head is not None and approvals.count != before[0]:
            pending = v.pending_approvals(self._session, approvals)
            yield self._told(running, "approval", {**_builtins(pending.pending), "pending_count": approvals.count})
        if questions.head is not None and questions.count != before[1]:
            asked = v.pending_questions(self._session, questions)
            yield self._told(running, "clarify", {**_builtins(asked.pending), "pending_count": questions.count})

    def _ended(self) -> Iterator[Told]:
        for turn_id in list(self._counts):
            turn = self._state.turns.get(turn_id)
            end = None if turn is None else turn.end
            if turn is not None and end is None:
                continue
            for name, data in _ending(self._session, end):
                yield self._told(turn_id, name, data)
            del self._counts[turn_id]
            self._over.add(turn_id)
            self._speaking.pop(turn_id, None)


def _ending(session: SessionId, end: End | None) -> Iterator[tuple[str, Json]]:
    """A turn that was taken back has no end of its own: it ends as one that was stopped."""
    outcome = "cancelled" if end is None else end.outcome
    data: Json = {"session_id": session, "terminal_state": STATES[outcome]}
    match outcome:
        case "completed" if end is not None:
            yield "done", {"usage": usage_of(end.usage)}
            yield "stream_end", {"session_id": session}
        case "failed" if end is not None:
            yield "apperror", {**data, "type": "error", "message": end.error}
        case "interrupted" if end is not None:
            yield "apperror", {**data, "type": "interrupted", "message": end.error}
        case _:
            yield "cancel", {**data, "type": "cancelled", "message": "Task cancelled."}


def usage_of(usage: Any) -> Json:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cached_tokens": usage.cached,
        "reasoning_tokens": usage.reasoning,
        "estimated_cost": usage.cost / 1_000_000,
    }


def _todo(status: e.PlanStatus) -> str:
    return "in_progress" if status == "running" else status
