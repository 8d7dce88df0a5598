"""Measure a server by its address, as a client sees it: `python bench/http.py --base URL [--token TOKEN] [--dialect]`.

With `--dialect` it speaks the language of hermes-webui alone, so that the same client measures both; without it, our
own. Every round asks for the same things in the same order; a static answer (`/health`) stands beside each number, so
that what the machine and the connection cost can be told from what the server does.

The message (`--say`) should make the agent stream many words: the tour understands `!stream COUNT MS`, a model behind
any agent takes a sentence. Nothing is measured that the server does not offer to every client.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    # Not this folder: the standard library has an `http`, too.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import json
import secrets
from collections.abc import Callable, Iterator
from itertools import pairwise
from time import perf_counter
from typing import Any, Protocol

import httpx

from bench import report
from bench.machine import look
from bench.measure import Number, percentile

PATIENCE = 300.0
"""Seconds: a limit against hanging, not a measure of speed."""
SAY = "!stream 200 5"
Json = dict[str, Any]


class Language(Protocol):
    """What is asked of a server, in its own words."""

    def begin(self, client: httpx.Client) -> str:
        """Make a session; return its name."""
        ...

    def list(self, client: httpx.Client) -> httpx.Response: ...

    def open(self, client: httpx.Client, session: str) -> httpx.Response: ...

    def words(self, client: httpx.Client, session: str, text: str) -> Iterator[str]:
        """Say something, and yield what is answered as it comes."""
        ...


class Dialect:
    """hermes-webui's."""

    def begin(self, client: httpx.Client) -> str:
        return client.post("/api/session/new", json={}).raise_for_status().json()["session"]["session_id"]

    def list(self, client: httpx.Client) -> httpx.Response:
        return client.get("/api/sessions").raise_for_status()

    def open(self, client: httpx.Client, session: str) -> httpx.Response:
        return client.get("/api/session", params={"session_id": session}).raise_for_status()

    def words(self, client: httpx.Client, session: str, text: str) -> Iterator[str]:
        started = client.post("/api/chat/start", json={"session_id": session, "message": text}).raise_for_status()
        stream = started.json()["stream_id"]
        with client.stream("GET", "/api/chat/stream", params={"stream_id": stream}) as answer:
            for name, data in _events(answer.raise_for_status()):
                if name == "token":
                    yield data["text"]
                elif name in ("stream_end", "cancel", "apperror", "error"):
                    return


class Native:
    """Ours."""

    def begin(self, client: httpx.Client) -> str:
        return client.post("/api/sessions", json={}).raise_for_status().json()["id"]

    def list(self, client: httpx.Client) -> httpx.Response:
        return client.get("/api/sessions", params={"limit": 50}).raise_for_status()

    def open(self, client: httpx.Client, session: str) -> httpx.Response:
        return client.get(f"/api/sessions/{session}").raise_for_status()

    def words(self, client: httpx.Client, session: str, text: str) -> Iterator[str]:
        turn = f"turn-{secrets.token_hex(6)}"
        head = client.get(f"/api/sessions/{session}").raise_for_status().json()["session"]["seq"]
        with client.stream("GET", "/api/stream", params={"follow": f"{session}:{head}"}) as answer:
            answer.raise_for_status()
            client.post(f"/api/sessions/{session}/turns", json={"id": turn, "text": text}).raise_for_status()
            for name, data in _events(answer):
                event = data["event"] if name == "record" else {"kind": name}
                if event["kind"] == "text.appended":
                    yield event["text"]
                elif event["kind"] == "turn.ended" and event["turn"] == turn:
                    return


def _events(answer: httpx.Response) -> Iterator[tuple[str, Json]]:
    name = ""
    for line in answer.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


class Round:
    """What one round after the other took, in milliseconds."""

    def __init__(self, client: httpx.Client, language: Language, say: str) -> None:
        self._client = client
        self._language = language
        self._say = say
        self.health: list[float] = []
        self.listed: list[float] = []
        self.opened: list[float] = []
        self.first: list[float] = []
        self.between: list[float] = []
        self.sizes: Json = {}

    def play(self) -> None:
        self.health.append(_timed(lambda: self._client.get("/health").raise_for_status())[0])
        took, listing = _timed(lambda: self._language.list(self._client))
        self.listed.append(took)
        session = self._language.begin(self._client)
        self._hear(session)
        took, opened = _timed(lambda: self._language.open(self._client, session))
        self.opened.append(took)
        self.sizes = {"list": len(listing.content), "open": len(opened.content)}

    def _hear(self, session: str) -> None:
        began, times = perf_counter(), list[float]()
        for _ in self._language.words(self._client, session, self._say):
            times.append(perf_counter())
        if not times:
            raise SystemExit("The agent said nothing. Choose another message with --say, or see whether it works.")
        self.first.append((times[0] - began) * 1000)
        self.between += [(later - earlier) * 1000 for earlier, later in pairwise(times)]

    def numbers(self) -> list[Number]:
        raw = percentile(self.health, 0.5)

        def number(name: str, values: list[float], note: str = "") -> Number:
            value = percentile(values, 0.5)
            last = f"p99 {percentile(values, 0.99):,.1f} ms"
            return Number(
                group="http",
                name=name,
                value=value,
                unit="ms",
                raw=raw,
                raw_name="/health",
                ratio=value / raw,
                note=f"{last}{note}",
            )

        found = [
            number("the session list", self.listed, f", {self.sizes['list']:,} bytes"),
            number("message to first word", self.first),
            number("open the session", self.opened, f", {self.sizes['open']:,} bytes"),
        ]
        return found if not self.between else [*found, number("between two pieces of the answer", self.between)]


def _timed(work: Callable[[], httpx.Response]) -> tuple[float, httpx.Response]:
    began = perf_counter()
    answer = work()
    return (perf_counter() - began) * 1000, answer


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure a server by its address.")
    parser.add_argument("--base", required=True, help="its address, as http://127.0.0.1:8787")
    parser.add_argument("--token", default="", help="what lets a client in (Holdfast: the file `token` of its home)")
    parser.add_argument("--dialect", action="store_true", help="speak as hermes-webui does")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--say", default=SAY, help="what the agent is told")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    arguments = parser.parse_args()
    headers = {"authorization": f"Bearer {arguments.token}"} if arguments.token else {}
    with httpx.Client(base_url=arguments.base, headers=headers, timeout=PATIENCE) as client:
        rounds = Round(client, Dialect() if arguments.dialect else Native(), arguments.say)
        try:
            for _ in range(arguments.rounds):
                rounds.play()
        except httpx.HTTPError as failed:
            print(f"{arguments.base} did not answer as it should: {failed}", file=sys.stderr)
            return 1
    numbers = rounds.numbers()
    print(report.table(numbers))
    for number in numbers:
        print(f"{number.name}: {number.note}")
    if arguments.json:
        report.write_json(arguments.json, numbers, look())
    return 0


if __name__ == "__main__":
    sys.exit(main())
