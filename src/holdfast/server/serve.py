"""Run the app in this process until somebody ends it.

Law: whoever ends it (Ctrl-C, SIGTERM) gets a clean exit, not a traceback and not a death by signal. Live connections
end at once; what else is on its way has a few seconds, or none for whoever asks again; runners are left alone.
"""

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import socket
import ssl
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from types import FrameType
from typing import cast

import uvicorn
import uvloop

from holdfast import __version__, logs
from holdfast.agents import catalog
from holdfast.agents.catalog import added_in
from holdfast.agents.survey import take_survey
from holdfast.core.errors import HoldfastError, StoreError
from holdfast.server.app import create_app
from holdfast.server.assets import FOLDER, Page, read_page
from holdfast.server.auth import Gatekeeper
from holdfast.server.browser import forget, open_in_browser
from holdfast.server.connection import Connection, Guest, make_room
from holdfast.server.doorstep import Doorstep
from holdfast.server.ending import ENDING, let_through
from holdfast.server.guard import is_loopback
from holdfast.server.hub import Hub
from holdfast.server.links import Links
from holdfast.server.listening import check_host, listen
from holdfast.server.notify import Notifier
from holdfast.server.presence import START_SECONDS, Presence, Seat, find, one_time
from holdfast.server.push.pusher import Pusher
from holdfast.server.push.sealed import Keys
from holdfast.server.push.subscriptions import Subscriptions
from holdfast.server.roster import Roster
from holdfast.server.supervisor import Supervisor
from holdfast.server.wiring import Wiring
from holdfast.settings import Settings
from holdfast.store.protocol import Store
from holdfast.store.sqlite.store import Options, SqliteStore

log = logging.getLogger(__name__)

ENDING_SECONDS = 5
"""For answers that are on their way. Who does not take theirs is cut off then, as a browser may be asleep."""
STUCK_SECONDS = 8
"""For requests that go on though nobody is left to be answered. `holdfast stop` waits a little longer."""
INDEX_SECONDS = 3.0
AGAIN_SECONDS = 1.0
UNENCRYPTED = (
    "Others on the network can read along: this is plain http. Put it behind a proxy that speaks https, or name a"
    " certificate in config.toml."
)


class NotLoopback(HoldfastError):
    """Holdfast has no password yet, so it listens only on this machine, not on {0}. Set one with: holdfast password
    Then start it again."""


class BadCertificate(HoldfastError):
    """The certificate {0} can't be used with the key {1}: {2}. Check [server] certificate and key in config.toml: two
    PEM files that belong together."""


def serve(settings: Settings, *, host: str, port: int | None, open_page: bool) -> None:
    """Serve the page on `host` until ended. Without a port: the first free one from 8787 on.

    If this home has a server already, say where it is and return.
    """
    check_host(host)
    gatekeeper = Gatekeeper(settings.home, exposed=not is_loopback(host))
    if gatekeeper.exposed and not gatekeeper.has_password:
        raise NotLoopback(host)
    encryption(settings)  # before anybody connects
    certificate = str(settings.certificate[0]) if settings.certificate else ""
    page = read_page(FOLDER, __version__, settings.file.server.path)
    seat = Seat.take(settings.home)
    if seat is None:
        greet(settings, gatekeeper.links, open_page=open_page)
        return
    with contextlib.closing(seat), listen(host, port) as listener, contextlib.closing(start_log(settings)):
        presence = Presence(
            pid=os.getpid(),
            host=host,
            port=listener.getsockname()[1],
            instance=secrets.token_hex(8),
            certificate=certificate,
            path=settings.file.server.path,
        )

        def announce() -> None:
            seat.announce(presence)
            link = one_time(presence, gatekeeper.links)
            print(f"Holdfast is at {link} (Ctrl-C ends it).", flush=True)
            if gatekeeper.exposed and not certificate:
                print(UNENCRYPTED, file=sys.stderr, flush=True)
            if open_page:
                open_in_browser(settings.home, link)

        forget(settings.home)
        make_room()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            going = runner.run(run(settings, gatekeeper, page, presence, listener, announce))
        forget(settings.home)
    print(farewell(going), flush=True)


def encryption(settings: Settings) -> ssl.SSLContext | None:
    """What a certificate is used with, None if there is none. Raise `BadCertificate` if it can't be used."""
    if settings.certificate is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(*settings.certificate)
    except (OSError, ssl.SSLError) as exc:
        raise BadCertificate(*settings.certificate, exc) from exc
    return context


def greet(settings: Settings, links: Links, *, open_page: bool) -> None:
    """Lead to the server that this home has already."""
    let_through()
    found = find(settings.home, START_SECONDS)
    if found is None:  # it ended just now
        print("The server of this home has just ended. Start it again.", flush=True)
        return
    link = one_time(found[0], links)
    print(f"Holdfast is already at {link} (process {found[0].pid}).", flush=True)
    if open_page:
        open_in_browser(settings.home, link)


def farewell(going: int) -> str:
    match going:
        case 0:
            return "Server stopped."
        case 1:
            return "Server stopped. 1 run goes on. Watch: holdfast · End it: holdfast stop"
        case _:
            return f"Server stopped. {going} runs go on. Watch: holdfast · End them: holdfast stop"


def start_log(settings: Settings) -> logging.Handler:
    return logs.start(settings.logs, settings.file.log.level)


