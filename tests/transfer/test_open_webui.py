"""Chats of Open WebUI: the branch that was shown is the session, the others are in the archive."""

import base64
import json
from pathlib import Path
from typing import Any

from holdfast.core.items import End, Text, Thought, UserMessage
from holdfast.transfer.identity import OPEN_WEBUI, imported_id
from tests.transfer.stage import brought, items, opened, rows

AT = 1_760_000_000


def node(name: str, parent: str | None, role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"id": name, "parentId": parent, "role": role, "content": content, "timestamp": AT, **fields}


def chat(nodes: list[dict[str, Any]], current: str, **fields: Any) -> dict[str, Any]:
    messages = {entry["id"]: entry for entry in nodes}
    inner = {"title": "A chat", "history": {"messages": messages, "currentId": current}, "messages": []}
    return {"id": "c1", "title": "A chat", "created_at": AT, "chat": inner, "meta": {"tags": ["fun"]}, **fields}


async def test_branches_pictures_reasoning_and_errors(tmp_path: Path) -> None:
    picture = "data:image/png;base64," + base64.b64encode(b"png").decode()
    nodes = [
        node("1", None, "user", "Look", files=[{"type": "image", "url": picture}, {"type": "file", "name": "a.pdf"}]),
        node("2", "1", "assistant", "<think>hm</think>A cat."),
        node("3", "1", "assistant", "A dog."),
        node("4", "2", "user", "Sure?"),
        node("5", "4", "assistant", "", error={"content": "Overloaded"}),
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([chat(nodes, "5", pinned=True), {"id": "bad"}, 7, chat([], "x", id="empty")]))
    async with opened(tmp_path / "home") as store:
        report = await brought(store, tmp_path / "home", "open-webui", path)
        (row,) = await rows(store)
        (other,) = await rows(store, archived=True)
        told = await items(store, row.id)
        branch = await items(store, other.id)
        again = await brought(store, tmp_path / "home", "open-webui", path)
    assert row.id == imported_id(OPEN_WEBUI, "c1")
    assert (row.overview.title, row.overview.tags, row.overview.pinned) == ("A chat", ("fun",), True)
    assert [type(item) for item in told] == [UserMessage, Thought, Text, End, UserMessage, End]
    assert isinstance(told[0], UserMessage)
    assert (len(told[0].attachments), told[0].time) == (1, AT * 1000)
    assert isinstance(told[-1], End)
    assert (told[-1].outcome, told[-1].error) == ("failed", "Overloaded")
    assert [item.flush() for item in branch if isinstance(item, Text)] == ["A dog."]
    assert {left.what for left in report.left} == {"file 'a.pdf'", "the whole chat"}
    assert (again.known, again.taken) == (2, [])


async def test_a_tree_that_bites_its_tail_ends(tmp_path: Path) -> None:
    nodes = [node("1", "2", "user", "One"), node("2", "1", "assistant", "Two")]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([chat(nodes, "2")]))
    async with opened(tmp_path / "home") as store:
        report = await brought(store, tmp_path / "home", "open-webui", path)
    assert [taken.messages for taken in report.taken] == [2]
