"""What is known of the tool calls of a turn.

An agent may send a change without a start, the same content again and again with a little more at its end, or a
permission request that names a call and nothing else. So we remember what was said of each call: to mark its first
event, to send only what is new of its output, and to show with a permission what the call is about.
"""

from collections.abc import Iterable

from msgspec import UNSET, Raw, UnsetType

from holdfast.agents.acp import wire
from holdfast.core.events import Diff, ToolChanged, ToolStatus
from holdfast.core.ids import CallId, TurnId

STATUSES: dict[str, ToolStatus] = {
    "pending": "pending",
    "in_progress": "running",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "failed",
}


OUTPUT = 4_000_000
"""Characters of the output of one call; what comes after them is left out, and the output says so."""
CUT = "\n[The rest is left out: the output is longer than 4 million characters.]"


class Call:
    """One tool call, as far as the agent has described it."""

    def __init__(self) -> None:
        self.name = ""
        self.title = ""
        self.action = ""
        self.arguments = ""
        self.diffs: tuple[Diff, ...] = ()
        self._output: list[str] = []
        self._length = 0
        self._cut = False

    def learn(self, said: wire.ToolCall) -> None:
        """Take over what is said about what the call is."""
        meta = said.meta
        named = said.name or (meta.claude_code.tool_name if meta.claude_code else None)
        self.name = named or self.name
        self.title = said.title or self.title
        self.action = said.kind or self.action
        self.arguments = wire.text_of(said.raw_input) or self.arguments
        self.diffs = tuple(_diffs(said.content or ())) or self.diffs

    def grow(self, said: wire.ToolCall) -> tuple[str | UnsetType, str]:
        """Take over what is said about its output; return what replaces it and what is added to it."""
        return (UNSET, "") if self._cut else self._bounded(*self._news(said))

    def _bounded(self, replaced: str | UnsetType, added: str) -> tuple[str | UnsetType, str]:
        before = self._length if replaced is UNSET else 0
        self._length = before + len(added if replaced is UNSET else replaced)
        if self._length <= OUTPUT:
            return replaced, added
        self._cut, self._output = True, []
        return (UNSET, added[: OUTPUT - before] + CUT) if replaced is UNSET else (replaced[:OUTPUT] + CUT, "")

    def _news(self, said: wire.ToolCall) -> tuple[str | UnsetType, str]:
        live = said.meta.terminal_output
        whole = _text(said.content or ())
        if not whole and not self._output and live is None:
            whole = _plain(said.raw_output)
        if not whole:
            added = live.data if live is not None else ""
            if added:
                self._output.append(added)
            return UNSET, added
        before = "".join(self._output)
        self._output = [whole]
        if before and whole.startswith(before):
            return UNSET, whole[len(before) :]
        return whole, ""

    def print(self, text: str) -> str:
        """Take over what a terminal of ours printed; return what is added to the output."""
        if self._cut:
            return ""
        self._output.append(text)
        return self._bounded(UNSET, text)[1]


class Calls:
    """The calls of one turn."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}

    def known(self, call: str) -> Call | None:
        return self._calls.get(call)

    def change(self, turn: TurnId, said: wire.ToolCall, parent: CallId | None) -> ToolChanged:
        """The event for what the agent said of a call: only what is new in it, `first` on the first one."""
        call = self._calls.get(said.tool_call_id)
        first = call is None
        call = self._calls.setdefault(said.tool_call_id, call or Call())
        name, title, action, arguments, diffs = call.name, call.title, call.action, call.arguments, call.diffs
        call.learn(said)
        output, appended = call.grow(said)
        return ToolChanged(
            turn=turn,
            call=CallId(said.tool_call_id),
            first=first,
            parent=parent,
            name=UNSET if call.name == name else call.name,
            title=UNSET if call.title == title else call.title,
            action=UNSET if call.action == action else call.action,
            arguments=UNSET if call.arguments == arguments else call.arguments,
            status=STATUSES.get(said.status or "", UNSET),
            output=output,
            appended=appended,
            diffs=UNSET if call.diffs == diffs else call.diffs,
            error=said.ours.error or UNSET,
        )

    def print(self, turn: TurnId, call: CallId, text: str) -> ToolChanged | None:
        """The event for what a terminal printed that the call shows; None if this turn has no such call."""
        known = self._calls.get(call)
        added = "" if known is None else known.print(text)
        return ToolChanged(turn=turn, call=call, appended=added) if added else None

    def describe(self, said: wire.ToolCall) -> Call:
        """All that is known of a call that a permission is asked for, what is said with it included."""
        call, before = Call(), self._calls.get(said.tool_call_id)
        if before is not None:
            call.name, call.title, call.action = before.name, before.title, before.action
            call.arguments, call.diffs = before.arguments, before.diffs
        call.learn(said)
        return call


def text_in(content: wire.Content) -> str:
    """What a block says in words; nothing for what can't be said in words."""
    match content.type:
        case "text":
            return content.text
        case "resource_link":
            return f"[{content.name or content.uri}]({content.uri})"
        case "resource":
            return content.resource.text if content.resource else ""
        case _:
            return ""


def terminals(said: wire.ToolCall) -> list[str]:
    """The terminals that a call shows."""
    blocks = [wire.read(raw, wire.ToolContent) for raw in said.content or ()]
    return [block.terminal_id for block in blocks if block is not None and block.type == "terminal"]


def words(said: wire.ToolCall) -> str:
    """The text among the content of a call."""
    return _text(said.content or ())


def _text(blocks: Iterable[Raw]) -> str:
    texts: list[str] = []
    for raw in blocks:
        block = wire.read(raw, wire.ToolContent)
        if block is not None and block.type == "content":
            content = wire.read(block.content, wire.Content)
            texts.append(text_in(content) if content is not None else "")
    return "\n".join(text for text in texts if text)


def _diffs(blocks: Iterable[Raw]) -> Iterable[Diff]:
    for raw in blocks:
        block = wire.read(raw, wire.ToolContent)
        if block is not None and block.type == "diff":
            yield Diff(path=block.path, old=block.old_text, new=block.new_text)


def _plain(raw: Raw) -> str:
    """A tool's raw result as words: text as it is, the text inside the usual wrapping, or else its JSON."""
    result = wire.read(raw, wire.RawOutput)
    if result is not None and (result.output or result.stdout):
        return result.output or result.stdout or ""
    said = wire.read(raw, str)
    return said if said is not None else wire.text_of(raw)
