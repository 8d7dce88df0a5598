"""What an agent says, with the secrets that Holdfast holds covered, before it is stored or shown.

Law: what is stored is what is seen, so a secret is in neither. Words, thoughts and a tool's output that come in parts
are one text each, in which a value is found however it was cut. Approvals are never altered: what is shown there is
what runs. What a person wrote does not come by here at all.

What is held back is given up as soon as something follows that would otherwise change places with it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from holdfast.core import events as e
from holdfast.core.cover import SHOWN, Cover, Stream, said
from holdfast.core.ids import CallId

Prose = e.TextAppended | e.ThoughtAppended
P = TypeVar("P", e.PlanEntry, e.Option, e.SlashCommand)

QUIET = (e.UsageReported, e.TitleSuggested, e.SteerDelivered, e.ApprovalDelivered, e.QuestionDelivered)
"""What adds nothing to a transcript that words could change places with."""
WORDS: dict[type[e.AnyFact], tuple[str, ...]] = {
    e.NoticeRaised: ("text",),
    e.AgentFailed: ("error", "stderr"),
    e.TurnEnded: ("error", "stderr"),
    e.TitleSuggested: ("title",),
    e.UsageReported: ("model",),
    e.AgentDescribed: ("model", "mode"),
    e.QuestionAsked: ("text",),
    e.MemoryFailed: ("error",),
}
"""The fields in which an agent, or a program that it ran, speaks."""
ENDED = ("completed", "failed")


class Told(NamedTuple):
    """A text that comes in parts, and the fact that its next part goes into."""

    fact: Prose | e.ToolChanged
    stream: Stream


class Screen:
    """What one runner's agent says. `take` gives what is to be stored now, in its order."""

    def __init__(self, cover: Cover) -> None:
        self.cover = cover
        self._speakers: dict[CallId | None, Told] = {}
        self._outputs: dict[CallId, Told] = {}
        self._arguments: dict[CallId, e.ToolChanged] = {}

    def take(self, fact: e.AnyFact | e.ApprovalAnswered) -> Iterator[e.AnyFact | e.ApprovalAnswered]:
        if not self.cover:
            yield fact
            return
        match fact:
            case e.TextAppended() | e.ThoughtAppended():
                yield from self._speak(fact)
            case e.ToolChanged():
                if fact.first:
                    yield from self._hush(fact.parent)
                yield from self._change(fact)
            case e.ApprovalAnswered():
                yield from self.release()
                yield fact
            case _:
                if not isinstance(fact, QUIET):
                    yield from self.release()
                yield self._whole(fact)

    @property
    def holding(self) -> bool:
        """Whether something waits that `let_go` would give up."""
        texts = (*self._speakers.values(), *self._outputs.values())
        return bool(self._arguments) or any(0 < told.stream.held <= SHOWN for told in texts)

    def let_go(self) -> list[e.AnyFact]:
        """Nothing came for a while: give up what is hardly the beginning of a secret."""
        facts = [_with(told.fact, text) for told in self._all() if (text := told.stream.let_go())]
        for call, pending in list(self._arguments.items()):
            whole = str(pending.arguments)
            if len(whole) - self.cover.parted(whole, final=False)[1] <= SHOWN:
                facts.append(self._settled(call))
        return facts

    def release(self) -> Iterator[e.AnyFact]:
        """Give up everything that is held back, as what it is."""
        for parent in list(self._speakers):
            yield from self._hush(parent)
        for call in list(self._outputs):
            yield from self._end(call)
        for call in list(self._arguments):
            yield self._settled(call)

    def _all(self) -> list[Told]:
        return [*self._speakers.values(), *self._outputs.values()]

    # Words.

    def _speak(self, fact: Prose) -> Iterator[e.AnyFact]:
        told = self._speakers.get(fact.parent)
        if told is not None and not _goes_on(told.fact, fact):
            yield from self._hush(fact.parent)
            told = None
        stream = Stream(self.cover) if told is None else told.stream
        text = stream.feed(fact.text)
        self._speakers[fact.parent] = Told(fact, stream)
        if text or not fact.text:
            yield msgspec.structs.replace(fact, text=text)

    def _hush(self, parent: CallId | None) -> Iterator[e.AnyFact]:
        told = self._speakers.pop(parent, None)
        if told is not None and (text := told.stream.feed("", final=True)):
            yield _with(told.fact, text)

    # Tools.

    def _change(self, fact: e.ToolChanged) -> Iterator[e.AnyFact]:
        if fact.output is not UNSET:
            self._outputs.pop(fact.call, None)  # it is replaced as a whole
        changed = msgspec.structs.replace(
            fact,
            name=self._maybe(fact.name),
            title=self._maybe(fact.title),
            action=self._maybe(fact.action),
            output=self._maybe(fact.output),
            error=self._maybe(fact.error),
            diffs=fact.diffs if fact.diffs is UNSET else tuple(map(self._diff, fact.diffs)),
            arguments=self._argue(fact),
            appended=self._print(fact),
        )
        if changed == fact or changed != e.ToolChanged(turn=fact.turn, call=fact.call, parent=fact.parent):
            yield changed

    def _print(self, fact: e.ToolChanged) -> str:
        told = self._outputs.pop(fact.call, None)
        stream = Stream(self.cover) if told is None else told.stream
        text = stream.feed(fact.appended, final=fact.status in ENDED)
        if stream.held:
            bare = e.ToolChanged(turn=fact.turn, call=fact.call, parent=fact.parent)
            self._outputs[fact.call] = Told(bare, stream)
        return text

    def _argue(self, fact: e.ToolChanged) -> str | UnsetType:
        """Arguments come as a whole, again and again while they grow: a beginning at their end waits for the next."""
        before = self._arguments.pop(fact.call, None)
        if fact.arguments is UNSET:
            return UNSET if before is None else self._maybe(before.arguments)
        pieces, at = self.cover.parted(fact.arguments, final=fact.status in ENDED)
        if at < len(fact.arguments):
            self._arguments[fact.call] = e.ToolChanged(
                turn=fact.turn, call=fact.call, parent=fact.parent, arguments=fact.arguments
            )
        return said(fact.arguments, pieces, 0)

    def _settled(self, call: CallId) -> e.AnyFact:
        pending = self._arguments.pop(call)
        return msgspec.structs.replace(pending, arguments=self._maybe(pending.arguments))

    def _end(self, call: CallId) -> Iterator[e.AnyFact]:
        told = self._outputs.pop(call)
        if text := told.stream.feed("", final=True):
            yield _with(told.fact, text)

    # Whole texts.

    def _whole(self, fact: e.AnyFact) -> e.AnyFact:
        fields: dict[str, Any] = {name: self.cover.covered(getattr(fact, name)) for name in WORDS.get(type(fact), ())}
        match fact:
            case e.PlanReplaced():
                fields["entries"] = self._parts(fact.entries, "text")
            case e.QuestionAsked():  # the runner knows which choice is meant by one that is covered
                fields["choices"] = tuple(map(self.cover.covered, fact.choices))
            case e.AgentDescribed():
                fields["models"] = self._parts(fact.models, "id", "name", "description")
                fields["modes"] = self._parts(fact.modes, "id", "name", "description")
                fields["commands"] = self._parts(fact.commands, "name", "description", "hint")
            case _:
                pass
        return msgspec.structs.replace(fact, **fields) if fields else fact

    def _parts(self, parts: tuple[P, ...], *names: str) -> tuple[P, ...]:
        covered = ({name: self.cover.covered(getattr(part, name)) for name in names} for part in parts)
        return tuple(msgspec.structs.replace(part, **fields) for part, fields in zip(parts, covered, strict=True))

    def _maybe(self, text: str | UnsetType) -> str | UnsetType:
        return text if text is UNSET else self.cover.covered(text)

    def _diff(self, diff: e.Diff) -> e.Diff:
        old = None if diff.old is None else self.cover.covered(diff.old)
        path = self.cover.covered(diff.path)
        return msgspec.structs.replace(diff, path=path, old=old, new=self.cover.covered(diff.new))


def _goes_on(before: Prose | e.ToolChanged, fact: Prose) -> bool:
    """Whether it is the same text that goes on."""
    return type(before) is type(fact) and before.turn == fact.turn and getattr(before, "message", "") == fact.message


def _with(fact: Prose | e.ToolChanged, text: str) -> e.AnyFact:
    """The fact that says this next part."""
    if isinstance(fact, e.ToolChanged):
        return msgspec.structs.replace(fact, appended=text)
    return msgspec.structs.replace(fact, text=text)
