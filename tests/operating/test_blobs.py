"""A blob is complete under its name or not there."""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast import faults
from holdfast.store.blobs import DAY, Blobs, NoSuchBlob


def test_what_is_put_can_be_read(tmp_path: Path) -> None:
    """Its name is the digest of its bytes."""
    blobs = Blobs(tmp_path / "blobs")
    blob = blobs.put([b"ab", b"c"])
    assert blob.name == hashlib.sha256(b"abc").hexdigest()
    assert blob.size == 3
    assert blobs.path(blob.name).read_bytes() == b"abc"
    assert blobs.path(blob.name).stat().st_mode & 0o077 == 0


def test_the_same_bytes_are_stored_once(tmp_path: Path) -> None:
    """Putting twice is harmless."""
    blobs = Blobs(tmp_path)
    assert blobs.put([b"x"]) == blobs.put([b"x"])
    assert len(list(tmp_path.glob("??/*"))) == 1
    assert not list(tmp_path.glob("draft.*"))


@pytest.mark.parametrize(
    "name", ["", "..", "../../etc/passwd", "a" * 63, "A" * 64, "0" * 64, "/" + "0" * 63, "0" * 64 + "\n"]
)
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    """No name leads out of the folder."""
    with pytest.raises(NoSuchBlob):
        Blobs(tmp_path).path(name)


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    """The draft goes away with the failure."""
    faults.arm("blobs.written=enospc")
    try:
        with pytest.raises(OSError, match="No space"):
            Blobs(tmp_path).put([b"x"])
    finally:
        faults.arm("")
    assert list(tmp_path.rglob("*")) == []


def test_a_killed_writer_leaves_a_draft_that_is_collected_after_a_day(tmp_path: Path) -> None:
    """What a dead process left is not mistaken for a blob."""
    program = (
        "import sys; from pathlib import Path; from holdfast import faults; from holdfast.store.blobs import Blobs;"
        "faults.arm('blobs.written=kill'); Blobs(Path(sys.argv[1])).put([b'x'])"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    (draft,) = tmp_path.glob("draft.*")
    assert Blobs(tmp_path).collect(set(), time.time()) == []
    assert [blob.name for blob in Blobs(tmp_path).collect(set(), time.time() + DAY + 60)] == [draft.name]
    assert not draft.exists()


def test_only_what_nobody_speaks_of_for_a_day_is_collected(tmp_path: Path) -> None:
    """A blob that was just put may be on its way into the log."""
    blobs = Blobs(tmp_path)
    kept, fresh, old = blobs.put([b"kept"]), blobs.put([b"fresh"]), blobs.put([b"old"])
    now = time.time() + DAY + 60
    os.utime(blobs.path(fresh.name), (now - 60, now - 60))
    assert blobs.unspoken({kept.name}, now) == [old]
    assert blobs.path(old.name).is_file()
    assert blobs.collect({kept.name}, now) == [old]
    assert blobs.path(kept.name).read_bytes() == b"kept"
    assert blobs.path(fresh.name).read_bytes() == b"fresh"
    with pytest.raises(NoSuchBlob):
        blobs.path(old.name)
