"""What hermes-webui gave the model of a session: once it was compressed, another history than the one that it shows."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest

import msgspec

from holdfast.transfer.values import UNREADABLE, Fields, decoded


def differs(messages: Iterable[bytes | msgspec.Raw], facing: Iterable[Fields]) -> bool:
    """Whether the model was given other words than those that are shown. No model is given markers."""
    shown = (_words(message) for message in _read(messages) if not message.flag("_error"))
    return any(one != other for one, other in zip_longest(shown, map(_words, facing)))


def _read(messages: Iterable[bytes | msgspec.Raw]) -> Iterator[Fields]:
    for raw in messages:
        try:
            yield Fields(decoded(raw))
        except UNREADABLE:
            continue


def _words(message: Fields) -> tuple[str, object]:
    return message.text("role"), message.get("content")
