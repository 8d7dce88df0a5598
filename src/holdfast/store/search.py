"""Words: what is searched for, what is indexed, and what a hit shows."""

import re
from itertools import takewhile
from unicodedata import combining, normalize

from holdfast.core.ids import SessionId
from holdfast.core.items import Item, Steer, Text, UserMessage
from holdfast.store.protocol import Hit

EXCERPT = 160
_WORD = re.compile(r"(?<![^\W_])[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")
"""As the index parts them: letters, digits and their accents, no underscore."""


def fold(text: str) -> str:
    """Without case and accents, as the index sees it."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return "".join(letter for letter in normalize("NFD", folded) if not combining(letter))


def words(text: str) -> list[str]:
    """The words of a question or of a text, folded."""
    return [fold(word) for word in _WORD.findall(text)]


def match_expression(text: str) -> str:
    """An FTS5 expression for all words of `text`, the last one as a beginning; empty if there are none."""
    found = words(text)
    return " ".join(f'"{word}"' for word in found[:-1]) + (f' "{found[-1]}"*' if found else "")


def indexed(item: Item) -> str:
    """What can be found of an item: what people and agents said, not what tools printed."""
    return item.text if isinstance(item, UserMessage | Text | Steer) else ""


def excerpt(text: str, question: str) -> tuple[str, list[tuple[int, int]]]:
    """A piece of `text` around the first word that matches, with the places of all that do."""
    wanted = words(question)
    from_here = _WORD.finditer(text, _earliest(text, wanted))
    first = next((word.start() for word in from_here if _matches(word, wanted)), 0)
    start = max(0, first - EXCERPT // 4)
    end = start + EXCERPT
    inside = takewhile(lambda word: word.end() <= end, _WORD.finditer(text, first))
    marks = [(word.start() - start, word.end() - start) for word in inside if _matches(word, wanted)]
    return text[start:end], marks


def _earliest(text: str, wanted: list[str]) -> int:
    """No word that matches begins before this place. Found quickly in plain text, which folding does not shift."""
    if not text.isascii():
        return 0
    lower = text.lower()
    places = [lower.find(word) for word in wanted]
    return min((place for place in places if place >= 0), default=len(text))


def _matches(found: re.Match[str], wanted: list[str]) -> bool:
    word = fold(found.group())
    return bool(wanted) and (word.startswith(wanted[-1]) or word in wanted)


def hit(question: str, session: SessionId, title: str, item: Item) -> Hit:
    """What a listing of results shows of an item."""
    piece, marks = excerpt(indexed(item), question)
    return Hit(
        session=session,
        title=title,
        turn=item.turn,
        k=item.k,
        type=str(item.__struct_config__.tag),
        time=item.time,
        excerpt=piece,
        marks=marks,
    )
