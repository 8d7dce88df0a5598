"""A door in front of a server that a test can shut: for everybody, or for the live connection alone.

The page talks to the gate as it would to the server, at one address that outlives the server's. Every request
gets a connection of its own, so that a shut gate shuts what is open too.
"""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

HEAD_END = b"\r\n\r\n"
CHUNK = 65_536


class Gate:
    """Use it as a context. `target` may change: a server that comes back listens somewhere else."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.shut = False
        self.no_streams = False
        self.opened = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._streams: set[socket.socket] = set()
        self._others: set[socket.socket] = set()
        self._frozen: set[socket.socket] = set()
        self._lock = threading.Lock()

    @property
    def link(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def streams(self) -> int:
        """How many live connections are open now."""
        with self._lock:
            return len(self._streams)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """End everything that is open."""
        with self._lock:
            found = [*self._streams, *self._others]
        for each in found:
            _close(each)

    def cut_streams(self) -> None:
        with self._lock:
            found = list(self._streams)
        for each in found:
            _close(each)

    def freeze(self) -> None:
        """Carry nothing more over what is open, and leave it open: so a network ends that a laptop slept through."""
        with self._lock:
            found = [*self._streams, *self._others]
        self._frozen.update(found)

    def _accept(self) -> None:
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(browser,), daemon=True).start()

    def _serve(self, browser: socket.socket) -> None:
        with contextlib.suppress(OSError), browser:
            head, body = _read_head(browser)
            live = head.startswith(b"GET /api/stream")
            if not head or self.shut or (live and self.no_streams):
                return
            self._carry(browser, _for(self.target, head), body, live=live)

    def _carry(self, browser: socket.socket, head: bytes, body: bytes, *, live: bool) -> None:
        host, _, port = self.target.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as server:
            open_now = self._streams if live else self._others
            with self._lock:
                open_now.add(browser)
                self.opened += live
            try:
                server.sendall(head + HEAD_END + body)
                threading.Thread(target=self._pump, args=(browser, server), daemon=True).start()
                self._pump(server, browser)
            finally:
                with self._lock:
                    open_now.discard(browser)

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(CHUNK):
                if not self._frozen & {source, target}:
                    target.sendall(piece)
        _close(source)
        _close(target)


def _read_head(browser: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while HEAD_END not in data:
        piece = browser.recv(CHUNK)
        if not piece:
            return b"", b""
        data += piece
    head, _, body = data.partition(HEAD_END)
    return head, body


def _for(target: str, head: bytes) -> bytes:
    """The request as the server expects it, whatever name the page was opened by, and for this one time."""
    host = target.removeprefix("http://").encode()
    ours = {b"host": host, b"origin": b"http://" + host, b"connection": b"close"}
    first, *lines = head.split(b"\r\n")
    said = {line.partition(b":")[0].lower(): line for line in lines}
    kept = [line for name, line in said.items() if name not in ours]
    added = [name + b": " + value for name, value in ours.items() if name != b"origin" or name in said]
    return b"\r\n".join([first, *kept, *added])


def _close(each: socket.socket) -> None:
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
