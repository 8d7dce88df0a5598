"""`holdfast export [SESSION]`: one session as a file, or all of them as an archive."""

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, get_args

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for
from holdfast.core.errors import NotNow
from holdfast.settings import Settings
from holdfast.transfer.export import Format, begun, export, export_all, file_name
from holdfast.transfer.identity import led_to


class NothingToExport(NotNow):
    """There is no store in {0}. Set HOLDFAST_HOME or --home to the folder whose sessions you want."""


class InTheWay(NotNow):
    """{0} exists already, and nothing is overwritten. Name another file with -o."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("session", nargs="?", help="its id; without one, every session is exported")
    parser.add_argument("--format", choices=get_args(Format), default="md", help="md, html, or json to import again")
    parser.add_argument("-o", "--output", type=Path, help="the file to write, or - for the terminal")
    add_home(parser)


def run(arguments: Namespace) -> int:
    return asyncio.run(_exported(settings_for(arguments), arguments))


async def _exported(settings: Settings, arguments: Namespace) -> int:
    from holdfast.store.blobs import Blobs
    from holdfast.store.sqlite.store import DATABASE, SqliteStore

    if not (settings.store / DATABASE).exists():
        raise NothingToExport(settings.home)
    store = await SqliteStore.open_folder(settings.store)
    blobs, kind = Blobs(settings.blobs), arguments.format
    try:
        if arguments.session:
            session = await led_to(store, arguments.session)
            name = file_name(session, (await begun(store, session)).title, kind)
            pieces = export(store, blobs, session, kind)
        else:
            name, pieces = f"holdfast-{kind}.zip", export_all(store, blobs, kind)
        await _written(pieces, arguments.output or Path(name))
    finally:
        await store.close()
    return 0


async def _written(pieces: AsyncIterator[bytes], path: Path) -> None:
    if str(path) == "-":
        async for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    with _whole(path) as file:
        async for piece in pieces:
            file.write(piece)
    print(f"Exported to {path}.")


@contextmanager
def _whole(path: Path) -> Generator[BinaryIO]:
    """A new file, which stays only if all of it was written: a part would pass for the whole, and be in the way."""
    try:
        file = path.open("xb")
    except FileExistsError as exc:
        raise InTheWay(path) from exc
    try:
        with file:
            yield file
    except BaseException:
        path.unlink()
        raise


COMMAND = Command(
    name="export",
    summary="write one session, or all, as Markdown, as a page or as JSON",
    add_options=add_options,
    run=run,
)
