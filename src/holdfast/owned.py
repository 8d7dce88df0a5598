"""Folders and files of a home, which only their owner can read, whatever the umask of who started us."""

import contextlib
import os
import stat
from pathlib import Path

OTHERS = 0o077


def make_folder(path: Path) -> None:
    """Have the folder, and those above it that were missing. (`mkdir` gives its mode to the last of them alone.)"""
    for each in reversed([path, *path.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)


def owner_only(path: str, flags: int) -> int:
    """An opener for `open`: what it makes, or finds, is closed to others before anything is written to it."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    if stat.S_IMODE(os.fstat(descriptor).st_mode) & OTHERS:
        os.fchmod(descriptor, 0o600)
    return descriptor


def close_to_others(home: Path) -> None:
    """Take from others what they may do with a home, and with what a person or an older version may have made in it.

    Nothing else is changed, for it can't be reached then; and a folder that was named by mistake holds other people's.
    What can't be changed stays as it is.
    """
    for path in (home, home / "config.toml", home / "logs", home / "store", home / "workspaces"):
        with contextlib.suppress(OSError):  # not there, another's, or on a disk without such rights: `doctor` says so
            mode = path.lstat().st_mode
            if mode & OTHERS and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & ~OTHERS)
