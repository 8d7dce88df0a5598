"""The transcript as the dialect has it: a row of messages, and the tools beside it.

Law: a message stands in it when its turn has ended; until then it is pending and its output is the stream's. Of a turn
that ended well each answer is a message, with the reasoning before it and the tools after it. Of any other turn what
was streamed is one partial message, then comes its one marker. What was found after the run had died is a message of
its own, above the marker.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from holdfast.core.events import Attachment
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.items import END, End, Item, Steer, Text, Thought, ToolCall, UserMessage
from holdfast.server.dialect.runs import RunName
from holdfast.server.schema.base import Answer

Json = dict[str, Any]
PREVIEW = 2_000
"""Characters of what a tool printed."""
CANCELLED = "**Task cancelled:** Task cancelled. What was streamed before is above."
INTERRUPTED = "**Response interrupted.**"
RECOVERED = (
    "The partial output above was recovered from the run journal, but the interrupted agent process could not continue."
)
PENDING = "Recovering the partial output from the run journal — reload this session to retry."
NEUTRAL = "Partial output may have been lost."
KEPT = "What was streamed before is above."
NOTHING = "The user message above was preserved, but no agent output was recovered."


class PartialTool(Answer, frozen=True, kw_only=True):
    """A tool as a partial message has it. `done`: it came to its end."""

    name: str
    args: Json
    done: bool
    tid: str
    is_error: bool
    snippet: str


class ToolUse(PartialTool, frozen=True, kw_only=True):
    """A tool of the session, and the index of the message that it belongs to."""

    assistant_msg_idx: int


class Message(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """`timestamp` is in whole seconds: when it was sent, or began to be said."""

    role: Literal["user", "assistant"]
    content: str
    timestamp: int
    attachments: tuple[Attachment, ...] | UnsetType = UNSET
    reasoning: str | UnsetType = UNSET
    type: str | UnsetType = UNSET
    error: bool | UnsetType = msgspec.field(name="_error", default=UNSET)
    partial: bool | UnsetType = msgspec.field(name="_partial", default=UNSET)
    partial_tool_calls: tuple[PartialTool, ...] | UnsetType = msgspec.field(name="_partial_tool_calls", default=UNSET)
    recovered: bool | UnsetType = msgspec.field(name="_recovered_from_run_journal", default=UNSET)
    pending_recovery: bool | UnsetType = msgspec.field(name="_pending_journal_recovery", default=UNSET)
    retry_stream_id: str | UnsetType = msgspec.field(name="_journal_retry_stream_id", default=UNSET)
    retry_attempts: int | UnsetType = msgspec.field(name="_journal_retry_attempts", default=UNSET)
    retry_first_seen: int | UnsetType = msgspec.field(name="_journal_retry_first_seen_ts", default=UNSET)
    steer: bool | UnsetType = msgspec.field(name="_steer", default=UNSET)


class Transcript(msgspec.Struct, frozen=True):
    """`turns` names the turn of each message."""

    messages: list[Message]
    tool_calls: list[ToolUse]
    turns: list[TurnId]


def transcript(session: SessionId, items: Iterable[Item]) -> Transcript:
    """The messages of ended turns, from their items in reading order (a long text: its parts in order)."""
    said = Transcript([], [], [])
    for turn, group in groupby(items, lambda item: item.turn):
        shown = list(group)
        end = shown[-1]
        if isinstance(end, End):
            for message, tools in _turn(session, shown, end):
                index = len(said.messages)
                said.messages.append(message)
                said.turns.append(turn)
                said.tool_calls.extend(
                    ToolUse(assistant_msg_idx=index, **msgspec.structs.asdict(_tool(tool))) for tool in tools
                )
    return said


def _turn(session: SessionId, items: list[Item], end: End) -> Iterator[tuple[Message, list[ToolCall]]]:
    streamed = False
    well = end.outcome == "completed"
    for group in _groups(items, well=well):
        first = group[0]
        if isinstance(first, UserMessage):
            yield _user(first.text, first.time, first.attachments), []
        elif isinstance(first, Steer):
            yield msgspec.structs.replace(_user(first.text, first.time, ()), steer=True), []
        else:
            streamed = True
            yield _assistant(group, well=well)
    if not well:
        yield _marker(session, end, streamed=streamed), []


def _groups(items: list[Item], *, well: bool) -> Iterator[list[Item]]:
    """The items of one message each."""
    group: list[Item] = []
    for item in items:
        if item.k == END or not isinstance(item, UserMessage | Steer | Text | Thought | ToolCall):
            continue
        if item.parent is not None and not isinstance(item, ToolCall):  # what a sub-agent says is its caller's matter
            continue
        if group and _parts(group, item, well=well):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _parts(group: list[Item], item: Item, *, well: bool) -> bool:
    """Whether `item` begins another message."""
    last = group[-1]
    if isinstance(last, UserMessage | Steer) or isinstance(item, UserMessage | Steer):
        return True
    if not well:
        return item.recovered != last.recovered
    match item:
        case Text():
            return isinstance(last, ToolCall) or (isinstance(last, Text) and last.k != item.k)
        case Thought():
            return not isinstance(last, Thought)
        case _:
            return False


def _user(text: str, time: int, attachments: tuple[Attachment, ...]) -> Message:
    return Message(role="user", content=text, timestamp=time // 1000, attachments=attachments)


def _assistant(group: list[Item], *, well: bool) -> tuple[Message, list[ToolCall]]:
    tools = [item for item in group if isinstance(item, ToolCall)]
    reasoning = _joined(item for item in group if isinstance(item, Thought))
    partial = tuple(_tool(tool) for tool in tools)
    message = Message(
        role="assistant",
        content=_joined(item for item in group if isinstance(item, Text)),
        timestamp=group[0].time // 1000,
        reasoning=reasoning or UNSET,
        partial=UNSET if well else True,
        partial_tool_calls=partial if partial and not well else UNSET,
        recovered=True if group[0].recovered else UNSET,
    )
    return message, tools


def _joined(items: Iterable[Text | Thought]) -> str:
    """The parts of one long text follow each other; two texts are parted by an empty line."""
    return "\n\n".join("".join(item.flush() for item in parts) for _, parts in groupby(items, lambda item: item.k))


def _tool(call: ToolCall) -> PartialTool:
    return PartialTool(
        name=call.name or call.title,
        args=arguments(call),
        done=call.status in ("completed", "failed"),
        tid=call.call,
        is_error=call.status == "failed",
        snippet=excerpt(call),
    )


def arguments(call: ToolCall) -> Json:
    """What a tool was given: an object, whatever its agent sent."""
    try:
        given: Any = msgspec.json.decode(call.arguments) if call.arguments else {}
    except msgspec.DecodeError:
        given = call.arguments
    return given if isinstance(given, dict) else {"input": given}  # pyright: ignore[reportUnknownVariableType]  any JSON


def excerpt(call: ToolCall) -> str:
    return (call.error or call.flush())[:PREVIEW]


def _marker(session: SessionId, end: End, *, streamed: bool) -> Message:
    pending = end.recovery == "pending"
    return Message(
        role="assistant",
        content=_words(end, streamed=streamed),
        timestamp=end.time // 1000,
        type="error" if end.outcome == "failed" else end.outcome,
        error=True,
        pending_recovery=True if pending else UNSET,
        retry_stream_id=str(RunName(session, end.turn)) if pending else UNSET,
        retry_attempts=end.attempts if pending else UNSET,
        retry_first_seen=end.pending_since // 1000 if pending else UNSET,
    )


def _words(end: End, *, streamed: bool) -> str:
    match end.outcome, end.recovery:
        case "cancelled", _:
            return CANCELLED
        case "failed", _:
            return f"**Error:** {end.error}"
        case _, "recovered":
            rest = RECOVERED
        case _, "pending":
            rest = PENDING
        case _, "neutral":
            rest = NEUTRAL
        case _:  # it is proven that nothing is missing
            rest = KEPT if streamed else NOTHING
    return f"{INTERRUPTED} {rest} {end.error}".rstrip()
