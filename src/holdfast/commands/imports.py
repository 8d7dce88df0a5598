"""`holdfast import KIND [PATH]`: sessions of another program, taken over while everything runs."""

import asyncio
import os
import sys
import time
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for
from holdfast.core.errors import HoldfastError
from holdfast.refused import sentence_for
from holdfast.settings import Settings
from holdfast.transfer.report import Kind, Report, begun, keep
from holdfast.transfer.turnstile import forget_uploads, take_lock

WIDTH = 30
OFTEN = 0.25
"""Seconds between two looks at how far it has come."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("kind", choices=get_args(Kind), help="the program that the sessions come from")
    parser.add_argument(
        "path", type=Path, nargs="?", help="its folder or its export (hermes-webui: found by itself if not named)"
    )
    add_home(parser)
    # For the server, which starts this for the page.
    parser.add_argument("--progress", choices=("bar", "none"), default="bar", help=SUPPRESS)
    parser.add_argument("--id", default="", help=SUPPRESS)
    parser.add_argument("--lock", type=int, help=SUPPRESS)
    parser.add_argument("--consume", action="store_true", help=SUPPRESS)


def run(arguments: Namespace) -> int:
    settings = settings_for(arguments)
    lock = take_lock(settings.home) if arguments.lock is None else arguments.lock
    os.set_inheritable(lock, False)  # noqa: FBT003  its own signature
    path: Path | None = None if arguments.path is None else arguments.path.expanduser().absolute()
    report = begun(arguments.kind, "" if arguments.consume else str(path or ""))
    report.id = arguments.id or report.id
    watch = Watch(settings.home, report, bar=arguments.progress == "bar")
    try:
        asyncio.run(_imported(settings, report, path, watch.see))
        report.state = "finished"
    except (HoldfastError, OSError) as exc:
        report.state, report.error = "failed", sentence_for(exc) or ""
        raise
    finally:
        report.ended = time.time_ns() // 1_000_000
        kept = keep(settings.home, report)
        if path is not None and arguments.consume:
            path.unlink(missing_ok=True)
        forget_uploads(settings.home, time.time())
        os.close(lock)
    if arguments.progress == "bar":
        print("\n".join(report.lines()))
        print(f"The report is kept in {kept}.")
    return 0


async def _imported(settings: Settings, report: Report, path: Path | None, see: Callable[[Report], None]) -> None:
    from holdfast.store.sqlite.store import Options, SqliteStore
    from holdfast.transfer.sources import import_from

    store = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells))
    try:
        await import_from(report.kind, path, store=store, settings=settings, report=report, progress=see)
        await store.index()
    finally:
        await store.close()


class Watch:
    """Tells how far it has come: on one line of a terminal, if somebody looks, and in the report, for the page."""

    def __init__(self, home: Path, report: Report, *, bar: bool) -> None:
        self._home = home
        self._bar = bar and sys.stderr.isatty()
        self._shown = 0.0
        keep(home, report)

    def see(self, report: Report) -> None:
        now, last = time.monotonic(), report.done == report.found
        if now - self._shown < OFTEN and not last:
            return
        self._shown = now
        keep(self._home, report)
        if self._bar:
            filled = WIDTH * report.done // max(1, report.found)
            end = "\n" if last else ""
            print(f"\r[{'#' * filled:.<{WIDTH}}] {report.done}/{report.found}", end=end, file=sys.stderr, flush=True)


COMMAND = Command(
    name="import",
    summary="take over the sessions of hermes-webui, Open WebUI or another Holdfast",
    add_options=add_options,
    run=run,
)
