"""`holdfast password`: set the password, or remove it. Every sign-in ends."""

import asyncio
import getpass
import http.client
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from holdfast.commands.command import Command
from holdfast.commands.home import add_home, settings_for
from holdfast.core.errors import HoldfastError

if TYPE_CHECKING:
    from holdfast.server.presence import Presence


class NotTheSame(HoldfastError):
    """These were two different passwords. Nothing was changed; try again."""


class NotTyped(HoldfastError):
    """No password was given. Nothing was changed; type one at a terminal, or pipe a line in."""


class NotChanged(HoldfastError):
    """{0}"""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--remove", action="store_true", help="have no password")
    add_home(parser)


def run(arguments: Namespace) -> int:
    home = settings_for(arguments).home
    change(home, None if arguments.remove else asked())
    print("There is no password any more." if arguments.remove else "The password is set. Every device is signed out.")
    return 0


def asked() -> str:
    """Typed twice at a terminal, or one line of what is piped in."""
    if sys.stdin is None:  # closed by whoever started us
        raise NotTyped
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    try:
        first, again = getpass.getpass("Password: "), getpass.getpass("Again: ")
    except EOFError as exc:
        raise NotTyped from exc
    if first != again:
        raise NotTheSame
    return first


def change(home: Path, password: str | None) -> None:
    """By the server, if there is one: it alone writes down who is signed in while it runs."""
    from holdfast.server.auth import Gatekeeper
    from holdfast.server.presence import START_SECONDS, Seat, find

    seat = Seat.take(home)
    if seat is not None:
        try:
            asyncio.run(Gatekeeper(home).change_password(password, "", "", ""))
        finally:
            seat.close()
    elif (found := find(home, START_SECONDS)) is not None:
        tell(home, found[0], password)


def tell(home: Path, presence: "Presence", password: str | None) -> None:
    from holdfast.server.presence import connection_to
    from holdfast.server.private import token_in

    connection = connection_to(presence)
    headers = {"authorization": f"Bearer {token_in(home)}", "content-type": "application/json"}
    try:
        connection.request("PUT", "/api/account/password", msgspec.json.encode({"password": password}), headers)
        answer = connection.getresponse()
        said = answer.read(100_000)
    except (OSError, http.client.HTTPException) as exc:
        raise NotChanged(f"The server does not answer: {exc}. Try again.") from exc
    finally:
        connection.close()
    if answer.status != 200:
        raise NotChanged(msgspec.json.decode(said)["error"])


COMMAND = Command(name="password", summary="set the password that signs a browser in", add_options=add_options, run=run)
