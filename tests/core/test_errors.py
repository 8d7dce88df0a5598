"""Every error is a sentence for a person, with its details in it."""

import pytest

from holdfast.core import errors
from holdfast.core.errors import HoldfastError

DETAILS: dict[type[HoldfastError], tuple[object, ...]] = {
    errors.HoldfastError: (),
    errors.Refused: (),
    errors.BadId: ("a b",),
    errors.BadCommand: ("The message is empty.",),
    errors.NoSuchSession: ("s1",),
    errors.NoSuchTurn: ("t1",),
    errors.NotSettled: ("t1",),
    errors.NoSuchAsk: ("a1",),
    errors.SessionExists: ("s1",),
    errors.KeyTaken: ("turn:t1", 7),
    errors.QueueFull: (100,),
    errors.NotNow: ("A turn is running.",),
    errors.Damaged: ("it is cut off",),
    errors.Fenced: ("s1", 3, 4),
    errors.Hole: ("s1", 5, 9),
    errors.StoreError: ("it is gone.",),
    errors.StoreBusy: ("waited 5 s",),
    errors.StoreFull: ("no space left",),
    errors.StoreReadOnly: ("permission denied",),
    errors.StoreCorrupt: ("malformed image",),
    errors.StoreTooNew: (9, 8),
    errors.StoreMisplaced: ("/mnt/home", "nfs"),
}


def every(cls: type[HoldfastError]) -> set[type[HoldfastError]]:
    return {cls}.union(*(every(sub) for sub in cls.__subclasses__() if sub.__module__ == errors.__name__))


def test_every_error_is_listed_here() -> None:
    """The table above holds each class of the tree, so that none is without its sentence."""
    assert every(HoldfastError) == set(DETAILS)


@pytest.mark.parametrize("cls", DETAILS, ids=lambda cls: cls.__name__)
def test_an_error_says_in_a_sentence_what_happened(cls: type[HoldfastError]) -> None:
    """One line that begins large, ends with a full stop, holds every detail and no unfilled place."""
    words = str(cls(*DETAILS[cls]))
    assert words.endswith(".")
    assert words[0].isupper() or words.startswith((*map(str, DETAILS[cls]), "'"))
    assert not set(words) & set("{}\n")
    assert "  " not in words
    assert all(str(detail) in words for detail in DETAILS[cls])


def test_braces_in_a_detail_are_only_text() -> None:
    """What a person typed is shown as typed, never taken for a place to fill."""
    assert (
        str(errors.NoSuchTurn("{0}{1}{x}")) == "There is no turn {0}{1}{x} in this session that is queued or running."
    )


@pytest.mark.parametrize(
    ("cls", "status"),
    [
        (errors.BadId, 400),
        (errors.BadCommand, 400),
        (errors.NoSuchSession, 404),
        (errors.NoSuchTurn, 404),
        (errors.NoSuchAsk, 404),
        (errors.SessionExists, 409),
        (errors.KeyTaken, 409),
        (errors.QueueFull, 429),
        (errors.NotNow, 409),
        (errors.StoreFull, 507),
        (errors.Damaged, 500),
    ],
)
def test_an_error_knows_its_status(cls: type[HoldfastError], status: int) -> None:
    """400 for what is malformed, 404 for what is not there, 409 for what can't be now, 507 for the store."""
    assert cls.status == status
