"""What an agent that comes new to a session is told about what was said and done before.

Our own words around it are few and plain; what it quotes is the transcript as people saw it. Markers are never sent
to a model.
"""

from collections.abc import Iterable, Sequence

from holdfast.core import window
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.items import End, Item, Steer, Text, ToolCall, UserMessage
from holdfast.store.protocol import Store

LENGTH = 40_000
"""Characters of transcript that are handed over: the end of it, if there is more."""
OUTPUT = 2_000
"""Characters of what a tool printed."""


def recount(items: Iterable[Item]) -> str:
    """The transcript as text, oldest first, cut at the front if it is long."""
    lines = [line for item in items if (line := _line(item))]
    text = "\n\n".join(lines)
    return text if len(text) <= LENGTH else f"[earlier messages left out]\n{text[-LENGTH:]}"


async def transcript(store: Store, session: SessionId) -> list[Item]:
    """The last two pages and what is still open: more than an agent is ever handed."""
    opened = await store.open(session)
    earlier = await store.page(session, opened.page.number - 1)
    entries = [*earlier.items, *opened.page.items, *window.transcript(opened.session)]
    entries.sort(key=lambda entry: (entry.number, entry.item.k, entry.part))
    return [entry.item for entry in entries]


def unfinished(items: Sequence[Item]) -> str:
    """What the agent said in a last turn that was cut off: it may not have kept that itself.

    A turn that was stopped is one of them if that took the end of its process, which its end says then.
    """
    last = next((item for item in reversed(items) if isinstance(item, End)), None)
    if last is None or last.outcome == "completed" or (last.outcome == "cancelled" and not last.error):
        return ""
    said = [item.flush() for item in items if isinstance(item, Text) and item.turn == last.turn and not item.parent]
    return "\n\n".join(said)[-LENGTH:]


def _line(item: Item) -> str:
    match item:
        case UserMessage() | Steer():
            return f"The user said:\n{_quoted(item.text)}"
        case Text():
            return f"You said:\n{_quoted(item.flush())}"
        case ToolCall():
            used = item.title or item.name or "a tool"
            return f"You used {used} ({item.status}):\n{_quoted(item.flush()[:OUTPUT])}"
        case _:
            return ""


def _quoted(text: str) -> str:
    """As a quotation, so that nothing that was said can pass for what is being said now."""
    return "\n".join(f"> {line}" for line in text.splitlines())


def introduced(text: str, before: Sequence[Item]) -> str:
    """A message to an agent that does not know the conversation yet."""
    told = recount(before)
    if not told:
        return text
    return f"This conversation began before you joined it. So far:\n\n{told}\n\nThe user now says:\n\n{text}"


def continued(text: str, turn: TurnId, items: Iterable[Item]) -> str:
    """A message that takes up an interrupted turn."""
    done = recount(item for item in items if item.turn == turn)
    return (
        "Your last turn was interrupted. A step that it says is interrupted may or may not have happened: check before"
        f" you repeat it. What you had been asked, said and done:\n\n{done}\n\nThe user now says:\n\n{text}"
    )
