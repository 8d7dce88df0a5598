"""Reasoning that a model puts inside its text, in `<think>` or `<thinking>` tags, split off as thought.

Law: how the text is cut into chunks does not matter. What may become a tag is held back until it is one or is not;
`release` gives it up when something else happens first. A tag that is never closed makes all the rest a thought. White
space directly after a tag belongs to the tag. A tag right after a backtick is being talked about, and is text.
"""

from typing import Literal, NamedTuple

Kind = Literal["text", "thought"]
TAGS: dict[Kind, tuple[str, ...]] = {"text": ("<think>", "<thinking>"), "thought": ("</think>", "</thinking>")}


class Piece(NamedTuple):
    kind: Kind
    text: str


class Splitter:
    """One speaker's words."""

    def __init__(self) -> None:
        self._kind: Kind = "text"
        self._held = ""
        self._last = ""
        self._after_tag = False

    def feed(self, text: str) -> list[Piece]:
        pieces: list[Piece] = []
        rest = self._held + text
        self._held = ""
        while rest:
            rest = self._step(rest, pieces)
        return pieces

    def release(self) -> list[Piece]:
        """Give up what was held: it did not become a tag."""
        pieces: list[Piece] = []
        self._say(self._held, pieces)
        self._held = ""
        return pieces

    def _step(self, rest: str, pieces: list[Piece]) -> str:
        """Take the next run of words, tag or possible tag off `rest`; return what is left."""
        at = rest.find("<")
        if at != 0:
            self._say(rest if at < 0 else rest[:at], pieces)
            return "" if at < 0 else rest[at:]
        tags = () if self._kind == "text" and self._last == "`" else TAGS[self._kind]
        for tag in tags:
            if rest[: len(tag)].lower() == tag:
                self._kind = "thought" if self._kind == "text" else "text"
                self._last, self._after_tag = "", True
                return rest[len(tag) :]
        if any(tag.startswith(rest.lower()) for tag in tags):
            self._held = rest
            return ""
        self._say("<", pieces)
        return rest[1:]

    def _say(self, text: str, pieces: list[Piece]) -> None:
        if self._after_tag:
            text = text.lstrip()
        if not text:
            return
        self._last, self._after_tag = text[-1], False
        if pieces and pieces[-1].kind == self._kind:
            text = pieces.pop().text + text
        pieces.append(Piece(self._kind, text))
