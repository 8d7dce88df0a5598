"""`holdfast backup PATH`: the whole home in one file, taken while everything runs."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the file to write; it must not exist")
    add_home(parser)


def run(arguments: Namespace) -> int:
    from holdfast.store.backup import back_up

    settings = settings_for(arguments)
    size = back_up(settings.home, arguments.path)
    print(f"Backed up {settings.home} to {arguments.path} ({size / 1e6:.1f} MB). Put it back with: holdfast restore")
    return 0


COMMAND = Command(
    name="backup",
    summary="write a backup to a file, while everything runs",
    add_options=add_options,
    run=run,
)
