"""What is called flat, on values: a soak that sees no leak would be worth nothing."""

from collections.abc import Iterable

from tests.soak.flatness import Limit, growth, rates
from tests.soak.judgement import MB, WAL, judged
from tests.soak.report import Line
from tests.soak.samples import Process, Sample

LIMIT = Limit(0.10, 8.0)


def sample(at: int, memory: float, *, pid: int = 1, store: float = 0.0, wal: int = 0) -> Sample:
    process = Process(pid=pid, memory=int(memory), descriptors=30)
    return Sample(
        at=at,
        server=process,
        late=1.0,
        runners={},
        store=int(store),
        wal=wal,
        spools=0,
        logs=0,
        records=at * 1000,
        words=at,
    )


def line(samples: Iterable[Sample], name: str) -> Line:
    (found,) = [found for found in judged(list(samples)) if found.name == name]
    return found


def test_a_warm_up_is_no_growth() -> None:
    found = growth([float(min(at, 20)) for at in range(100)])
    assert found is not None
    assert found.by == 0


def test_what_grows_all_the_time_grows_beyond_any_limit() -> None:
    found = growth([100.0 + at for at in range(100)])
    assert found is not None
    assert not found.within(LIMIT)


def test_a_spike_is_no_growth() -> None:
    found = growth([100.0] * 90 + [500.0] * 5 + [100.0] * 5)
    assert found is not None
    assert found.within(LIMIT)


def test_of_a_few_values_nothing_is_said() -> None:
    assert growth([1.0] * 5) is None
    assert rates([1.0] * 5, [1.0] * 5) is None


def test_a_server_that_leaks_is_seen() -> None:
    leaks = [sample(at, 80 * MB + at * MB / 10) for at in range(400)]
    steady = [sample(at, 80 * MB) for at in range(400)]
    assert line(leaks, "server: memory").fine is False
    assert line(steady, "server: memory").fine is True


def test_of_a_server_that_still_fills_its_caches_nothing_is_said() -> None:
    assert line([sample(at, 80 * MB + at * MB) for at in range(200)], "server: memory").fine is None


def test_a_process_is_held_against_itself_alone() -> None:
    """A small server that follows a large one does not hide that it grows."""
    before = [sample(at, 200 * MB) for at in range(50)]
    after = [sample(at, 80 * MB + (at - 50) * MB / 10, pid=2) for at in range(50, 450)]
    assert line([*before, *after], "server: memory").fine is False


def test_servers_that_need_more_the_later_they_start_are_seen() -> None:
    found = [sample(at, (60 + 5 * (at // 10)) * MB, pid=at // 10) for at in range(120)]
    assert line(found, "server: memory after a start").fine is False


def test_disk_may_grow_with_what_was_said_and_no_faster() -> None:
    in_step = [sample(at, 80 * MB, store=at * 2000) for at in range(100)]
    faster = [sample(at, 80 * MB, store=at * at * 50) for at in range(100)]
    assert line(in_step, "disk: bytes for a byte of records").fine is True
    assert line(faster, "disk: bytes for a byte of records").fine is False


def test_a_wal_that_nobody_empties_is_seen() -> None:
    assert line([sample(0, 80 * MB, wal=WAL + 1)], "disk: largest WAL").fine is False
