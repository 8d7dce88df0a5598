"""What an agent reports, as facts of a session: one `match`, no I/O, no clock.

Law: facts come out in the order in which updates went in, each naming the turn that the translator was made for. What
we do not know yields nothing.
"""

from typing import assert_never

from holdfast.agents.acp import wire
from holdfast.agents.acp.calls import Call, Calls, text_in
from holdfast.agents.acp.thinking import Piece, Splitter
from holdfast.core.events import (
    AnyFact,
    Level,
    NoticeRaised,
    PlanEntry,
    PlanReplaced,
    PlanStatus,
    TextAppended,
    ThoughtAppended,
    TitleSuggested,
    UsageReported,
)
from holdfast.core.ids import CallId, TurnId
from holdfast.core.plausible import MOST, plausible

PLAN_STATUSES: dict[str, PlanStatus] = {"pending": "pending", "in_progress": "running", "completed": "completed"}
LEVELS: dict[str, Level] = {"info": "info", "warning": "warning", "error": "error"}
MILLION = 1_000_000


class Speaker:
    """One voice of a turn, the agent's own or a sub-agent's."""

    def __init__(self) -> None:
        self.splitter = Splitter()
        self.message = ""


class Meter:
    """The cost that the agent names is that of its whole session, so that a report can tell what is new. Lives as long
    as the agent."""

    def __init__(self, *, fresh: bool) -> None:
        """A session that is not `fresh` had cost something before: its first report is where we count from."""
        self._cost: float | None = 0.0 if fresh else None

    def cost(self, total: float) -> int:
        """In millionths, since the report before. A total that can't be is none."""
        if not 0 <= total <= MOST / MILLION:
            return 0
        before, self._cost = self._cost, total
        return 0 if before is None else max(0, round((total - before) * MILLION))


def _used(turn: TurnId, usage: wire.Usage) -> UsageReported | None:
    """The tokens at the end of a turn are those of the turn. The protocol's text can be read in another way too, as the
    sum of all turns; the agents of the catalog that name any agree on this one."""
    report = UsageReported(
        turn=turn,
        input=plausible(usage.input_tokens),
        output=plausible(usage.output_tokens),
        cached=plausible(usage.cached_read_tokens or 0),
        reasoning=plausible(usage.thought_tokens or 0),
    )
    return None if report == UsageReported(turn=turn) else report


