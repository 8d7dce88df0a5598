"""Where the database lies: on which kind of file system, and under which boot of the machine."""

import re
import subprocess
from pathlib import Path

from holdfast.core.errors import StoreMisplaced

NETWORK = frozenset(
    {
        "9p", "afs", "ceph", "cifs", "davfs", "fuse.davfs2", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs",
        "lustre", "nfs", "nfs4", "smb3", "smbfs", "vboxsf",
    }
)  # fmt: skip
"""File systems on which SQLite's locks and shared memory don't hold between processes."""

_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def file_system(folder: Path, mounts: str) -> str:
    """The kind of file system that holds `folder`, from the text of mountinfo; empty if it is not told."""
    best, kind = "", ""
    resolved = folder.resolve()
    for line in mounts.splitlines():
        before, _, after = (part.split() for part in line.partition(" - "))
        if len(before) < 5 or not after:
            continue
        point = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), before[4])
        if resolved.is_relative_to(point) and len(point) >= len(best):
            best, kind = point, after[0]
    return kind


def check_place(folder: Path) -> None:
    """Raise `StoreMisplaced` if the folder lies on a network."""
    if not _MOUNTS.exists():
        return
    kind = file_system(folder, _MOUNTS.read_text("utf-8", "replace"))
    if kind in NETWORK:
        raise StoreMisplaced(folder, kind)


def prepare(folder: Path) -> None:
    """Make the folder, for its owner alone, where a database can live."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_place(folder)


def boot_id() -> str:
    """The name of this boot of the machine."""
    if _BOOT.exists():
        return _BOOT.read_text("ascii").strip()
    return subprocess.run(
        ["sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, text=True, check=True
    ).stdout.strip()
