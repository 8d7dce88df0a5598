"""A transcript as a page of its own, to be shared: it loads nothing, runs nothing, and shows everything as the text
that it is.

Law: whatever was said stands in the page escaped. What looks like a secret is hidden.
"""

import base64
import difflib
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from html import escape

from holdfast.core.events import Attachment, Diff
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
from holdfast.transfer.look import POLICY, STYLE
from holdfast.transfer.markdown import DONE, ENDINGS

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
LARGEST_PICTURE = 5_000_000
COMPARED = 2_000
"""Lines of a file whose changes are shown line by line; a longer one is shown as it became."""
_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\1[`~]*[ \t]*$\n?|\Z)", re.MULTILINE | re.DOTALL)
Read = Callable[[str], bytes | None]
"""Gives the bytes of a blob."""


class Page:
    """Written from its beginning to its end: `heading`, each `turn`, `ending`."""

    def __init__(self, read: Read, *, whole: bool = True) -> None:
        self._read = read
        self._whole = whole
        self._asks: list[Approval | Question] = []

    def heading(self, session: State) -> str:
        title = _safe(session.title or "Untitled")
        part = "" if self._whole else "one turn of this session"
        told = (spelled(session.created), session.agent, session.model, part)
        about = " · ".join(_safe(each) for each in told if each)
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f'<meta name="referrer" content="no-referrer">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{STYLE}</style></head><body><main>\n"
            f'<header><h1>{title}</h1><p class="meta">{about}</p></header>\n'
        )

    def turn(self, items: Iterable[Item]) -> str:
        parts = "".join(f"{part}\n" for item in items if (part := self._part(item)))
        return f'<section class="turn">\n{parts}</section>\n' if parts else ""

    def ending(self) -> str:
        told = "What looks like a key or a password is hidden. Times are in UTC."
        return f'{self._approvals()}<footer class="meta">Shared from Holdfast. {told}</footer>\n</main></body></html>\n'

    def _approvals(self) -> str:
        if not self._asks:
            return ""
        rows = "".join(
            f'<tr><td>{_time(ask.time)}</td><td><a href="#ask-{number}"><code>{_safe(_about(ask))}</code></a></td>'
            f"<td>{_safe(answered(ask))}</td></tr>\n"
            for number, ask in enumerate(self._asks, 1)
        )
        head = "<tr><th>Asked</th><th>What</th><th>Answer</th></tr>"
        return f"<section><h2>Who approved what</h2>\n<table>{head}\n{rows}</table></section>\n"

    def _part(self, item: Item) -> str:
        match item:
            case UserMessage():
                files = "".join(self._file(file) for file in item.attachments)
                return f'<article class="user">{_said(item.text)}{files}{_meta("You", item.time)}</article>'
            case Text():
                return _prose(item.flush())
            case Thought():
                long = f" for {_long(item.ended - item.time)}" if item.ended else ""
                summary = f'<summary>Thought{long}<span class="meta">{_time(item.time)}</span></summary>'
                return f'<details class="thought">{summary}{_said(item.flush())}</details>'
            case ToolCall():
                return _step(item)
            case Plan():
                entries = "".join(f"<li>[{DONE[entry.status]}] {_safe(entry.text)}</li>" for entry in item.entries)
                return f"<ul>{entries}</ul>"
            case Notice():
                return f'<p class="meta marker">{_safe(item.text)}</p>'
            case Steer():
                return f'<article class="user">{_said(item.text)}{_meta("You, while it ran", item.time)}</article>'
            case Approval() | Question():
                self._asks.append(item)
                return _ask(item, len(self._asks))
            case End():
                return _end(item)

    def _file(self, file: Attachment) -> str:
        name = f'<p class="meta">File: {_safe(file.name)} ({file.size} bytes)</p>'
        small = file.media_type in PICTURES and file.size <= LARGEST_PICTURE
        body = self._read(file.blob) if small else None
        if body is None:
            return name
        return f'{name}<img alt="" src="data:{file.media_type};base64,{base64.b64encode(body).decode()}">'


def _about(ask: Approval | Question) -> str:
    return (ask.command or ask.title or ask.tool) if isinstance(ask, Approval) else ask.text


def _ask(ask: Approval | Question, number: int) -> str:
    state = "answer waits" if ask.state == "open" else "answer"
    if isinstance(ask, Approval):
        where = f" in {ask.directory}" if ask.directory else ""
        told = [_meta("Asked for leave", ask.time), f"<pre>{_safe(_about(ask))}</pre>"]
        told += (
            [f'<p class="meta">{_safe(f"{ask.description}{where}".strip())}</p>'] if ask.description or where else []
        )
        told += [_diff(diff) for diff in ask.diffs]
    else:
        given = "(secret)" if ask.secret and ask.answer_seq else ask.answer
        told = [_meta("Asked", ask.time), _said(ask.text), *([f"<pre>{_safe(given)}</pre>"] if given else [])]
    return f'<div class="ask" id="ask-{number}">{"".join(told)}<p class="{state}">{_safe(answered(ask))}</p></div>'


def _step(item: ToolCall) -> str:
    blocks = [f"<pre>{_safe(text)}</pre>" for text in (item.arguments, item.flush()) if text]
    blocks += [_diff(diff) for diff in item.diffs]
    blocks += [f'<pre class="red">{_safe(item.error)}</pre>'] if item.error else []
    long = f", {_long(item.ended - item.time)}" if item.ended else ""
    recovered = ", recovered" if item.recovered else ""
    name = _safe(item.title or item.name or "tool")
    failed = item.status == "failed"
    return (
        f'<details class="step{" failed" if failed else ""}"{" open" if failed else ""}><summary>{name}'
        f'<span class="meta">{item.status}{long}{recovered}</span></summary>{"".join(blocks)}</details>'
    )


def _diff(diff: Diff) -> str:
    old, new = masked(diff.old or "").splitlines(), masked(diff.new).splitlines()
    if max(len(old), len(new)) > COMPARED:
        lines = [f"+{line}" for line in new]
    else:
        lines = list(difflib.unified_diff(old, new, n=3, lineterm=""))[2:]
    kinds = {"+": "added", "-": "removed"}
    body = "\n".join(
        f'<span class="{kinds[line[0]]}">{escape(line)}</span>' if line[:1] in kinds else escape(line) for line in lines
    )
    return f'<p class="meta">{_safe(diff.path)}</p><pre>{body}</pre>'


def _end(item: End) -> str:
    ending = ENDINGS.get(item.outcome, "")
    long = f" after {_long(item.time - item.started)}" if item.started else ""
    used = item.usage.input + item.usage.output
    spent = f'<p class="meta">{item.usage.input} tokens read, {item.usage.output} written{long}</p>' if used else ""
    red = ' class="red"' if item.outcome == "failed" else ""
    said = (
        f'<p class="marker"><b{red}>{ending}</b> {_safe(item.error)} <span class="meta">{_time(item.time)}</span></p>'
    )
    return f"{said if ending else ''}{spent}"


def _prose(text: str) -> str:
    """Words as they are, code as blocks."""
    hidden, parts, after = masked(text), list[str](), 0
    for found in _CODE.finditer(hidden):
        parts += [hidden[after : found.start()], found[2]]
        after = found.end()
    parts.append(hidden[after:])
    blocks = [
        f"<pre>{escape(part)}</pre>" if number % 2 else f'<div class="said">{escape(part.strip())}</div>'
        for number, part in enumerate(parts)
        if part.strip()
    ]
    return "".join(blocks)


def _said(text: str) -> str:
    return f'<div class="said">{_safe(text)}</div>'


def _meta(who: str, time: int) -> str:
    return f'<p class="meta">{who}, {_time(time)}</p>'


def _time(time: int) -> str:
    moment = datetime.fromtimestamp(time / 1000, UTC).isoformat(timespec="milliseconds")
    return f'<time datetime="{moment}">{spelled(time)}</time>'


def _long(ms: int) -> str:
    seconds = max(0, ms) / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)} m {int(seconds % 60):02} s"


def _safe(text: str) -> str:
    return escape(masked(text), quote=True)
