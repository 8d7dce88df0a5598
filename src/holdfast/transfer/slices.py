"""JSON that is cut off or damaged in places, taken apart at its commas.

Law: every member and element that lies in the text whole is found, whatever lies beside it. Nothing is decoded here.
"""

import re
from collections.abc import Iterator

_MARKS = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[{}\[\],:]')
"""A text ends with its line at the latest: what is not closed there spoils no more than that."""
_CLOSING = {"{": "}", "[": "]"}


def parts(text: str, at: int = 0) -> Iterator[tuple[int, int]]:
    """Where the parts of the object or list lie that begins at or after `at`; the last may be cut off."""
    closings: list[str] = []
    start = -1
    for found in _MARKS.finditer(text, at):
        mark = found.group()
        if mark in _CLOSING:
            closings.append(_CLOSING[mark])
            start = found.end() if len(closings) == 1 else start
        elif not closings:
            return
        elif mark == closings[-1]:  # one that closes nothing is part of some damage
            closings.pop()
            if not closings:
                yield start, found.start()
                return
        elif mark == "," and len(closings) == 1:
            yield start, found.start()
            start = found.end()
    if closings:
        yield start, len(text)


def members(text: str) -> Iterator[tuple[str, int, int]]:
    """The members of the outermost object: their names, and where their values lie."""
    for start, end in parts(text):
        key = _MARKS.match(text, _skip(text, start))
        if key is None or len(key.group()) < 2 or not key.group().endswith('"'):
            continue
        colon = text.find(":", key.end(), end)
        if colon >= 0:
            yield key.group()[1:-1], colon + 1, end


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
