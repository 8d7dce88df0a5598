"""`holdfast import KIND [PATH]`: sessions of another program, taken over while everything runs."""

import asyncio
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import msgspec

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for
from holdfast.core.errors import HoldfastError
from holdfast.settings import Settings
from holdfast.transfer.report import Kind, Report, begun, keep

WIDTH = 30


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("kind", choices=get_args(Kind), help="the program that the sessions come from")
    parser.add_argument(
        "path", type=Path, nargs="?", help="its folder or its export (hermes-webui: found by itself if not named)"
    )
    parser.add_argument("--progress", choices=("bar", "json"), default="bar", help="how to say how far it has come")
    add_home(parser)


def run(arguments: Namespace) -> int:
    settings = settings_for(arguments)
    report = begun(arguments.kind, str(arguments.path or ""))
    show = _told if arguments.progress == "json" else Bar().show
    try:
        asyncio.run(_imported(settings, report, arguments.path, show))
        report.state = "finished"
    except HoldfastError as exc:
        report.state, report.error = "failed", str(exc)
        raise
    finally:
        report.ended = time.time_ns() // 1_000_000
        path = keep(settings.home, report)
    if arguments.progress == "bar":
        print("\n".join(report.lines()))
        print(f"The report is kept in {path}.")
    else:
        _told(report)
    return 0


async def _imported(settings: Settings, report: Report, path: Path | None, show: Callable[[Report], None]) -> None:
    from holdfast.store.sqlite.store import Options, SqliteStore
    from holdfast.transfer.sources import import_from

    store = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells))
    try:
        await import_from(report.kind, path, store=store, settings=settings, report=report, progress=show)
        await store.index()
    finally:
        await store.close()


class Bar:
    """How far it has come, on one line of a terminal. Nothing if nobody looks."""

    def __init__(self) -> None:
        self._shown = 0.0

    def show(self, report: Report) -> None:
        now, last = time.monotonic(), report.done == report.found
        if not sys.stderr.isatty() or (now - self._shown < 0.1 and not last):
            return
        self._shown = now
        filled = WIDTH * report.done // max(1, report.found)
        end = "\n" if last else ""
        print(f"\r[{'#' * filled:.<{WIDTH}}] {report.done}/{report.found}", end=end, file=sys.stderr, flush=True)


class Count(msgspec.Struct, frozen=True):
    """A line for a program that waits for us."""

    id: str
    found: int
    done: int
    state: str


def _told(report: Report) -> None:
    line = msgspec.json.encode(Count(report.id, report.found, report.done, report.state))
    print(line.decode(), flush=True)


COMMAND = Command(
    name="import",
    summary="take over the sessions of hermes-webui, Open WebUI or another Holdfast",
    add_options=add_options,
    run=run,
)
