"""A state folder of hermes-webui, made up: what it writes, and what becomes of that when things go wrong.

Everything is a function of the number of the session, so that a test can say what must be there afterwards.
"""

import json
from pathlib import Path
from typing import Any, Self

import msgspec

NOW = 1_760_000_000.25
BIG = "big"


class Webui:
    """One state folder that is being written."""

    def __init__(self, folder: Path, model: str = "") -> None:
        self.folder = folder
        self.model = model
        self.sessions = folder / "sessions"
        self.sessions.mkdir(parents=True)
        (folder / "attachments").mkdir()

    def session(self, name: str, messages: list[dict[str, Any]], **fields: Any) -> Path:
        """A session's file as hermes-webui writes it: what is not a message first."""
        about = {
            "session_id": name,
            "title": f"Session {name}",
            "workspace": "",
            "model": self.model,
            "created_at": NOW,
            "updated_at": NOW + 100,
            "pinned": False,
            "archived": False,
            "profile": "default",
            "message_count": len(messages),
        }
        path = self.sessions / f"{name}.json"
        path.write_text(json.dumps({**about, **fields, "messages": messages}, ensure_ascii=False, indent=2), "utf-8")
        return path

    def journal(self, name: str, run: str, events: list[tuple[str, Any]], torn: str = "") -> Path:
        """A run's journal, with a last line that was not finished."""
        path = self.sessions / "_run_journal" / name / f"{run}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            json.dumps(
                {
                    "version": 1,
                    "event_id": f"{run}:{seq}",
                    "seq": seq,
                    "run_id": run,
                    "session_id": name,
                    "event": event,
                    "type": event,
                    "created_at": NOW + 50 + seq,
                    "terminal": event in ("done", "cancel", "apperror", "stream_end"),
                    "payload": payload,
                }
            )
            for seq, (event, payload) in enumerate(events, 1)
        ]
        path.write_text("\n".join([*lines, torn]), "utf-8")
        return path

    def submitted(self, name: str, text: str, run: str) -> None:
        path = self.sessions / "_turn_journal" / f"{name}~4711.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        event = {"event": "submitted", "role": "user", "content": text, "stream_id": run, "created_at": NOW + 40}
        path.write_text(json.dumps(event) + "\n{torn", "utf-8")

    def attach(self, name: str, file: str, content: bytes) -> Path:
        path = self.folder / "attachments" / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def document(self, name: str, value: Any) -> None:
        (self.folder / name).write_text(json.dumps(value), "utf-8")


def user(text: Any, at: float = 0, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": NOW + at, **fields}


def assistant(text: Any, at: float = 1, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "timestamp": NOW + at, **fields}


def called(call: str, name: str, at: float = 1, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return assistant("", at, tool_calls=[{"id": call, "type": "function", "function": function}])


def result(call: str, output: str, at: float = 2) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": output, "timestamp": NOW + at}


def interrupted(at: float = 3, **fields: Any) -> dict[str, Any]:
    text = "**Response interrupted.** Recovering the partial output from the run journal."
    return assistant(text, at, _error=True, type="interrupted", **fields)


def turns(number: int, count: int) -> list[dict[str, Any]]:
    """An ordinary conversation, in many scripts."""
    told: list[dict[str, Any]] = []
    for turn in range(count):
        at = turn * 10
        told += [
            user(f"Question {number}.{turn}: ünïcödé 漢字 🦔 שלום", at),
            called(f"c{turn}", "read_file", at + 1, path=f"/tmp/{turn}.txt"),
            result(f"c{turn}", f"content of {turn}\n" * 5, at + 2),
            assistant(f"Answer {number}.{turn} " + "word " * 60, at + 3, reasoning=f"Because {turn}."),
        ]
    return told


class Readable(msgspec.Struct):
    """What can be read of a session: how many messages, and what was said in them, in its order."""

    messages: int
    words: list[tuple[str, str]]

    @classmethod
    def of(cls, messages: list[dict[str, Any]]) -> Self:
        """A tool stands where it was called, with what it gave back, if that can be read."""
        words: list[tuple[str, str]] = []
        for message in messages:
            thought, text = message.get("reasoning"), message["content"]
            if message["role"] == "tool":
                words[-1] = ("tool", text)
                continue
            words += [("thought", thought)] if thought else []
            words += [("user" if message["role"] == "user" else "text", text)] if text else []
            words += [("tool", "")] * len(message.get("tool_calls", ()))
        return cls(len(messages), words)

    def and_then(self, messages: int, *words: tuple[str, str]) -> None:
        """There is more of it elsewhere."""
        self.messages += messages
        self.words += words


def generate(folder: Path, count: int = 1000, big: int = 50_000_000) -> dict[str, Readable]:
    """`count` sessions of all sorts; what can be read of each that can be read at all."""
    webui = Webui(folder, model="mock-1")
    readable: dict[str, Readable] = {}
    for number in range(count - 1):
        name = f"{number:012x}"
        messages = turns(number, 1 + number % 5)
        readable[name] = Readable.of(messages)
        match number % 100:
            case 1:  # cut off in the middle of the last message
                path = webui.session(name, messages)
                path.write_bytes(path.read_bytes()[:-40])
                readable[name] = Readable.of(messages[:-1])
            case 2:  # nothing of it is left
                webui.session(name, messages).write_bytes(b"\0\0\0 no JSON at all")
                del readable[name]
            case 3:  # empty
                webui.session(name, messages).write_bytes(b"")
                del readable[name]
            case 4:  # a run under way, with a journal that was just being written
                webui.session(
                    name, messages, pending_user_message="And now?", active_stream_id="run", pending_started_at=NOW + 90
                )
                webui.journal(name, "run", [("token", {"text": "Half an ans"})], torn='{"version":1,"ev')
                readable[name].and_then(1, ("user", "And now?"), ("text", "Half an ans"))
            case 5:  # a marker that waits for a journal
                marker = interrupted(99, _pending_journal_recovery=True, _journal_retry_stream_id="run")
                webui.session(name, [*messages, user("Go on", 98), marker])
                webui.journal(name, "run", [("reasoning", {"text": "Hm"}), ("token", {"text": "Found"})])
                readable[name].and_then(2, ("user", "Go on"), ("thought", "Hm"), ("text", "Found"))
            case 6:  # one message in the middle is damaged
                path = webui.session(name, messages)
                path.write_text(path.read_text("utf-8").replace('"role": "tool"', '"role": ]tool"', 1), "utf-8")
                readable[name] = Readable.of([*messages[:2], *messages[3:]])
            case 7:  # numbers that are none
                webui.session(name, messages, created_at=float("nan"), input_tokens=float("inf"))
            case _:
                webui.session(name, messages, pinned=number % 17 == 0, archived=number % 19 == 0)
    chunk = "A long line of what an agent has said, again and again. ÄÖÜ 漢字 🦔\n" * 200
    messages = [user("The long one", 0)]
    size = 0
    while size < big:
        messages += [assistant(chunk), user("go on")]
        size += len(chunk.encode()) + 150
    webui.session(BIG, messages)
    readable[BIG] = Readable.of(messages)
    return readable
