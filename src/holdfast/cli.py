"""The `holdfast` command: read the arguments, run the command they name, say failures as sentences."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from holdfast import __version__
from holdfast.commands import backup, doctor, exports, imports, link, password, restore, serve, status, stop
from holdfast.core.errors import HoldfastError

# The order is the order of `holdfast --help`. The first is what runs when none is named.
COMMANDS = (
    serve.COMMAND,
    link.COMMAND,
    password.COMMAND,
    status.COMMAND,
    stop.COMMAND,
    backup.COMMAND,
    restore.COMMAND,
    imports.COMMAND,
    exports.COMMAND,
    doctor.COMMAND,
)

ABOUT_ITSELF = {"-h", "--help", "--version"}
INTERRUPTED = 130  # what shells expect of a program that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parsed = parser().parse_args(with_command(sys.argv[1:] if arguments is None else arguments))
    try:
        return parsed.run(parsed)
    except HoldfastError as error:
        print(f"holdfast: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def with_command(arguments: Sequence[str]) -> list[str]:
    """`arguments`, with the first command put in front when they name none."""
    first = next(iter(arguments), "--")
    if first.startswith("-") and first not in ABOUT_ITSELF:
        return [COMMANDS[0].name, *arguments]
    return list(arguments)


def parser() -> ArgumentParser:
    top = ArgumentParser(prog="holdfast", description="A self-hosted web workspace for AI agents.")
    top.add_argument("--version", action="version", version=f"holdfast {__version__}")
    choices = top.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        choice = choices.add_parser(command.name, help=command.summary, description=command.summary)
        command.add_options(choice)
        choice.set_defaults(run=command.run)
    return top
