"""What hermes-webui wrote down while a run went on, a line an event: all that is left of a run that was cut off.

A torn or damaged line costs that line alone. Repeated looks give the same.
"""

from pathlib import Path
from typing import Literal

import msgspec

from holdfast.transfer.hermes_webui.files import State, lines, plain
from holdfast.transfer.values import UNREADABLE, Fields, decoded, spelled

Ending = Literal["", "completed", "cancelled", "failed", "interrupted"]
RUNS = "_run_journal"
TURNS = "_turn_journal"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the run did, or a row of words. `call` names a tool call; `failed` and `text` are its result's."""

    kind: Literal["text", "thought", "call", "result"]
    text: str = ""
    call: str = ""
    name: str = ""
    time: int = 0
    failed: bool = False


class Journal(msgspec.Struct, kw_only=True):
    """A run. `ending` is empty if it never came to one; `lost` counts the lines that could not be read.

    `session` is the whole session as it was when the run ended well.
    """

    steps: list[Step] = []
    ending: Ending = ""
    error: str = ""
    lost: int = 0
    session: Fields = Fields()

    @property
    def text(self) -> str:
        return "".join(step.text for step in self.steps if step.kind == "text")

    @property
    def thought(self) -> str:
        return "".join(step.text for step in self.steps if step.kind == "thought")


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """A message that was sent, as the turn journal has it."""

    text: str
    attachments: list[object]
    time: int
    run: str


class _Line(msgspec.Struct):
    event: str = ""
    type: str = ""
    created_at: float | None = None
    payload: msgspec.Raw = msgspec.Raw(b"null")


def read_run(state: State, session: str, run: str, *, whole: bool = False) -> Journal:
    """The journal of a run; an empty one if there is none. With `whole`, also the session that it ends with."""
    journal = Journal()
    if not (plain(session) and plain(run)):
        return journal
    words: list[str] = []
    kind: Literal["text", "thought"] = "text"
    begun = 0

    def flush() -> None:
        if words:
            journal.steps.append(Step(kind=kind, text="".join(words), time=begun))
            words.clear()

    for line in lines(state.sessions / RUNS / session / f"{run}.jsonl"):
        entry = _read(line)
        if entry is None:
            journal.lost += bool(line.strip())
            continue
        time = Fields({"at": entry.created_at}).moment("at")
        name = entry.event or entry.type
        if name in ("token", "reasoning"):
            said: Literal["text", "thought"] = "text" if name == "token" else "thought"
            if said != kind or not words:
                flush()
                kind, begun = said, time
            words.append(_payload(entry).text("text"))
            continue
        flush()
        _take(journal, name, entry, time, whole=whole)
    flush()
    return journal


def _take(journal: Journal, name: str, entry: _Line, time: int, *, whole: bool) -> None:
    match name:
        case "tool":
            about = _payload(entry)
            call = about.text("tid", "id") or f"journal-{len(journal.steps)}"
            arguments = spelled(about.get("args")) if "args" in about else ""
            journal.steps.append(
                Step(kind="call", call=call, name=about.word("name") or "tool", text=arguments, time=time)
            )
        case "tool_complete":
            about = _payload(entry)
            call = about.text("tid", "id") or _unanswered(journal, about.word("name"))
            text = about.text("result", "output", "preview", "snippet")
            journal.steps.append(Step(kind="result", call=call, text=text, time=time, failed=about.flag("is_error")))
        case "interim_assistant":
            about = _payload(entry)
            if about.text("text") and not about.flag("already_streamed"):
                journal.steps.append(Step(kind="text", text=about.text("text"), time=time))
        case "done":
            journal.ending = journal.ending or "completed"
            if whole:
                journal.session = _payload(entry).fields("session")
        case "stream_end":
            journal.ending = journal.ending or "completed"
        case "cancel":
            journal.ending = journal.ending or "cancelled"
        case "apperror" | "error":
            about = _payload(entry)
            journal.ending = journal.ending or _ending_of(about.word("type").lower())
            journal.error = journal.error or about.text("message", "error", "details")
        case _:
            pass  # what it does besides is for its own page


def _ending_of(kind: str) -> Ending:
    if kind in ("cancelled", "canceled"):
        return "cancelled"
    return "interrupted" if kind == "interrupted" else "failed"


def _unanswered(journal: Journal, name: str) -> str:
    """The oldest call of this tool that has no result yet."""
    answered = {step.call for step in journal.steps if step.kind == "result"}
    waiting = [step for step in journal.steps if step.kind == "call" and step.call not in answered]
    return next((step.call for step in waiting if step.name == name), f"journal-{len(journal.steps)}")


def _read(line: bytes) -> _Line | None:
    try:
        return msgspec.json.decode(line, type=_Line)
    except UNREADABLE:
        pass
    try:
        fields = Fields(decoded(line))
    except UNREADABLE:
        return None
    if not fields.text("event", "type"):
        return None
    payload = spelled(fields.get("payload")) or "null"
    return _Line(event=fields.text("event", "type"), payload=msgspec.Raw(payload.encode()))


def _payload(entry: _Line) -> Fields:
    try:
        return Fields(decoded(entry.payload))
    except UNREADABLE:
        return Fields()


def run_journals(state: State, session: str) -> list[Path]:
    """The journals of a session's runs."""
    return sorted((state.sessions / RUNS / session).glob("*.jsonl")) if plain(session) else []


def turn_journals(state: State, session: str) -> list[Path]:
    """Where a session's messages were written down when they were sent: a file for each process that did."""
    folder = state.sessions / TURNS
    return [folder / f"{session}.jsonl", *sorted(folder.glob(f"{session}~*.jsonl"))] if plain(session) else []


def last_whole(state: State, session: str) -> Fields:
    """The session as the newest of its runs that ended well has left it; empty if there is none."""
    for path in sorted(run_journals(state, session), key=lambda path: path.stat().st_mtime, reverse=True):
        found = read_run(state, session, path.name.removesuffix(".jsonl"), whole=True).session
        if found:
            return found
    return Fields()


def read_submitted(state: State, session: str) -> list[Submitted]:
    """The messages that were sent in a session, as its turn journal has them, oldest first."""
    found: list[Submitted] = []
    for path in turn_journals(state, session):
        for line in lines(path):
            try:
                entry = Fields(decoded(line))
            except UNREADABLE:
                continue
            if entry.text("event") == "submitted" and entry.text("content"):
                found.append(
                    Submitted(
                        text=entry.text("content"),
                        attachments=entry.several("attachments"),
                        time=entry.moment("created_at"),
                        run=entry.word("stream_id"),
                    )
                )
    return sorted(found, key=lambda submitted: submitted.time)
