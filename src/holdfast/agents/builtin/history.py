"""What was said in one conversation, kept so that it outlives the process.

A file of lines, each written and synced before what it leads to: a message of ours before the request, a response with
tool calls before the tools run, a result before the next request. A line that a crash cut off is no line. Compaction
adds a line that stands for all before it, so nothing is ever rewritten.

Law: `view` is what a model can be sent, whenever it is asked for. A tool call that has no result, because its process
died or the person stopped it, has one there that says so.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

INTERRUPTED = "This was interrupted. It may or may not have happened: check before you repeat it."
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Line(msgspec.Struct, omit_defaults=True):
    """One of them is set: what was chosen, a message, or messages that replace all before."""

    mode: str = ""
    model: str = ""
    said: list[Any] = []
    instead: list[Any] | None = None


class History:
    """Use `begin` or `take_up`. One process at a time writes a conversation: its runner sees to that."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.messages: list[ModelMessage] = []
        self.mode = ""
        self.model = ""

    @classmethod
    def begin(cls, folder: Path, name: str) -> "History":
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(_place(folder, name))

    @classmethod
    def take_up(cls, folder: Path, name: str) -> "History | None":
        """The conversation of that name; None if there is none."""
        if not NAME.fullmatch(name) or not _place(folder, name).is_file():
            return None
        history = cls(_place(folder, name))
        for raw in history._path.read_bytes().split(b"\n"):
            history._take(raw)
        return history

    def append(self, *messages: ModelMessage) -> None:
        """Keep what was said. It is on the disk when this returns."""
        if messages:
            self._write(Line(said=_dump(messages)))
            self.messages += messages

    def replace(self, messages: Sequence[ModelMessage]) -> None:
        """From now on the conversation begins with these."""
        self._write(Line(instead=_dump(messages)))
        self.messages = list(messages)

    def choose(self, *, mode: str = "", model: str = "") -> None:
        self._write(Line(mode=mode, model=model))
        self.mode, self.model = mode or self.mode, model or self.model

    def remember(self, unfinished: str) -> None:
        """Take over what people saw of an answer that a crash cut off, as far as it is not known here."""
        said = spoken(self.messages)
        rest = unfinished.removeprefix(said) if said else unfinished
        if rest.strip() and unfinished.strip() not in said:
            self.append(ModelResponse(parts=[TextPart(content=rest)]))

    @property
    def view(self) -> list[ModelMessage]:
        """The conversation as a model can be sent it."""
        return [*complete(self.messages)]

    def _take(self, raw: bytes) -> None:
        try:
            line = msgspec.json.decode(raw, type=Line)
            said = ModelMessagesTypeAdapter.validate_python(line.said)
            instead = None if line.instead is None else ModelMessagesTypeAdapter.validate_python(line.instead)
        except ValueError:
            return  # cut off by a crash, or written by a version that knew more
        if instead is not None:
            self.messages = list(instead)
        self.messages += said
        self.mode, self.model = line.mode or self.mode, line.model or self.model

    def _write(self, line: Line) -> None:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            data = memoryview((b"\n" if torn else b"") + msgspec.json.encode(line) + b"\n")
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        finally:
            os.close(handle)


def complete(messages: Sequence[ModelMessage]) -> Iterable[ModelMessage]:
    """The messages with a result for every call: where one lacks, before whatever comes after it."""
    waiting: dict[str, ToolCallPart] = {}
    for message in messages:
        if isinstance(message, ModelRequest) and all(isinstance(part, ToolReturnPart) for part in message.parts):
            known = [
                part for part in message.parts if isinstance(part, ToolReturnPart) and part.tool_call_id in waiting
            ]
            for part in known:
                del waiting[part.tool_call_id]
            if known:
                yield ModelRequest(parts=known)
            continue
        yield from _interrupted(waiting.values())
        waiting = {}
        if isinstance(message, ModelResponse):
            waiting = {part.tool_call_id: part for part in message.parts if isinstance(part, ToolCallPart)}
        yield message
    yield from _interrupted(waiting.values())


def _interrupted(calls: Iterable[ToolCallPart]) -> list[ModelMessage]:
    parts = [
        ToolReturnPart(tool_name=call.tool_name, content=INTERRUPTED, tool_call_id=call.tool_call_id) for call in calls
    ]
    return [ModelRequest(parts=parts)] if parts else []


def spoken(messages: Sequence[ModelMessage]) -> str:
    """What was said in answer to the person's last words."""
    texts: list[str] = []
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            texts += [part.content for part in reversed(message.parts) if isinstance(part, TextPart)]
        elif any(isinstance(part, UserPromptPart) for part in message.parts):
            break
    return "".join(reversed(texts))


def _dump(messages: Sequence[ModelMessage]) -> list[Any]:
    return ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")


def _place(folder: Path, name: str) -> Path:
    return folder / f"{name}.jsonl"
