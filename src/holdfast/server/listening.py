"""A socket to listen on: the port that was asked for, or the next free one."""

import errno
import socket
import sys

from holdfast.core.errors import HoldfastError

FIRST_PORT = 8787
PORTS_TRIED = 100
VANISHED_MS = 25_000
"""After this time without a sign from the other side a connection is given up: its browser comes back by its cursor."""


class PortTaken(HoldfastError):
    """Port {0} is taken. Choose another with --port or as [server] port in config.toml, or name none to get the next
    free one."""


class CannotListen(HoldfastError):
    """Can't listen on {0}, port {1}: {2}. Choose others with --host and --port, or as [server] host and port in
    config.toml."""


class NoSuchHost(HoldfastError):
    """{0} is no address and no name of this machine: {1}. Correct --host, or [server] host in config.toml."""


def check_host(host: str) -> None:
    """Raise `NoSuchHost` for what nobody can listen on, whoever may reach it."""
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError) as exc:
        raise NoSuchHost(host, getattr(exc, "strerror", None) or exc) from exc


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket on exactly `port`, or without one on the first free port, which is then said."""
    if port is not None:
        return bind(host, port)
    for candidate in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        try:
            listener = bind(host, candidate)
        except PortTaken:
            continue
        if candidate != FIRST_PORT:
            print(f"Port {FIRST_PORT} is taken, so this is port {candidate}.", file=sys.stderr, flush=True)
        return listener
    raise PortTaken(f"{FIRST_PORT} and each of the {PORTS_TRIED - 1} after it")


def bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A restarted server gets its port back at once, though old connections may still be fading.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # not on every platform; connections inherit it
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_MS)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(port) from error
        raise CannotListen(host, port, error.strerror or str(error)) from error
    return listener
