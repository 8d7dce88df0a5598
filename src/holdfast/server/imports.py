"""Imports that are asked for on the page: each is a process of its own, which writes down how far it has come.

The server keeps nothing of it. One that starts anew finds an import that goes on by its lock and by its report.
"""

import asyncio
import os
import secrets
import subprocess
import sys
from pathlib import Path

from holdfast.core.errors import Refused
from holdfast.owned import make_folder, owner_only
from holdfast.settings import Settings
from holdfast.transfer.report import FOLDER, Kind, Report, begun, keep, kept
from holdfast.transfer.turnstile import UPLOAD, going_on, honest, take_lock


class NoSuchImport(Refused):
    """There is no import {0}. The list of imports says which there were."""

    status = 404


class Imports:
    """Starts imports, and reads what they report. Every method waits for the disk: call it in a thread."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def start(self, settings: Settings, kind: Kind, path: Path | None, *, consume: bool = False) -> Report:
        """Begin. Raise `AnotherImport` if one goes on."""
        lock = take_lock(settings.home)
        try:
            self._reap()
            report = begun(kind, "" if path is None or consume else str(path))
            keep(settings.home, report)
            self._child = self._spawn(settings, report, path, lock, consume=consume)
        finally:
            os.close(lock)  # the child has it too
        return report

    def _spawn(
        self, settings: Settings, report: Report, path: Path | None, lock: int, *, consume: bool
    ) -> "subprocess.Popen[bytes]":
        named = [] if path is None else [str(path)]
        options = ["--home", str(settings.home), "--id", report.id, "--lock", str(lock), "--progress", "none"]
        options += ["--consume"] if consume else []
        errors = settings.logs / "import.err"
        make_folder(errors.parent)
        with open(errors, "wb", opener=owner_only) as stderr:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "holdfast", "import", report.kind, *named, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=settings.home,
                pass_fds=(lock,),
                start_new_session=True,
            )

    def reports(self, settings: Settings) -> list[Report]:
        """All that there were, the newest first. At most one goes on."""
        self._reap()
        active = going_on(settings.home)
        return [honest(report, active=active and number == 0) for number, report in enumerate(kept(settings.home))]

    def report(self, settings: Settings, name: str) -> Report:
        found = next((report for report in self.reports(settings) if report.id == name), None)
        if found is None:
            raise NoSuchImport(name)
        return found

    def close(self) -> None:
        """The server ends; an import goes on without it."""
        if self._child is not None:
            self._child.returncode = self._child.poll() or 0  # it outlives us: nobody waits for it any more

    def _reap(self) -> None:
        if self._child is not None and self._child.poll() is not None:
            self._child = None


async def place_for_upload(settings: Settings) -> Path:
    """Where a file that is being sent lies until it is imported."""
    folder = settings.home / FOLDER
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    return folder / f"{secrets.token_hex(8)}{UPLOAD}"
