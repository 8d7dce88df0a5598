"""Names of things, checked once at the border and trusted inside.

An id arrives from a browser, an agent or a file name. `parse` is the only door: what passed it is safe as a
path segment, a database key and an SSE id (it holds no colon, dot or slash).
"""

import re
from typing import NewType

from holdfast.core.errors import BadId

SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
AskId = NewType("AskId", str)
SteerId = NewType("SteerId", str)
CallId = NewType("CallId", str)
"""A tool call as its agent names it: any text, unique within a turn, never used as a path."""

HOUSE = SessionId("house")
"""The reserved log for what belongs to no session: settings, approval rules, projects."""

_SHAPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def parse(text: str) -> str:
    """Return `text` if it can name a session, a turn, an ask or a steer; raise `BadId` otherwise."""
    if not _SHAPE.fullmatch(text):
        raise BadId(text)
    return text


def session_id(text: str) -> SessionId:
    """Return `text` as the id of a session that a person may use; the house log is not one."""
    if text == HOUSE:
        raise BadId(text)
    return SessionId(parse(text))


def turn_id(text: str) -> TurnId:
    return TurnId(parse(text))


def ask_id(text: str) -> AskId:
    return AskId(parse(text))


def steer_id(text: str) -> SteerId:
    return SteerId(parse(text))


def mint(entropy: bytes) -> str:
    """Spell random bytes as an id. The caller brings the bytes: `core` has no source of chance."""
    number = int.from_bytes(entropy, "big")
    letters: list[str] = []
    for _ in range((len(entropy) * 8 + 4) // 5):
        number, digit = divmod(number, 32)
        letters.append(_ALPHABET[digit])
    return "".join(reversed(letters))