async def run(
    settings: Settings,
    gatekeeper: Gatekeeper,
    page: Page,
    presence: Presence,
    listener: socket.socket,
    announce: Callable[[], None],
) -> int:
    """Serve until asked to end, and return how many runs go on."""
    let_through()
    async with opened(settings) as store, Hub(store) as hub, asyncio.TaskGroup() as group:
        roster = Roster(
            settings,
            lambda: take_survey(settings, os.environ),
            lambda name: catalog.find(name, added_in(settings)),
        )
        wiring = Wiring(
            settings=settings,
            store=store,
            hub=hub,
            gatekeeper=gatekeeper,
            supervisor=Supervisor(store, settings, roster.early),
            roster=roster,
            push=Subscriptions(settings.home, gatekeeper.signed_in),
            push_keys=Keys(settings.home),
            instance=presence.instance,
            started=time.monotonic(),
        )
        app = create_app(wiring, page=page, bound_host=presence.host)
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=STUCK_SECONDS + 1,  # by then nothing is left that it could complain of
        )
        log.info("server.started", extra={"lineage": hub.lineage, "version": __version__})
        watches = [group.create_task(watch(wiring)) for watch in (supervised, told, indexed)]
        watches += [group.create_task(watch) for watch in (gatekeeper.watch(), roster.run(), wiring.pulse.run())]
        watches += [group.create_task(watch) for watch in (notified(wiring, presence.link), pushed(wiring))]
        store.heard = hub.rung  # whatever log grows, watched or not: the list may have changed
        server = Server(config, announce, hub.close, encryption(settings))
        with server.capture_signals():
            await asyncio.sleep(0)  # whoever asked before ends this task here, not in the midst of uvicorn's start
            await server.serve(sockets=[listener])
        wiring.imports.close()
        for watch in watches:
            watch.cancel()
        log.info("server.stopped")
        return await running(store)


async def supervised(wiring: Wiring) -> None:
    """Watch over the runners until cancelled. A mistake there must not end the server, nor leave a session stuck."""
    while True:
        try:
            await wiring.supervisor.run()
        except Exception:
            log.exception("supervisor.failed")
            await asyncio.sleep(AGAIN_SECONDS)


async def told(wiring: Wiring) -> None:
    """Let every viewer know when a run can't reach the store, and who waits for a free place."""
    while True:
        wiring.hub.report_spooling(spooling=wiring.supervisor.spooling)
        wiring.hub.report_places(wiring.supervisor.places)
        await asyncio.sleep(AGAIN_SECONDS)


async def notified(wiring: Wiring, link: str) -> None:
    """Tell who is not looking, until cancelled. A mistake there must not end the server."""
    while True:
        try:
            return await Notifier(wiring, link).run()
        except Exception:
            log.exception("notify.failed")
            await asyncio.sleep(AGAIN_SECONDS)


async def pushed(wiring: Wiring) -> None:
    """Push to who has no tab open, until cancelled. A mistake there must not end the server."""
    while True:
        try:
            await Pusher(wiring).run()
        except Exception:
            log.exception("push.failed")
            await asyncio.sleep(AGAIN_SECONDS)


async def indexed(wiring: Wiring) -> None:
    """Keep the index of words up to date, so that a search need not wait for it."""
    while True:
        with contextlib.suppress(StoreError):  # it waits, and a search would say so
            await wiring.store.index()
        await asyncio.sleep(INDEX_SECONDS)


@contextlib.asynccontextmanager
async def opened(settings: Settings) -> AsyncGenerator[SqliteStore]:
    store = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells))
    try:
        yield store
    finally:
        await store.close()


async def running(store: Store) -> int:
    """How many turns run now, under runners that outlive this server."""
    owned = [await store.open(owner.session) for owner in await store.owners()]
    return sum(opened.session.running is not None for opened in owned)


class Server(uvicorn.Server):
    """A uvicorn server that says when it listens, and that takes a signal as a wish to end and nothing more.

    Uvicorn raises the signal again once it has shut down, which would end the process before its callers have
    tidied up.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        announce: Callable[[], None],
        ending: Callable[[], None],
        encryption: ssl.SSLContext | None,
    ) -> None:
        super().__init__(config)
        self.announce = announce
        self.ending = ending
        self.encryption = encryption

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does it. With a certificate we take the connections ourselves: it would not know of them until
        they are encrypted."""
        assert sockets is not None
        await super().startup([] if self.encryption else sockets)
        self.doors = [self._door(each, self.encryption) for each in sockets if self.encryption]
        for door in self.doors:
            door.open()
        if self.started:
            self.announce()

    def _door(self, listener: socket.socket, encryption: ssl.SSLContext) -> Doorstep:
        state, more = self.server_state, self.lifespan.state
        guests = cast("set[Guest]", state.connections)
        return Doorstep(listener, encryption, guests, lambda: Connection(self.config, state, more))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        for door in self.doors:
            door.close()
        late = [loop.call_later(ENDING_SECONDS, self.cut_off), loop.call_later(STUCK_SECONDS, self.give_up)]
        await super().shutdown(sockets)
        for each in late:
            each.cancel()

    def cut_off(self) -> None:
        """Let go of every connection, whatever it was still to be sent. What was said for it hears that it is gone."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    def give_up(self) -> None:
        """End the requests that go on all the same."""
        for task in list(self.server_state.tasks):
            task.cancel()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  a signal handler's shape
        again, self.should_exit = self.should_exit, True
        asyncio.get_running_loop().call_soon_threadsafe(self.cut_off if again else self.ending)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        for number in ENDING:
            signal.signal(number, self.handle_exit)
        try:
            yield
        finally:  # it ends by itself from here on: to ask once more changes nothing
            for number in ENDING:
                signal.signal(number, signal.SIG_IGN)
