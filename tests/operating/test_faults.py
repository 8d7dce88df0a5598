"""A point does nothing until a test arms it, and then exactly what was asked."""

import errno
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from holdfast import faults


@pytest.fixture(autouse=True)
def _disarmed() -> Iterator[None]:
    yield
    faults.arm("")


def test_an_unarmed_point_does_nothing() -> None:
    """The product pays one look at an empty dict."""
    for name in faults.ALL:
        faults.point(name)


def test_a_point_happens_at_its_visit_and_once() -> None:
    """`name=raise:2` lets the first visit pass, fails the second, and lets the third pass."""
    faults.arm("store.written=raise:2")
    faults.point("store.written")
    with pytest.raises(faults.InjectedFault):
        faults.point("store.written")
    faults.point("store.written")


def test_a_full_disk_can_be_played() -> None:
    """`enospc` looks like the real thing."""
    faults.arm("blobs.written=enospc")
    with pytest.raises(OSError, match="No space") as failure:
        faults.point("blobs.written")
    assert failure.value.errno == errno.ENOSPC


def test_a_killed_process_says_nothing() -> None:
    """`kill` is a real kill -9."""
    program = (
        "from holdfast import faults; faults.arm('store.locked=kill'); faults.point('store.locked'); print('alive')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == ""


@pytest.mark.parametrize("spec", ["store.wrtten=kill", "store.written=explode", "store.written=kill:soon"])
def test_a_spec_that_means_nothing_is_refused(spec: str) -> None:
    """A typing mistake in a test must not look like a passed test."""
    with pytest.raises(ValueError, match=r"no fault point|nothing that a fault|invalid literal"):
        faults.arm(spec)


def test_a_point_that_is_not_listed_is_refused_when_anything_is_armed() -> None:
    """`faults.ALL` is complete, so that a crash matrix can visit every point."""
    faults.arm("store.locked=delay:99")
    with pytest.raises(ValueError, match=r"faults\.ALL"):
        faults.point("store.unheard")
