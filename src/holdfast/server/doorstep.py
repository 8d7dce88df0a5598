"""Whoever comes to a server with a certificate, until both have agreed how to speak.

Law: they have a place among the connections from the moment they come, and owe a head like the others. So it is they
who go where there is no room, and whoever never begins is not waited for.
"""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable

from holdfast.server.connection import HEAD_SECONDS, Connection, Guest, Owed, make_way

log = logging.getLogger(__name__)

AT_ONCE = 100
"""Connections that are taken in one round of the loop, so that others get a turn."""
AGAIN_SECONDS = 1.0


class Doorstep:
    """Takes connections off `listener`. `enter` makes the connection of whoever speaks our language."""

    def __init__(
        self, listener: socket.socket, context: ssl.SSLContext, guests: set[Guest], enter: Callable[[], Connection]
    ) -> None:
        self._listener = listener
        self._context = context
        self._guests = guests
        self._enter = enter
        self._loop = asyncio.get_running_loop()
        self._again: asyncio.TimerHandle | None = None

    def open(self) -> None:
        self._listener.settimeout(0)
        self._loop.add_reader(self._listener, self._take)

    def close(self) -> None:
        """Nobody comes any more."""
        self._loop.remove_reader(self._listener)
        if self._again is not None:
            self._again.cancel()

    def _take(self) -> None:
        for _ in range(AT_ONCE):
            try:
                taken, _ = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as exc:
                log.warning("server.takes_nobody", extra={"error": str(exc)})
                self.close()
                self._again = self._loop.call_later(AGAIN_SECONDS, self.open)
                return
            taken.settimeout(0)
            Newcomer(taken, self._context, self._guests, self._enter)


class Newcomer:
    """One of them."""

    def __init__(
        self, taken: socket.socket, context: ssl.SSLContext, guests: set[Guest], enter: Callable[[], Connection]
    ) -> None:
        loop = asyncio.get_running_loop()
        self.owes: Owed | None = "head"
        self.since = loop.time()
        self._guests = guests
        self._connection = enter()
        self._connection.arrived = self._leave
        self._agreeing = loop.create_task(self._agree(taken, context), name="handshake")
        self._agreeing.add_done_callback(lambda agreeing: self._over(agreeing, taken))
        guests.add(self)
        make_way(self, guests)

    async def _agree(self, taken: socket.socket, context: ssl.SSLContext) -> None:
        loop = asyncio.get_running_loop()
        # They speak another language, or none, or went at once: the loop has closed it.
        with contextlib.suppress(OSError, RuntimeError):
            await loop.connect_accepted_socket(
                lambda: self._connection, taken, ssl=context, ssl_handshake_timeout=HEAD_SECONDS
            )

    def _over(self, agreeing: "asyncio.Task[None]", taken: socket.socket) -> None:
        self._leave()
        if agreeing.cancelled():
            taken.close()  # ours, if it never began; else the loop has it, and this changes nothing

    def _leave(self) -> None:
        self._guests.discard(self)

    def give_way(self, *, to: Guest) -> None:  # noqa: ARG002  nobody here can hear why
        self._leave()
        self._agreeing.cancel()

    @property
    def transport(self) -> "Newcomer":
        """As the server sees its connections when it ends."""
        return self

    def abort(self) -> None:
        self._agreeing.cancel()

    def shutdown(self) -> None:
        self._agreeing.cancel()
