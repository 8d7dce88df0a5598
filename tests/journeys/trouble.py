"""Ways in which a store can't be written, and the end of each."""

import fcntl
import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

SMALL = "200m"
FILLER = "filler"


@contextmanager
def small_disk(folder: Path) -> Generator[Path]:
    """A disk of 200 megabytes at `folder`. Skip the test where that may not be made."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SMALL},mode=700", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("This machine does not let us make a small disk.")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Leave not one byte free."""
    with (folder / FILLER).open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue


def free(folder: Path) -> None:
    (folder / FILLER).unlink()


@contextmanager
def shut(store: Path) -> Generator[None]:
    """Hold the store's lock, as a writer that does not come to an end."""
    descriptor = os.open(store / "store.lock", os.O_RDWR | os.O_CLOEXEC)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)