class Translator:
    """Of one turn. The calls that it knows are those of this turn."""

    def __init__(self, turn: TurnId, meter: Meter) -> None:
        self._turn = turn
        self._meter = meter
        self._calls = Calls()
        self._speakers: dict[CallId | None, Speaker] = {}

    def translate(self, update: wire.AnyUpdate) -> list[AnyFact]:
        match update:
            case wire.MessageChunk():
                return self._speak(update)
            case wire.ThoughtChunk():
                parent, text = _parent(update), text_in(update.content)
                thought = ThoughtAppended(turn=self._turn, text=text, parent=parent, message=update.message_id or "")
                return [*self._release(parent), *([thought] if text else [])]
            case wire.ToolStarted() | wire.ToolUpdated():
                return self._use_tool(update)
            case wire.Planned():
                return [*self._release(None), self._plan(update.entries)]
            case wire.PlanChanged():
                return [*self._release(None), self._plan(update.plan.entries)] if update.plan.type == "items" else []
            case wire.PlanDropped():
                return [*self._release(None), self._plan(())]
            case wire.SessionInfo():
                return [TitleSuggested(title=update.title)] if update.title else []
            case wire.UsageUpdate():
                return [self._usage(update)]
            case wire.UserChunk():
                return []
            case wire.CommandsUpdate() | wire.ModeUpdate() | wire.OptionsUpdate():
                return []  # of the session, not of a turn
            case _:
                assert_never(update)

    def notice(self, notice: wire.Notice) -> list[AnyFact]:
        level = LEVELS.get(notice.level, "info")
        return [
            *self._release(None),
            NoticeRaised(text=notice.text, turn=self._turn, level=level, code=notice.code),
        ]

    def describe(self, said: wire.ToolCall) -> Call:
        """All that is known of the call that a permission is asked for."""
        return self._calls.describe(said)

    def print(self, call: CallId, text: str) -> list[AnyFact]:
        """What a terminal printed that a call of this turn shows."""
        change = self._calls.print(self._turn, call, text)
        return [] if change is None else [change]

    def pause(self) -> list[AnyFact]:
        """Say what was held back: something that is no update comes next, an ask or the end."""
        return [fact for parent in list(self._speakers) for fact in self._release(parent)]

    def finish(self, ended: wire.Prompted | None) -> list[AnyFact]:
        """The turn is over. Words that still come begin anew; calls are the same."""
        facts = self.pause()
        self._speakers.clear()
        usage = None if ended is None else wire.read(ended.usage, wire.Usage)
        report = None if usage is None else _used(self._turn, usage)
        return facts if report is None else [*facts, report]

    def _speak(self, update: wire.MessageChunk) -> list[AnyFact]:
        parent, text = _parent(update), text_in(update.content)
        if not text:
            return self._unspoken(update.content)
        speaker = self._speakers.setdefault(parent, Speaker())
        facts: list[AnyFact] = []
        if speaker.message != (update.message_id or ""):
            facts = self._release(parent)
            speaker.splitter, speaker.message = Splitter(), update.message_id or ""
        return facts + self._said(parent, speaker, speaker.splitter.feed(text))

    def _unspoken(self, content: wire.Content) -> list[AnyFact]:
        if content.type in ("text", "resource", "resource_link"):
            return []
        what = content.mime_type or content.type
        return [NoticeRaised(text=f"The agent sent something that can't be shown here ({what}).", turn=self._turn)]

    def _use_tool(self, update: wire.ToolStarted | wire.ToolUpdated) -> list[AnyFact]:
        parent = _parent(update)
        facts = self._release(parent)
        change = self._calls.change(self._turn, update, parent)
        if change.first:
            self._speakers.pop(parent, None)  # what follows a call is a new message: no tag is open in it
        return [*facts, change]

    def _plan(self, steps: tuple[wire.PlanStep, ...]) -> PlanReplaced:
        entries = [PlanEntry(text=step.content, status=PLAN_STATUSES.get(step.status, "pending")) for step in steps]
        return PlanReplaced(turn=self._turn, entries=tuple(entries))

    def _usage(self, update: wire.UsageUpdate) -> UsageReported:
        ours = update.ours
        return UsageReported(
            turn=self._turn,
            input=plausible(ours.input),
            output=plausible(ours.output),
            cached=plausible(ours.cached),
            reasoning=plausible(ours.reasoning),
            cost=plausible(ours.cost) or (self._meter.cost(update.cost.amount) if update.cost else 0),
            model=ours.model,
            context_used=plausible(update.used),
            context_window=plausible(update.size),
        )

    def _release(self, parent: CallId | None) -> list[AnyFact]:
        speaker = self._speakers.get(parent)
        return [] if speaker is None else self._said(parent, speaker, speaker.splitter.release())

    def _said(self, parent: CallId | None, speaker: Speaker, pieces: list[Piece]) -> list[AnyFact]:
        kinds = {"text": TextAppended, "thought": ThoughtAppended}
        return [
            kinds[kind](turn=self._turn, text=text, parent=parent, message=speaker.message) for kind, text in pieces
        ]


def _parent(update: wire.WithMeta) -> CallId | None:
    """The call of the sub-agent that this comes from."""
    if update.raw_meta == wire.NULL:
        return None
    meta = update.meta
    named = (meta.holdfast.parent if meta.holdfast else "") or (
        meta.claude_code.parent_tool_use_id if meta.claude_code else ""
    )
    return CallId(named) if named else None
