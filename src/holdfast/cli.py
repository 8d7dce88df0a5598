"""The `holdfast` command: read the arguments, run the command they name, say failures as sentences."""

import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from holdfast import __version__
from holdfast.commands import backup, doctor, exports, imports, link, password, restore, serve, status, stop
from holdfast.refused import sentence_for

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
# What shells expect of a program that Ctrl-C ended, and of one whose reader had enough.
INTERRUPTED = 128 + signal.SIGINT
UNREAD = 128 + signal.SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if sys.stdout is None:  # closed by whoever started us; what opens a file next would get its place
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", closefd=False)
    parsed = parser().parse_args(with_command(sys.argv[1:] if arguments is None else arguments))
    try:
        return spoken(parsed.run(parsed))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        hush()
        return UNREAD
    except Exception as error:
        if (sentence := sentence_for(error)) is None:
            raise
        flush_or_hush()
        print(f"holdfast: {sentence}", file=sys.stderr)
        return 1


def flush_or_hush() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        hush()


def hush() -> None:
    """What could not be handed over has nowhere to go at the end either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def spoken(code: int) -> int:
    """`code`, once all that was said has been handed over."""
    sys.stdout.flush()
    return code


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
