"""A transcript in two ways: as a reload shows it, and as the records had built it up on a screen.

The second is put together here, from the records alone and without the reducer, so that the two can be compared.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from httpx import Client

from holdfast.core.ids import SessionId

Json = dict[str, Any]


class Shown(NamedTuple):
    """What a person can tell apart: whose it is, what it is, its words, and for a tool or a marker its state."""

    turn: str
    type: str
    text: str
    state: str = ""
    arguments: str = ""


class Transcript:
    """A session as a fresh reload shows it: the snapshot, and every page before it."""

    def __init__(self, snapshot: Json, items: list[Json]) -> None:
        self.snapshot = snapshot
        self.session: Json = snapshot["session"]
        self.seq: int = snapshot["seq"]
        self.items = items

    @classmethod
    def read(cls, client: Client, session: SessionId) -> "Transcript":
        snapshot = client.get(f"/api/sessions/{session}").raise_for_status().json()
        entries = list(snapshot["page"]["items"])
        for number in range(1, snapshot["pages"]):
            page = client.get(f"/api/sessions/{session}/pages/{number}").raise_for_status().json()
            entries += page["items"]
        for turn in snapshot["session"].get("turns", {}).values():
            entries += [{"number": turn["number"], "item": item} for item in turn.get("items", {}).values()]
        return cls(snapshot, _joined(entries))

    @property
    def idle(self) -> bool:
        return not self.session.get("running") and not self.session.get("asks")

    @property
    def shown(self) -> list[Shown]:
        return [_shown(item) for item in self.items]

    def of(self, turn: str) -> list[Json]:
        return [item for item in self.items if item["turn"] == turn]

    def end(self, turn: str) -> Json:
        """The turn's marker, of which there must be one."""
        (end,) = [item for item in self.of(turn) if item["type"] == "end"]
        return end

    def text(self, turn: str) -> str:
        return "".join(item.get("text", "") for item in self.of(turn) if item["type"] == "text")


def _joined(entries: list[Json]) -> list[Json]:
    """Items in reading order, long texts made whole again."""
    entries.sort(key=lambda entry: (entry["number"], entry["item"]["k"], entry["item"].get("part", 0)))
    items: list[Json] = []
    for item in (entry["item"] for entry in entries):
        if items and (items[-1]["turn"], items[-1]["k"]) == (item["turn"], item["k"]):
            items[-1] = item | {"text": items[-1].get("text", "") + item.get("text", "")}
        else:
            items.append(item)
    return items


def _shown(item: Json) -> Shown:
    turn, kind = item["turn"], item["type"]
    match kind:
        case "tool":
            name, arguments = item.get("name", ""), item.get("arguments", "")
            return Shown(turn, kind, item.get("output", ""), f"{name} {item.get('status', 'pending')}", arguments)
        case "end":
            return Shown(turn, kind, item.get("error", ""), item["outcome"])
        case "approval" | "question":
            return Shown(turn, kind, item.get("command") or item.get("text", ""))
        case "plan":
            return Shown(turn, kind, "; ".join(entry["text"] for entry in item.get("entries", ())))
        case _:
            return Shown(turn, kind, item.get("text", ""))


def on_screen(records: Iterable[Json]) -> list[Shown]:
    """What a browser that got these records shows."""
    screen = _Screen()
    for record in records:
        screen.take(record["event"])
    return screen.lines()


class _Screen:
    def __init__(self) -> None:
        self.messages: dict[str, str] = {}
        self.turns: dict[str, list[Json]] = {}
        self.ends: dict[str, Shown] = {}

    def lines(self) -> list[Shown]:
        shown: list[Shown] = []
        for turn, items in self.turns.items():
            shown += [_shown(item) for item in items]
            shown += [self.ends[turn]] if turn in self.ends else []
        return shown

    def take(self, event: Json) -> None:
        turn = event.get("turn", "")
        match event["kind"]:
            case "turn.submitted":
                self.messages[turn] = event["text"]
            case "turn.started":
                self.turns[turn] = [{"turn": turn, "type": "user", "text": self.messages[turn]}]
            case "text.appended" | "thought.appended" as kind:
                self._speak(turn, kind.partition(".")[0], event)
            case "tool.changed":
                self._use(turn, event)
            case "approval.requested" | "question.asked" as kind:
                self.turns[turn].append(event | {"type": kind.partition(".")[0]})
            case "turn.ended":
                self._end(turn, event)
            case _:
                pass

    def _speak(self, turn: str, kind: str, event: Json) -> None:
        last = self.turns[turn][-1]
        if last["type"] == kind and last["message"] == event.get("message", ""):
            last["text"] += event["text"]
        else:
            item = {"turn": turn, "type": kind, "text": event["text"], "message": event.get("message", "")}
            self.turns[turn].append(item)

    def _use(self, turn: str, event: Json) -> None:
        found = [item for item in self.turns[turn] if item["type"] == "tool" and item["call"] == event["call"]]
        if not found:
            found = [{"turn": turn, "type": "tool", "call": event["call"], "output": ""}]
            self.turns[turn] += found
        item = found[0]
        item |= {name: event[name] for name in ("name", "arguments", "status", "output") if name in event}
        item["output"] += event.get("appended", "")

    def _end(self, turn: str, event: Json) -> None:
        if turn in self.ends:
            return
        items = self.turns.setdefault(turn, [])
        tools = [item for item in items if item["type"] == "tool"]
        unfinished = [tool for tool in tools if tool.get("status", "pending") in ("pending", "running")]
        for tool in unfinished:
            tool["status"] = "interrupted"
        words = event.get("error", "")
        if unfinished and event["outcome"] in ("failed", "interrupted"):
            words += " A step that had begun may or may not have run: look before you repeat it."
        self.ends[turn] = Shown(turn, "end", words, event["outcome"])
