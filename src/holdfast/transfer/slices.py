"""JSON that is cut off or damaged in places, taken apart at its commas.

Law: every member and element that lies in the text whole is found, whatever lies beside it. Nothing is decoded here.
"""

import re
from collections.abc import Iterator

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


def parts(text: str, at: int = 0) -> Iterator[tuple[int, int]]:
    """Where the parts of the object or list lie that begins at or after `at`; the last may be cut off."""
    depth, start = 0, -1
    for found in _TOKENS.finditer(text, at):
        mark = found.group()
        if depth == 0:
            if mark not in _CLOSING:
                return
            depth, start = 1, found.end()
        elif mark in _CLOSING:
            depth += 1
        elif mark in ("}", "]"):
            depth -= 1
            if depth == 0:
                yield start, found.start()
                return
        elif mark == "," and depth == 1:
            yield start, found.start()
            start = found.end()
    if depth:
        yield start, len(text)


def members(text: str) -> Iterator[tuple[str, int, int]]:
    """The members of the outermost object: their names, and where their values lie."""
    for start, end in parts(text):
        key = _TOKENS.match(text, _skip(text, start))
        if key is None or len(key.group()) < 2 or not key.group().endswith('"'):
            continue
        colon = text.find(":", key.end(), end)
        if colon >= 0:
            yield key.group()[1:-1], colon + 1, end


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
