"""A client of hermes-webui, written from its wire alone: paths, fields, event names. It knows nothing of Holdfast."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx

Json = dict[str, Any]
CLOSING = {"stream_end", "cancel", "apperror", "error"}


class Event(NamedTuple):
    """One server-sent event. A comment has the name `:`."""

    name: str
    id: str
    data: Any


def events_of(answer: httpx.Response) -> Iterator[Event]:
    """What a stream says, until it ends."""
    fields: dict[str, str] = {}
    for line in answer.iter_lines():
        if line.startswith(":"):
            yield Event(":", "", line[1:].strip())
        elif line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield Event(fields["event"], fields.get("id", ""), json.loads(fields["data"]))
            fields = {}


class Script:
    """Somebody's script, or phone."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    # Requests.

    def get(self, path: str, **params: Any) -> Json:
        answer = self.http.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, **body: Any) -> Json:
        answer = self.http.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    # What it does.

    def new(self, **fields: Any) -> str:
        return self.post("/api/session/new", **fields)["session"]["session_id"]

    def start(self, session: str, message: str, **fields: Any) -> str:
        return self.post("/api/chat/start", session_id=session, message=message, **fields)["stream_id"]

    def session(self, session: str, **params: Any) -> Json:
        return self.get("/api/session", session_id=session, **params)["session"]

    @contextmanager
    def events(self, path: str, headers: dict[str, str] | None = None, **params: Any) -> Generator[Iterator[Event]]:
        """A stream, comments left out."""
        with self.http.stream("GET", path, params=params, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield (event for event in events_of(answer) if event.name != ":")

    def follow(self, stream: str, headers: dict[str, str] | None = None, **params: Any) -> list[Event]:
        """A run to its end: the server closes the stream."""
        with self.events("/api/chat/stream", headers, stream_id=stream, **params) as events:
            return list(events)

    def say(self, session: str, message: str) -> list[Event]:
        return self.follow(self.start(session, message))


def until(events: Iterator[Event], name: str) -> list[Event]:
    """The events up to and with the first of this name."""
    heard: list[Event] = []
    for event in events:
        heard.append(event)
        if event.name == name:
            return heard
    raise AssertionError(f"the stream ended without {name}: {[event.name for event in heard]}")


def names(events: list[Event]) -> list[str]:
    return [event.name for event in events]


def text(events: list[Event], name: str = "token") -> str:
    return "".join(event.data["text"] for event in events if event.name == name)
