"""`holdfast restore PATH`: put a backup into an empty home."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="the backup to restore")
    add_home(parser)


def run(arguments: Namespace) -> int:
    from holdfast.store.backup import restore

    settings = settings_for(arguments)
    restore(arguments.path, settings.home)
    print(f"Restored {arguments.path} into {settings.home}. Browsers that were open load their sessions anew.")
    return 0


COMMAND = Command(
    name="restore",
    summary="put a backup into an empty home",
    add_options=add_options,
    run=run,
)
