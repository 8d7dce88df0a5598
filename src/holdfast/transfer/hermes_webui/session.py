"""One session of hermes-webui, told again as a log of ours.

A turn is a user's message and all that follows it up to the next. Markers (`_error`) end their turn and are never text;
partial messages are text like any other, so that a model sees them. Output that hermes-webui found in its journals, or
that we find there now, is marked as recovered.
"""

from collections.abc import Iterable

import msgspec

from holdfast.core import events as e
from holdfast.store.blobs import Blobs
from holdfast.transfer.hermes_webui.attachments import Attachments
from holdfast.transfer.hermes_webui.content import Content, parted, read_content, stored
from holdfast.transfer.hermes_webui.files import State
from holdfast.transfer.hermes_webui.journals import Journal, read_run
from holdfast.transfer.report import Report
from holdfast.transfer.scribe import Scribe
from holdfast.transfer.values import Fields, spelled

CANCELLED = ("task cancelled", "task canceled")
RECOVERED = "recovered from the run journal"


class Told(msgspec.Struct, kw_only=True):
    """How far the telling has come. `asked` is the last message of a user, `answered` whether output followed it;
    `said` and `thought` are that output."""

    messages: int = 0
    asked: str | None = None
    asked_at: int = 0
    answered: bool = False
    said: str = ""
    thought: str = ""


