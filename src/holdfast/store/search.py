"""Words: what is searched for, what is indexed, and what a hit shows."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from unicodedata import combining, normalize

from msgspec.structs import replace

from holdfast.core.errors import BadCommand
from holdfast.core.ids import SessionId, TurnId
from holdfast.core.items import Item, Steer, Text, UserMessage
from holdfast.core.window import Settled
from holdfast.store.protocol import Found, Hit

EXCERPT = 160
LONGEST_NUMBER = 19
_FOREIGN = re.compile(r"[^\x00-\x7f]{1,40}")
_TOP = (1 << 62, 1 << 62, 1 << 62)
_WORD = re.compile(r"(?<![^\W_])[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*")
"""As the index parts them: letters, digits and their accents, no underscore."""


def fold(text: str) -> str:
    """Without case and accents, as the index sees it. Most letters need neither, and are let through by the dozen."""
    lower = text.lower()
    return lower if lower.isascii() else _FOREIGN.sub(_folded, lower)


def _folded(found: re.Match[str]) -> str:
    return _fold_piece(found.group())


@lru_cache(maxsize=10_000)
def _fold_piece(letters: str) -> str:
    return "".join(letter for letter in normalize("NFD", letters.casefold()) if not combining(letter))


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


def holds(said: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether all words of a question are among those of a text, the last one as a beginning: as the index has it."""
    return (
        bool(wanted) and any(word.startswith(wanted[-1]) for word in said) and all(word in said for word in wanted[:-1])
    )


def newest(hits: Iterable[Hit], limit: int) -> list[Hit]:
    return sorted(hits, key=lambda found: (found.time, found.k), reverse=True)[:limit]


def as_read(text: str) -> str:
    """A text as a reader looks for it: without case, accents, the signs of Markdown, and as if on one line."""
    return " ".join(fold(text).replace("*", "").replace("`", "").split())


def found(items: Iterable[tuple[int, Settled]], question: str) -> list[Found]:
    """Of settled items with their pages those that hold what was asked for, a long text once, in the given order."""
    wanted = as_read(question)
    hits: dict[tuple[TurnId, int], Found] = {}
    for page, settled in items:
        item = settled.item
        count = as_read(indexed(item)).count(wanted) if wanted else 0
        if count > 0:
            hit = hits.get((item.turn, item.k)) or Found(item.turn, item.k, settled.number, page, 0)
            hits[item.turn, item.k] = replace(hit, count=hit.count + count)
    return list(hits.values())


def below(cursor: str | None) -> tuple[int, int, int]:
    """The turn's number, the item and its part that going on with a find starts below."""
    if cursor is None:
        return _TOP
    parts = cursor.split(".")
    if len(parts) != len(_TOP) or not all(part.isdecimal() and len(part) < LONGEST_NUMBER for part in parts):
        raise BadCommand("This is no cursor of a find. Start from the newest.")
    number, k, part = map(int, parts)
    return number, k, part


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
