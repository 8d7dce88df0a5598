"""Secret values, and what is said in their place: `[API key, 51 characters]`.

Law: only exact values are covered, and nothing else changes. How a text is cut into pieces does not matter: what may
become a value is held back until it is one or is not, so never more than the longest value. A text that ends with no
beginning of a value is held back by nothing.

At each place the longest value that lies there counts; whether one does is decided when enough of the text is known.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

SHORTEST = 6
LONGEST = 16_384
"""Characters of a value. A shorter one would hide innocent words; a longer one is no key and no password."""
SHOWN = 4
"""Characters of the beginning of a value that may be shown when nothing follows them for a while."""


class Piece(NamedTuple):
    """A part of a text from `start` on, up to `end`; `label` is what is said for it if it is secret."""

    start: int
    end: int
    label: str


class Cover:
    """The values that are known. They are only ever added."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}
        self._by_first: dict[str, list[str]] = {}
        self._first: re.Pattern[str] | None = None

    def learn(self, value: str, what: str) -> None:
        """Cover this value from now on, as it is and as it is written inside JSON."""
        if not SHORTEST <= len(value) <= LONGEST:
            return
        for spelled in {value, msgspec.json.encode(value).decode()[1:-1]} - self._labels.keys():
            self._labels[spelled] = f"[{what}, {len(value)} characters]"
            beginning = self._by_first.setdefault(spelled[0], [])
            beginning.append(spelled)
            beginning.sort(key=len, reverse=True)
        self._first = re.compile(f"[{''.join(map(re.escape, self._by_first))}]")

    def __bool__(self) -> bool:
        return bool(self._labels)

    def covered(self, text: str) -> str:
        """A whole text, with nothing to come after it."""
        pieces, _ = self.parted(text, final=True)
        return said(text, pieces, 0)

    def parted(self, text: str, *, final: bool) -> tuple[list[Piece], int]:
        """The pieces of a text, and from where on it is undecided; `final` decides all of it."""
        pieces: list[Piece] = []
        plain = at = 0
        while self._first is not None and (found := self._first.search(text, at)):
            at = found.start()
            if not final and self._begins(text, at):
                break
            value = next((each for each in self._by_first[text[at]] if text.startswith(each, at)), None)
            if value is None:
                at += 1
                continue
            pieces += [Piece(plain, at, ""), Piece(at, at + len(value), self._labels[value])]
            plain = at = at + len(value)
        else:
            at = len(text)
        return [*pieces, Piece(plain, at, "")], at

    def _begins(self, text: str, at: int) -> bool:
        """Whether all the rest of the text is the beginning of a longer value."""
        left = len(text) - at
        return any(len(each) > left and each.startswith(text[at:]) for each in self._by_first[text[at]])


def said(text: str, pieces: Iterable[Piece], after: int) -> str:
    """What is said of the pieces behind `after`, up to where all was said before."""
    return "".join(piece.label or text[max(piece.start, after) : piece.end] for piece in pieces if piece.end > after)


class Stream:
    """A text that comes in parts. What was held back and shown all the same is still the beginning of what follows."""

    def __init__(self, cover: Cover) -> None:
        self._cover = cover
        self._held = ""
        self._shown = 0

    @property
    def held(self) -> int:
        """How many characters wait."""
        return len(self._held) - self._shown

    def feed(self, text: str, *, final: bool = False) -> str:
        """What can be shown now. `final`: nothing follows."""
        whole = self._held + text
        pieces, at = self._cover.parted(whole, final=final)
        shown = said(whole, pieces, self._shown)
        self._held, self._shown = whole[at:], max(self._shown - at, 0)
        return shown

    def let_go(self) -> str:
        """Nothing came for a while: show what was held back, if it is too little to be known for a value."""
        if len(self._held) > SHOWN:
            return ""
        shown, self._shown = self._held[self._shown :], len(self._held)
        return shown
