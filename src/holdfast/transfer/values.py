"""JSON that somebody else wrote, read without trust: a field is what it should be, or it is not there.

Nothing here raises because of a value. Numbers are bounded, times are plausible, texts can be stored.
"""

import json
import math
from collections.abc import Iterator
from datetime import datetime
from typing import Any, cast

import msgspec

LARGEST_NUMBER = 2**53 - 1
EARLIEST, LATEST = 631_152_000_000, 4_102_444_800_000
"""Milliseconds: what lies outside of 1990 to 2100 is no time of a message."""
SECONDS_END = 100_000_000_000
"""A number below this counts seconds, one above it milliseconds."""
UNREADABLE = (msgspec.DecodeError, ValueError, RecursionError)


class Fields:
    """A JSON object, or what came in the place of one: then it has no fields."""

    def __init__(self, value: object = None) -> None:
        self._fields: dict[str, Any] = cast("dict[str, Any]", value) if isinstance(value, dict) else {}

    def __bool__(self) -> bool:
        return bool(self._fields)

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def get(self, name: str) -> object:
        return self._fields.get(name)

    def text(self, *names: str) -> str:
        """The first of these fields that holds text which is not empty."""
        for name in names:
            value = self._fields.get(name)
            if isinstance(value, str) and value:
                return storable(value)
        return ""

    def word(self, *names: str) -> str:
        """As `text`, on one line and not long: a name, a title, a path."""
        return " ".join(self.text(*names).split())[:1000]

    def flag(self, name: str) -> bool:
        return self._fields.get(name) is True

    def number(self, name: str) -> int:
        """A count: whole, not negative, not absurd."""
        return int(max(0, min(_finite(self._fields.get(name)), LARGEST_NUMBER)))

    def fraction(self, name: str) -> float:
        return float(max(0, min(_finite(self._fields.get(name)), 1e9)))

    def moment(self, *names: str) -> int:
        """A time in milliseconds; 0 if none of these fields holds one."""
        for name in names:
            if found := moment(self._fields.get(name)):
                return found
        return 0

    def fields(self, name: str) -> "Fields":
        return Fields(self._fields.get(name))

    def several(self, name: str) -> list[object]:
        return several(self._fields.get(name))

    def objects(self, name: str) -> Iterator["Fields"]:
        """The objects in a list."""
        return (found for value in self.several(name) if (found := Fields(value)))

    def items(self) -> Iterator[tuple[str, object]]:
        return iter(self._fields.items())


def several(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def moment(value: object) -> int:
    """A time as seconds, as milliseconds or as ISO text, in milliseconds; 0 if it is none."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return 0
    number = _finite(value)
    found = int(number * 1000) if abs(number) < SECONDS_END else int(number)
    return found if EARLIEST <= found <= LATEST else 0


def _finite(value: object) -> int | float:
    """The number, 0 if it is none. A whole one may be of any length."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return value if isinstance(value, int) or math.isfinite(value) else 0


def storable(text: str) -> str:
    """The text without halves of characters, which can't be written down."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def decoded(body: bytes | msgspec.Raw | memoryview) -> object:
    """What the JSON says; also if it is JSON only to Python, which writes NaN. Raise one of `UNREADABLE`."""
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        return json.loads(bytes(body).decode("utf-8", "replace"))


def spelled(value: object) -> str:
    """A value as text: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return storable(value)
    if value is None:
        return ""
    try:
        return storable(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return ""
