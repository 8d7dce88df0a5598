"""The disk of the power-cut test: what was synced is there, and of the rest anything may be."""

from tests.power.disk import Disk, Weather
from tests.power.journal import AnyMark, Created, Deleted, SyncBegun, SyncEnded, Truncated, Wrote

WEATHERS = [Weather(seed) for seed in range(300)]
OLD, NEW = b"o" * 8192, b"n" * 8192


def disk(*marks: AnyMark) -> Disk:
    made = Disk()
    for at, mark in enumerate(marks):
        made.take(at, mark)
    return made


def synced(file: str, *, number: int = 1, folder: bool = True) -> list[AnyMark]:
    return [SyncBegun(file, number, folder), SyncEnded(number)]


def outcomes(made: Disk, file: str = "f") -> set[bytes | None]:
    return {made.survivors(weather).get(file) for weather in WEATHERS}


def test_what_was_synced_is_there() -> None:
    assert outcomes(disk(Created("f"), Wrote("f", 0, OLD), *synced("f"))) == {OLD}


def test_a_sync_covers_only_what_was_written_before_it_began() -> None:
    made = disk(Created("f"), Wrote("f", 0, OLD), SyncBegun("f", 1, folder=True), Wrote("f", 0, NEW), SyncEnded(1))
    assert {OLD, NEW} < outcomes(made)


def test_a_sync_that_has_not_ended_promises_nothing() -> None:
    assert None in outcomes(disk(Created("f"), Wrote("f", 0, OLD), SyncBegun("f", 1, folder=True)))


def test_an_unsynced_write_may_be_there_torn_or_gone() -> None:
    found = outcomes(disk(Created("f"), Wrote("f", 0, OLD), *synced("f"), Wrote("f", 0, NEW)))
    assert {OLD, NEW} < found
    assert any({b"o", b"n"} == {body[i : i + 1] for i in range(0, 8192, 512)} for body in found if body)


def test_bytes_beside_an_unsynced_write_stay_as_they_are() -> None:
    found = outcomes(disk(Created("f"), Wrote("f", 0, OLD), *synced("f"), Wrote("f", 1000, NEW[:2000])))
    assert {body[:1000] + body[3000:] for body in found if body} == {OLD[:1000] + OLD[3000:]}


def test_an_unsynced_length_may_be_any_that_the_file_had() -> None:
    made = disk(Created("f"), Wrote("f", 0, OLD), *synced("f"), Wrote("f", 8192, NEW), Truncated("f", 4096))
    assert {len(body) for body in outcomes(made) if body} == {4096, 8192, 16384}


def test_a_name_needs_a_sync_of_the_folder() -> None:
    assert outcomes(disk(Created("f"), Wrote("f", 0, OLD), *synced("f", folder=False))) == {None, OLD}


def test_an_unsynced_deletion_may_be_undone_and_a_new_file_lost() -> None:
    made = disk(Created("f"), Wrote("f", 0, OLD), *synced("f"), Deleted("f"), Created("f"), Wrote("f", 0, NEW))
    assert {OLD, None, NEW, b""} < outcomes(made)


def test_the_same_seed_gives_the_same_disk() -> None:
    made = disk(Created("f"), Wrote("f", 0, OLD), *synced("f"), Wrote("f", 100, NEW))
    assert [made.survivors(Weather(seed)) for seed in range(50)] == [
        made.survivors(Weather(seed)) for seed in range(50)
    ]
