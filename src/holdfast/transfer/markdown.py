"""A transcript as Markdown, for people. What looks like a secret is hidden."""

import re
from collections.abc import Iterable

from holdfast.core.items import (
    Approval,
    End,
    Item,
    Notice,
    Plan,
    Question,
    Steer,
    Text,
    Thought,
    ToolCall,
    UserMessage,
)
from holdfast.core.mask import masked
from holdfast.core.state import State
from holdfast.transfer.answered import answered, spelled

_FENCES = re.compile(r"`{3,}")
DONE = {"completed": "x", "running": "-", "pending": " "}
ENDINGS = {"cancelled": "Cancelled.", "failed": "Failed.", "interrupted": "Interrupted."}


def heading(session: State) -> str:
    facts = [
        f"- Created: {spelled(session.created)}",
        f"- Agent: {session.agent}" if session.agent else "",
        f"- Model: {session.model}" if session.model else "",
        f"- Project: {session.project}" if session.project else "",
        f"- Tags: {', '.join(session.tags)}" if session.tags else "",
    ]
    told = "\n".join(fact for fact in facts if fact)
    return masked(f"# {_line(session.title) or 'Untitled'}\n\n{told}\n")


def turn(items: Iterable[Item]) -> str:
    """One turn, with an empty line before each part."""
    return "".join(f"\n{masked(part)}\n" for item in items if (part := _part(item)))


def _part(item: Item) -> str:
    match item:
        case UserMessage():
            files = "".join(f"\n\n*File: {_line(file.name)} ({file.size} bytes)*" for file in item.attachments)
            return f"## You, {spelled(item.time)}\n\n{item.text}{files}"
        case Text():
            return f"**Agent**{_found(item)}\n\n{item.flush()}"
        case Thought():
            return f"<details><summary>Reasoning</summary>\n\n{fenced(item.flush())}\n\n</details>"
        case ToolCall():
            return _tool(item)
        case Plan():
            lines = [f"- [{DONE[entry.status]}] {_line(entry.text)}" for entry in item.entries]
            return "\n".join(["**Plan**", "", *lines])
        case Notice():
            return f"> {_line(item.text)}"
        case Steer():
            return f"**You, meanwhile**\n\n{item.text}"
        case Approval():
            return f"**Asked for leave**: {_line(answered(item))}\n\n{fenced(item.command)}"
        case Question():
            given = "(secret)" if item.secret else item.answer or f"({item.state})"
            return f"**Asked**: {item.text}\n\n**Answered**: {given}"
        case End():
            ending = ENDINGS.get(item.outcome, "")
            return f"> **{ending}** {_line(item.error)}".rstrip() if ending else ""


def _tool(item: ToolCall) -> str:
    parts = [f"**Tool: {_line(item.title or item.name or 'tool')}** ({item.status}){_found(item)}"]
    parts += [fenced(item.arguments)] if item.arguments else []
    parts += [fenced(item.flush())] if item.flush() else []
    parts += [f"{_line(diff.path)}:\n\n{fenced(diff.new)}" for diff in item.diffs]
    parts += [f"> {_line(item.error)}"] if item.error else []
    return "\n\n".join(parts)


def _found(item: Text | ToolCall) -> str:
    return " (recovered)" if item.recovered else ""


def fenced(text: str) -> str:
    """As a block that nothing inside of it can end."""
    longest = max((len(found) for found in _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())
