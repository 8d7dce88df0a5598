"""Run the app in this process until somebody ends it.

Law: whoever ends it (Ctrl-C, SIGTERM) gets a clean exit, not a traceback and not a death by signal.
"""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Generator

import uvicorn
import uvloop

from holdfast import __version__, logs
from holdfast.core.errors import HoldfastError
from holdfast.server.app import create_app
from holdfast.server.assets import FOLDER, read_page
from holdfast.server.guard import is_loopback
from holdfast.settings import Settings
from holdfast.store.sqlite.store import Options, SqliteStore

log = logging.getLogger(__name__)

FIRST_PORT = 8787
PORTS_TRIED = 100
ENDING_SECONDS = 5


class NotLoopback(HoldfastError):
    """Holdfast has no password yet, so it listens only on this machine, not on {0}. Leave out --host and reach it
    from elsewhere through an SSH tunnel."""


class PortTaken(HoldfastError):
    """Port {0} is taken. Choose another with --port, or leave --port out to get the next free one."""


class CannotListen(HoldfastError):
    """Can't listen on {0}, port {1}: {2}. Choose others with --host and --port."""


def serve(settings: Settings, *, host: str, port: int | None, open_page: bool) -> None:
    """Serve the page on `host` until ended. Without a port: the first free one from 8787 on."""
    if not is_loopback(host):
        raise NotLoopback(host)
    app = create_app(page=read_page(FOLDER, __version__), bound_host=host)
    with listen(host, port) as listener, contextlib.closing(start_log(settings)):
        link = link_to(host, listener)

        def announce() -> None:
            print(f"Holdfast is at {link} (Ctrl-C ends it).", flush=True)
            if open_page:
                open_in_browser(link)

        config = uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=ENDING_SECONDS,
        )
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve_with_store(settings, Server(config, announce), listener))


def start_log(settings: Settings) -> logging.Handler:
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    return logs.start(settings.logs, settings.file.log.level)


async def serve_with_store(settings: Settings, server: "Server", listener: socket.socket) -> None:
    """Hold the store open for as long as the server runs."""
    store = await SqliteStore.open_folder(settings.store, Options(bells=settings.bells))
    log.info("server.started", extra={"lineage": await store.lineage(), "version": __version__})
    try:
        await server.serve(sockets=[listener])
    finally:
        await store.close()
        log.info("server.stopped")


class Server(uvicorn.Server):
    """A uvicorn server that says when it listens, and that takes a signal as a wish to end and nothing more.

    Uvicorn raises the signal again once it has shut down, which would end the process before its callers have
    tidied up.
    """

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self.announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.announce()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


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
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(port) from error
        raise CannotListen(host, port, error.strerror or str(error)) from error
    return listener


def link_to(host: str, listener: socket.socket) -> str:
    port: int = listener.getsockname()[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def open_in_browser(link: str) -> None:
    """Open the page where there is a screen. A browser that would take over the terminal is not started."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    takes_terminal = isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    )
    if not takes_terminal:
        browser.open(link)
