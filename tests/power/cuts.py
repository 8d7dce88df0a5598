"""Where to cut the power: at random, and where it hurts."""

import random

import msgspec

from tests.power.journal import Acknowledged, AnyMark, Created, Deleted, Entry, SyncBegun, SyncEnded, Truncated, Wrote

START = 0
"""The offset of a WAL's head, which is written anew each time the WAL starts over."""


class Cut(msgspec.Struct, frozen=True):
    """The entries before `at` have happened; `seed` makes the weather."""

    at: int
    seed: int


def choose(entries: list[Entry], count: int, seed: int) -> list[Cut]:
    """Cuts of every kind in turn, in the order of the journal."""
    dice = random.Random(seed)
    kinds = [points for points in _points(entries) if points]
    places = [dice.choice(kinds[number % len(kinds)]) for number in range(count)]
    return sorted((Cut(at, dice.getrandbits(32)) for at in places), key=lambda cut: cut.at)


def _points(entries: list[Entry]) -> list[list[int]]:
    """Right after the marks of each kind; and anywhere."""
    numbered = [(at, entry.mark) for at, entry in enumerate(entries, 1)]
    kinds = (_promises, _begins_sync, _ends_sync, _checkpoints, _starts_over, _names)
    return [[at for at, mark in numbered if kind(mark)] for kind in kinds] + [list(range(1, len(entries) + 1))]


def _promises(mark: AnyMark) -> bool:
    return isinstance(mark, Acknowledged) and mark.synced


def _begins_sync(mark: AnyMark) -> bool:
    return isinstance(mark, SyncBegun)


def _ends_sync(mark: AnyMark) -> bool:
    return isinstance(mark, SyncEnded)


def _checkpoints(mark: AnyMark) -> bool:
    return isinstance(mark, Wrote | Truncated) and mark.file.endswith(".db")


def _starts_over(mark: AnyMark) -> bool:
    return isinstance(mark, Wrote) and mark.file.endswith("-wal") and mark.offset == START


def _names(mark: AnyMark) -> bool:
    return isinstance(mark, Created | Deleted)
