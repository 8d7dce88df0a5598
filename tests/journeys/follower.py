"""A browser's live connection that comes back by itself, with its cursor, whenever it was cut."""

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Callable
from typing import Any, Self
from urllib.parse import urlsplit

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.patience import LIMIT

Json = dict[str, Any]
SILENCE = 30.0
"""Seconds without even a sign of life after which a browser tries again."""
PAUSE = 0.05


class Follower:
    """Use it as a context. `records` is all that it was sent, in the order of arrival."""

    def __init__(self, house: House, session: SessionId, after: int = 0) -> None:
        self._house = house
        self._session = session
        self._cursor = after
        self.records: list[Json] = []
        self.others: list[tuple[str, Json]] = []
        self.connections = 0
        self._news = threading.Condition()
        self._over = False
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._live, name=f"follower of {session}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.until(lambda: self.connections, "a first connection")
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it was cut already
                self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(LIMIT)

    # What it has seen.

    def until(self, holds: Callable[[], object], what: str, limit: float = LIMIT) -> None:
        """Return when something is true of what has arrived."""
        with self._news:
            assert self._news.wait_for(holds, limit), f"after {limit:.0f} s there is still not: {what}"

    def until_kind(self, kind: str, count: int = 1) -> None:
        self.until(lambda: len(self.of_kind(kind)) >= count, f"{count} x {kind}")

    def until_ended(self, turn: str) -> None:
        self.until(lambda: any(event["turn"] == turn for event in self.of_kind("turn.ended")), f"the end of {turn}")

    def until_words(self, count: int) -> None:
        self.until(lambda: len(self.text.split()) >= count, f"{count} words")

    def of_kind(self, kind: str) -> list[Json]:
        return [record["event"] for record in list(self.records) if record["event"]["kind"] == kind]

    @property
    def text(self) -> str:
        return "".join(event["text"] for event in self.of_kind("text.appended"))

    @property
    def seqs(self) -> list[int]:
        return [record["seq"] for record in self.records]

    def said(self, name: str) -> list[Json]:
        """The events of that name that are no records."""
        return [body for other, body in list(self.others) if other == name]

    # Its connections.

    def _live(self) -> None:
        while not self._over:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                self._connect()  # or the server is away; it may come back, perhaps elsewhere
            threading.Event().wait(PAUSE)

    def _connect(self) -> None:
        server = self._house.server
        connection = http.client.HTTPConnection(urlsplit(server.link).netloc, timeout=SILENCE)
        try:
            path = f"/api/stream?follow={self._session}:{self._cursor}"
            connection.request("GET", path, headers=server.authorization)
            self._socket = connection.sock
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            self._listen(answer)
        finally:
            connection.close()

    def _listen(self, answer: http.client.HTTPResponse) -> None:
        fields: dict[str, str] = {}
        while not self._over and (line := answer.readline()):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name and not line.startswith(b":"):
                fields[name] = value
            elif fields:
                self._take(fields["event"], json.loads(fields["data"]))
                fields = {}

    def _take(self, name: str, body: Json) -> None:
        with self._news:
            if name == "record":
                self.records.append(body)
                self._cursor = body["seq"]
            else:
                self.connections += name == "ready"
                self.others.append((name, body))
            self._news.notify_all()
