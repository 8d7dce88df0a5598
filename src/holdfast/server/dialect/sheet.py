"""A session as the dialect shows it: what it is called and how it is kept, what is pending, and what was said.

Law: made anew from the store for every answer. An idle session has nothing pending, also while recovery is.
"""

import msgspec
from msgspec import UNSET, UnsetType

from holdfast.core import window
from holdfast.core.events import Attachment
from holdfast.core.ids import SessionId
from holdfast.core.items import Item
from holdfast.core.session import Session
from holdfast.server.dialect.addressed import opened
from holdfast.server.dialect.messages import Message, ToolUse, Transcript, transcript
from holdfast.server.dialect.runs import RunName, active_turn
from holdfast.server.schema.base import Answer
from holdfast.server.wiring import Wiring
from holdfast.store.protocol import Opened, Store

MOST = 500
"""Messages that are sent at once where a limit is named."""
UNTITLED = "Untitled"


class Sheet(Answer, frozen=True, kw_only=True, omit_defaults=False):
    """Times are whole seconds. `messages` and what belongs to them are there where they were asked for."""

    session_id: SessionId
    title: str
    workspace: str
    model: str
    profile: str
    project_id: str | None
    pinned: bool
    archived: bool
    created_at: int
    updated_at: int
    last_message_at: int
    message_count: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    estimated_cost: float
    parent_session_id: SessionId | None
    active_stream_id: str | None
    pending_user_message: str | None
    pending_started_at: int | None
    pending_attachments: tuple[Attachment, ...]
    messages: list[Message] | UnsetType = UNSET
    tool_calls: list[ToolUse] | UnsetType = UNSET
    messages_truncated: bool | UnsetType = msgspec.field(name="_messages_truncated", default=UNSET)
    messages_offset: int | UnsetType = msgspec.field(name="_messages_offset", default=UNSET)
    msg_limit_max: int | UnsetType = msgspec.field(name="_msg_limit_max", default=UNSET)


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """Which messages are wanted: those before index `before`, the last `limit` of them."""

    limit: int | None = None
    before: int | None = None


async def read_sheet(wiring: Wiring, session: SessionId, stretch: Stretch | None = None) -> Sheet:
    """The session as it is now; with messages where a stretch of them is named. Raise `NoSuchSession`.

    To read a session whose recovery is pending is to ask for an attempt at it.
    """
    found = await opened(wiring, session)
    if found.session.recovering:
        wiring.supervisor.nudge(session)
    said = await read_transcript(wiring.store, session, found)
    sheet = _sheet(session, found.session, len(said.messages))
    return sheet if stretch is None else _with_messages(sheet, said, stretch)


async def read_transcript(store: Store, session: SessionId, found: Opened) -> Transcript:
    """All that was said, from the first page on."""
    entries = list(window.transcript(found.session))
    for number in range(1, found.page.number):
        entries += (await store.page(session, number)).items
    entries += found.page.items
    entries.sort(key=lambda entry: (entry.number, entry.item.k, entry.part))
    items: list[Item] = [entry.item for entry in entries]
    return transcript(session, items)


def _with_messages(sheet: Sheet, said: Transcript, stretch: Stretch) -> Sheet:
    """Tools keep the index of their message among all messages, less those that were left out before it."""
    end = len(said.messages) if stretch.before is None else max(0, min(stretch.before, len(said.messages)))
    first = 0 if stretch.limit is None else max(0, end - min(stretch.limit, MOST))
    tools = [
        msgspec.structs.replace(tool, assistant_msg_idx=tool.assistant_msg_idx - first)
        for tool in said.tool_calls
        if first <= tool.assistant_msg_idx < end
    ]
    return msgspec.structs.replace(
        sheet,
        messages=said.messages[first:end],
        tool_calls=tools,
        messages_truncated=first > 0,
        messages_offset=first,
        msg_limit_max=MOST,
    )


def _sheet(session: SessionId, state: Session, count: int) -> Sheet:
    active = active_turn(state)
    return Sheet(
        session_id=session,
        title=state.title or UNTITLED,
        workspace=state.workspace,
        model=state.model or (state.described.model if state.described is not None else ""),
        profile="default",
        project_id=state.project or None,
        pinned=state.pinned,
        archived=state.archived,
        created_at=state.created // 1000,
        updated_at=state.active_at // 1000,
        last_message_at=state.active_at // 1000,
        message_count=count,
        input_tokens=state.usage.input,
        output_tokens=state.usage.output,
        total_tokens=state.usage.input + state.usage.output,
        estimated_cost=state.usage.cost / 1_000_000,
        parent_session_id=state.predecessor,
        active_stream_id=None if active is None else str(RunName(session, active.id)),
        pending_user_message=None if active is None else active.message.text,
        pending_started_at=None if active is None else active.message.time // 1000,
        pending_attachments=() if active is None else active.message.attachments,
    )
