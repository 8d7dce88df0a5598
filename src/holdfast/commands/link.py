"""`holdfast link`: a link that signs a browser in, once."""

from argparse import ArgumentParser, Namespace

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for
from holdfast.core.errors import HoldfastError


class NoServer(HoldfastError):
    """No server runs for {0}. Start it with: holdfast serve"""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--qr", action="store_true", help="show it as a QR code too, for a phone's camera")
    add_home(parser)


def run(arguments: Namespace) -> int:
    from holdfast.server.links import Links
    from holdfast.server.presence import find, one_time

    home = settings_for(arguments).home
    found = find(home)
    if found is None:
        raise NoServer(home)
    link = one_time(found[0], Links(home))
    print(f"{link} (works once, for ten minutes)")
    if arguments.qr:
        from holdfast.qr import drawn

        print(drawn(link))
    return 0


COMMAND = Command(name="link", summary="print a link that signs a browser in, once", add_options=add_options, run=run)