class Telling:
    """Tells one session to a scribe."""

    def __init__(self, name: str, state: State, blobs: Blobs, report: Report, scribe: Scribe) -> None:
        self._name = name
        self._state = state
        self._blobs = blobs
        self._report = report
        self._scribe = scribe
        self._attachments = Attachments(state, name, blobs, report)
        self.told = Told()

    def messages(self, messages: Iterable[Fields], cards: Iterable[Fields] = ()) -> None:
        """Tell the messages. `cards` are tool calls that are kept beside them, each with the number of its message."""
        beside: dict[int, list[Fields]] = {}
        for card in cards:
            beside.setdefault(card.number("assistant_msg_idx"), []).append(card)
        for number, message in enumerate(messages):
            self.told.messages += self._message(message, number)
            for card in beside.get(number, ()):
                self._card(card, message)

    def _message(self, message: Fields, number: int) -> bool:
        """Whether it has a place here. One that is nothing at all was reported where it was read."""
        time = message.moment("timestamp", "_ts", "created_at")
        match message.text("role"):
            case "user":
                self.user(message, time)
            case "assistant" if message.flag("_error"):
                return self._marker(message, time)
            case "assistant":
                self._assistant(message, time)
            case "tool" | "function":
                self._result(message, time)
            case role:
                if message:
                    kind = f"message {number + 1} of the kind {role or 'unknown'!r}"
                    self._report.leave(self._name, kind, "only what users, agents and tools said is shown here.")
                return False
        return True

    def send(self, message: Fields, time: int) -> None:
        """A message that was sent, and stands nowhere yet."""
        self.user(message, time)
        self.told.messages += 1

    def user(self, message: Fields, time: int) -> None:
        """A person's message, with what came with it."""
        content = read_content(message.get("content"))
        pictures, lost = stored(content.pictures, self._blobs)
        files, missing = self._attachments.take(message.several("attachments"))
        known = {picture.blob for picture in files}
        files += [picture for picture in pictures if picture.blob not in known]
        self._scribe.submit(content.text, time, files)
        for name in missing:
            self._scribe.notice(f"The file {name} came with this message and is no longer there.", code="import")
        self._strange(content, lost)
        self.told.asked, self.told.asked_at = content.text, time
        self.told.answered, self.told.said, self.told.thought = False, "", ""

    def _strange(self, content: Content, lost: int) -> None:
        for kind in content.strange:
            self._report.leave(self._name, f"a part of the kind {kind!r}", "Holdfast has no place for it.")
        if lost:
            why = "they do not lie in the message itself, or are damaged or too large."
            self._report.leave(self._name, f"{lost} pictures in a message", why)

    def _assistant(self, message: Fields, time: int) -> None:
        self._meet(message)
        content = read_content(message.get("content"))
        thought = message.text("reasoning", "reasoning_content", "thinking") or content.thought
        if thought:
            self._scribe.think(thought, time)
            self.told.thought += thought
        for piece in parted(content.text):
            if piece.kind == "thought":
                if piece.text.strip() != thought.strip():
                    self._scribe.think(piece.text, time)
            else:
                self._scribe.say(piece.text, time)
                self.told.said += piece.text
        self._strange(content, len(content.pictures))
        self.told.answered = True
        for call in message.objects("tool_calls"):
            about = call.fields("function") or call
            arguments = about.get("arguments") if "arguments" in about else about.get("args")
            self._scribe.call(call.text("id", "call_id", "tid"), about.word("name") or "tool", spelled(arguments), time)
        for card in message.objects("_partial_tool_calls"):
            self._card(card, Fields())

    def _meet(self, message: Fields) -> None:
        """Output that was found in a journal stays apart until something follows that was not."""
        if message.flag("_recovered_from_run_journal"):
            self._scribe.recover()
        else:
            self._scribe.resume()

    def _result(self, message: Fields, time: int) -> None:
        call = message.text("tool_call_id", "call_id")
        if not self._scribe.knows(call):
            self._scribe.call(call, message.word("name", "tool_name") or "tool", "", time)
        output = read_content(message.get("content"))
        self._scribe.result(call, output.text, time, failed=message.flag("is_error"))
        self._strange(output, len(output.pictures))
        self.told.answered = True

    def _card(self, card: Fields, message: Fields) -> None:
        """A tool call that is kept beside the messages. One that its message has too is told once."""
        call = card.text("tid", "id")
        in_message = {each.text("id", "call_id", "tid") for each in message.objects("tool_calls")}
        if (call and self._scribe.knows(call)) or call in in_message - {""}:
            return
        told_there = {(each.word("name"), spelled(each.get("args"))) for each in message.objects("_partial_tool_calls")}
        if (card.word("name"), spelled(card.get("args"))) in told_there:
            return
        if message:
            self._meet(card if "_recovered_from_run_journal" in card else message)
        name = card.word("name") or "tool"
        call = call or f"card-{name}"
        self._scribe.call(call, name, spelled(card.get("args")))
        output = card.text("result", "output", "snippet", "preview")
        if output or card.get("done") is not False:
            self._scribe.result(call, output, failed=card.flag("is_error"))
        self.told.answered = True

    # How turns end.

    def _marker(self, marker: Fields, time: int) -> bool:
        content = read_content(marker.get("content")).text
        if not self._scribe.running:
            self._report.leave(self._name, f"a second marker ({content[:80]!r})", "each turn has one, and this had.")
            return False
        if marker.flag("_pending_journal_recovery"):
            self._resolve(marker.text("_journal_retry_stream_id"), content, time)
        elif marker.text("type") == "interrupted" or content.startswith("**Response interrupted"):
            result = "recovered" if RECOVERED in content else None
            self._scribe.end("interrupted", time, _plain(content), result)
        elif any(words in content.lower() for words in CANCELLED):
            self._scribe.end("cancelled", time)
        else:
            self._scribe.end("failed", time, _plain(content))
        return True

    def _resolve(self, run: str, content: str, time: int) -> None:
        """A marker that still waits for output: what the journal has goes above it; if that is nothing, it is final."""
        journal = self._read(run)
        self._play(journal)
        if journal.ending == "completed" and journal.steps:
            self._scribe.end("completed", time)
            return
        error = journal.error if journal.ending == "failed" and journal.error else _plain(content)
        self._scribe.end("interrupted", time, error, "neutral")

    def unfinished(self, run: str, time: int) -> None:
        """The run that was under way, or had died unseen, when its session was read."""
        journal = self._read(run)
        if not self._scribe.running:
            return
        self._play(journal)
        match journal.ending:
            case "completed" | "cancelled" | "failed":
                self._scribe.end(journal.ending, time, journal.error)
            case _:
                error = journal.error or "hermes-webui had not finished this turn when it was imported."
                self._scribe.end("interrupted", time, error, "neutral")

    def _read(self, run: str) -> Journal:
        journal = read_run(self._state, self._name, run)
        if journal.lost:
            what = f"{journal.lost} lines of the journal of run {run}"
            self._report.leave(self._name, what, "they are damaged; those before and after them were taken.")
        return journal

    def _play(self, journal: Journal) -> None:
        """Tell what the journal has and the messages have not."""
        self._scribe.recover()
        rest = _known(self.told.said, journal.text)
        thought = _known(self.told.thought, journal.thought)
        for step in journal.steps:
            match step.kind:
                case "text":
                    text, rest = step.text[rest:], max(0, rest - len(step.text))
                    for piece in parted(text):
                        tell = self._scribe.think if piece.kind == "thought" else self._scribe.say
                        tell(piece.text, step.time)
                case "thought":
                    text, thought = step.text[thought:], max(0, thought - len(step.text))
                    if text and not rest:
                        self._scribe.think(text, step.time)
                case "call":
                    if not self._scribe.knows(step.call):
                        self._scribe.call(step.call, step.name, step.text, step.time)
                case "result":
                    if self._scribe.waits_for(step.call):
                        self._scribe.result(step.call, step.text, step.time, failed=step.failed)


def _known(told: str, journal: str) -> int:
    """How much of what a journal has was told already."""
    if journal.startswith(told):
        return len(told)
    return len(journal) if journal in told else 0


def already_asked(told: Told, text: str, time: int) -> bool:
    """Whether the message that waits is the last one of the user already."""
    if told.asked is None or text.strip() not in (told.asked.strip(), ""):
        return False
    return not told.answered or bool(time and told.asked_at >= time - 1000)


def _plain(content: str) -> str:
    """A marker's words without its emphasis."""
    return content.replace("**", "").strip()


def tags_of(title: str) -> list[str]:
    """hermes-webui takes `#word` in a title for a tag."""
    return [word[1:].strip(".,;:!?)") for word in title.split() if word.startswith("#") and len(word) > 1]


def used(session: Fields) -> e.UsageReported | None:
    """What the session says it has used."""
    report = e.UsageReported(
        turn=e.TurnId(""),
        input=session.number("input_tokens"),
        output=session.number("output_tokens"),
        cached=session.number("cache_read_tokens"),
        cost=int((session.fraction("estimated_cost") or session.fraction("estimated_cost_usd")) * 1_000_000),
    )
    return report if report.input or report.output or report.cost else None
