"""A transcript as a page of its own: it loads nothing, runs nothing, and shows everything as the text that it is.

Law: whatever was said stands in the page escaped. What looks like a secret is hidden.
"""

import base64
from collections.abc import Callable, Iterable
from html import escape

from holdfast.core.events import Attachment
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
from holdfast.transfer.markdown import DONE, ENDINGS, spelled

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
LARGEST_PICTURE = 5_000_000
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
.said, pre { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { padding: .5rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .4rem; }
.user { border-left: .25rem solid #6a8; padding-left: .8rem; margin-top: 2rem; }
.marker { border-left: .25rem solid #c84; padding-left: .8rem; }
small { opacity: .7; } img { max-width: 100%; }
"""
Read = Callable[[str], bytes | None]
"""Gives the bytes of a blob."""


def heading(session: State) -> str:
    title = _safe(session.title or "Untitled")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    about = " · ".join(_safe(part) for part in (spelled(session.created), session.agent, session.model) if part)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<p><small>{about}</small></p>\n"
    )


def turn(items: Iterable[Item], read: Read) -> str:
    return "".join(f"{part}\n" for item in items if (part := _part(item, read)))


ENDING = "</body></html>\n"


def _part(item: Item, read: Read) -> str:
    match item:
        case UserMessage():
            files = "".join(_file(file, read) for file in item.attachments)
            return f'<section class="user"><small>You, {spelled(item.time)}</small>{_said(item.text)}{files}</section>'
        case Text():
            return _said(item.flush())
        case Thought():
            return f"<details><summary>Reasoning</summary>{_said(item.flush())}</details>"
        case ToolCall():
            return _tool(item)
        case Plan():
            entries = "".join(f"<li>[{DONE[entry.status]}] {_safe(entry.text)}</li>" for entry in item.entries)
            return f"<ul>{entries}</ul>"
        case Notice():
            return f'<p class="marker"><small>{_safe(item.text)}</small></p>'
        case Steer():
            return f'<section class="user"><small>You, meanwhile</small>{_said(item.text)}</section>'
        case Approval():
            return f"<p><b>Asked for leave</b>: {_safe(item.choice or item.state)}</p><pre>{_safe(item.command)}</pre>"
        case Question():
            given = "(secret)" if item.secret else item.answer or f"({item.state})"
            return f"<p><b>Asked</b>: {_safe(item.text)}<br><b>Answered</b>: {_safe(given)}</p>"
        case End():
            ending = ENDINGS.get(item.outcome, "")
            return f'<p class="marker"><b>{ending}</b> {_safe(item.error)}</p>' if ending else ""


def _tool(item: ToolCall) -> str:
    shown = [text for text in (item.arguments, item.flush(), *(diff.new for diff in item.diffs), item.error) if text]
    name = _safe(item.title or item.name or "tool")
    blocks = "".join(f"<pre>{_safe(text)}</pre>" for text in shown)
    return f"<details><summary>{name} ({item.status})</summary>{blocks}</details>"


def _file(file: Attachment, read: Read) -> str:
    name = f"<p><small>File: {_safe(file.name)} ({file.size} bytes)</small></p>"
    body = read(file.blob) if file.media_type in PICTURES and file.size <= LARGEST_PICTURE else None
    if body is None:
        return name
    return f'{name}<img alt="" src="data:{file.media_type};base64,{base64.b64encode(body).decode()}">'


def _said(text: str) -> str:
    return f'<div class="said">{_safe(text)}</div>'


def _safe(text: str) -> str:
    return escape(masked(text), quote=True)
