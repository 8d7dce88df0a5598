"""What the store had promised by the time of a cut, as the journal shows it."""

from math import inf

import msgspec

from tests.power.journal import Acknowledged, Asked, Entry, Opened, Owned, SyncBegun, SyncEnded

WAL = "-wal"


class Kept(msgspec.Struct, frozen=True):
    """An append that was acknowledged and must be there after the cut."""

    asked: Asked
    acknowledged: Acknowledged


class Promised(msgspec.Struct, frozen=True):
    """`kept` are the appends that were acknowledged as synced, or before the beginning of a WAL's sync that has ended;
    `asked` are all that were asked for, `unanswered` those without an acknowledgement, in order."""

    kept: list[Kept]
    asked: list[Asked]
    unanswered: list[Asked]
    owned: list[Owned]
    lineages: set[str]


def promised(entries: list[Entry], at: int) -> Promised:
    """What the first `at` entries promise."""
    asked: dict[str, Asked] = {}
    acknowledged: list[tuple[int, Acknowledged]] = []
    owned: list[Owned] = []
    lineages: set[str] = set()
    for number, (_, mark) in enumerate(entries[:at]):
        match mark:
            case Asked():
                asked[mark.name] = mark
            case Acknowledged():
                acknowledged.append((number, mark))
            case Owned():
                owned.append(mark)
            case Opened():
                lineages.add(mark.lineage)
            case _:
                pass
    synced = max((begun for begun, _ in syncs(entries[:at])), default=0)
    kept = [Kept(asked[mark.name], mark) for number, mark in acknowledged if mark.synced or number < synced]
    answered = {mark.name for _, mark in acknowledged}
    unanswered = [mark for name, mark in asked.items() if name not in answered]
    return Promised(kept, list(asked.values()), unanswered, owned, lineages)


def syncs(entries: list[Entry]) -> list[tuple[int, int]]:
    """The numbers of the beginning and of the end of every sync of the WAL that has ended."""
    begun: dict[int, int] = {}
    ended: list[tuple[int, int]] = []
    for number, (_, mark) in enumerate(entries):
        if isinstance(mark, SyncBegun) and mark.file.endswith(WAL):
            begun[mark.sync] = number
        elif isinstance(mark, SyncEnded) and mark.sync in begun:
            ended.append((begun[mark.sync], number))
    return ended


def exposure(entries: list[Entry]) -> float:
    """The longest time, in seconds, that an acknowledged append was not on the disk."""
    ended = sorted(syncs(entries), key=lambda sync: sync[1])
    longest = 0.0
    for number, (time, mark) in enumerate(entries):
        if isinstance(mark, Acknowledged) and not mark.synced:
            safe = min((entries[end].time for begin, end in ended if begin > number), default=inf)
            longest = max(longest, (safe - time) / 1e9)
    return longest
