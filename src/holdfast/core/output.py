"""What a run shows: text, thoughts, tool calls, its plan, notices, usage.

Each function changes one turn, which the caller has found to be allowed to grow. An adopted fact (`record.late`)
marks what it touches as recovered.
"""

from holdfast.core.events import (
    NoticeRaised,
    PlanReplaced,
    TextAppended,
    ThoughtAppended,
    ToolChanged,
    UsageReported,
)
from holdfast.core.ids import CallId
from holdfast.core.items import Notice, Plan, Text, Thought, ToolCall, Usage
from holdfast.core.records import Record
from holdfast.core.turns import Turn


def speak(turn: Turn, record: Record, event: TextAppended | ThoughtAppended) -> None:
    """Words go on what their speaker said last, if it is of the same kind and the same message."""
    kind = Text if isinstance(event, TextAppended) else Thought
    item = turn.tail(event.parent)
    if not isinstance(item, kind) or item.message != event.message:
        if not event.text:
            return
        hush(turn, event.parent, record.time)
        item = kind(
            turn=turn.id,
            k=turn.next_k(),
            time=record.time,
            parent=event.parent,
            message=event.message,
        )
        turn.add(item)
        turn.doing = "writing" if kind is Text else "thinking"
    turn.went_on()
    item.pieces.append(event.text)
    item.recovered |= record.late is not None


def hush(turn: Turn, parent: CallId | None, time: int) -> None:
    """End the thought of this speaker, who does something else now."""
    item = turn.tail(parent)
    if isinstance(item, Thought) and not item.ended:
        item.ended = time


def use_tool(turn: Turn, record: Record, event: ToolChanged) -> None:
    item = turn.call(event.call)
    if item is None:
        if not event.first and record.late is None:
            return
        hush(turn, event.parent, record.time)
        item = ToolCall(
            turn=turn.id,
            k=turn.next_k(),
            time=record.time,
            parent=event.parent,
            call=event.call,
        )
        turn.add(item)
    change_tool(turn, item, record, event)


def change_tool(turn: Turn, item: ToolCall, record: Record, event: ToolChanged) -> None:
    """Take over what the event sets. `item` may come from the turn or from among its settled items."""
    item.merge(event, record.time)
    item.recovered |= record.late is not None
    if turn.outcome is not None:
        item.interrupt(record.time)
    elif item.finished:
        turn.finished(item.call)
    else:
        turn.doing = item.title or item.name


def replace_plan(turn: Turn, record: Record, event: PlanReplaced) -> None:
    if turn.plan is None:
        turn.plan = turn.next_k()
        turn.items[turn.plan] = Plan(turn=turn.id, k=turn.plan, time=record.time)
    item = turn.items.get(turn.plan)
    if isinstance(item, Plan):
        item.entries = event.entries
        item.recovered |= record.late is not None


def notify(turn: Turn, record: Record, event: NoticeRaised) -> None:
    hush(turn, None, record.time)
    notice = Notice(
        turn=turn.id,
        k=turn.next_k(),
        time=record.time,
        text=event.text,
        level=event.level,
        code=event.code,
    )
    notice.recovered = record.late is not None
    turn.add(notice)


def spend(usage: Usage, event: UsageReported) -> None:
    usage.input += event.input
    usage.output += event.output
    usage.cached += event.cached
    usage.reasoning += event.reasoning
    usage.cost += event.cost
