"""`holdfast serve`: serve the page until somebody ends it. The command that runs when none is named."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for
from holdfast.settings import HIGHEST_PORT


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--host", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=port, help="the port to listen on (default: the first free one from 8787)")
    add_home(parser)
    parser.add_argument("--no-open", action="store_true", help="do not open the page in a browser")


def port(text: str) -> int:
    if not text.isdecimal() or int(text) > HIGHEST_PORT:
        raise ArgumentTypeError(f"{text!r} is no port. Give a number from 0 (any free one) to {HIGHEST_PORT}.")
    return int(text)


def run(arguments: Namespace) -> int:
    from holdfast.server.ending import held_back

    try:
        with held_back():
            start(arguments)
    except KeyboardInterrupt:  # before it listened; from then on it ends by itself
        print("Server stopped.", flush=True)
    return 0


def start(arguments: Namespace) -> None:
    from holdfast.server.serve import serve

    settings = settings_for(arguments)
    # Only for a person at a terminal: a service or a test has no use for a browser.
    open_page = not arguments.no_open and sys.stdout.isatty()
    server = settings.file.server
    serve(
        settings,
        host=arguments.host or server.host,
        port=server.port if arguments.port is None else arguments.port,
        open_page=open_page,
    )


COMMAND = Command(
    name="serve",
    summary="serve the page (what happens when no command is named)",
    add_options=add_options,
    run=run,
)
