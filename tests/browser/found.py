"""A machine on which something was found: models served on loopback, and what the server's survey would say of more.

What a test can't install is put into the answer to the page's question; everything that the page then does is real.
"""

import json
import random
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from playwright.sync_api import Error, Page, Route

NAMES = ("qwen3:8b", "llama3.2:3b", "gemma3:4b")


class Served(BaseHTTPRequestHandler):
    """Lists its models, as every server of that kind does."""

    def do_GET(self) -> None:
        body = json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in NAMES]}).encode()
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        """Quiet."""


@contextmanager
def models() -> Generator[str]:
    """Where a few models are served, for a while."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Served)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def ollama(address: str = "http://127.0.0.1:11434/v1") -> dict[str, Any]:
    return {
        "what": "endpoint",
        "name": "ollama",
        "title": "Ollama",
        "detail": "3 models on this machine",
        "base_url": address,
        "models": list(NAMES),
    }


HERMES = {"what": "agent", "name": "hermes", "title": "Hermes", "detail": "0.19.0", "base_url": "", "models": []}
DATA = {
    "what": "import",
    "name": "hermes-webui",
    "title": "hermes-webui",
    "detail": "48 sessions in ~/.hermes/webui",
    "base_url": "",
    "models": [],
}


def finds(page: Page, *hints: dict[str, Any]) -> None:
    """Let the server have found exactly this, and have looked everywhere."""

    def answer(route: Route) -> None:
        try:
            response = route.fetch()
            told = response.json() | {"hints": list(hints), "looking": False}
        except Error:
            return  # the page has gone on meanwhile: nobody waits for this answer
        if HERMES in hints:
            ready = {"family": "hermes", "installed": True, "ready": True, "reason": "", "version": "0.19.0"}
            told["agents"] = [each | ready if each["name"] == "hermes" else each for each in told["agents"]]
        route.fulfill(response=response, json=told)

    page.route("**/api/agents", answer)


def talked(page: Page) -> None:
    """Let Hermes have had conversations of its own."""
    told = [
        ("Tidy up the photo archive", "cli", 14, 1_763_200_000_000),
        ("Which of the two backups is newer?", "cli", 6, 1_763_100_000_000),
        ("Weekly report", "telegram", 31, 1_762_900_000_000),
    ]
    sessions = [
        {"id": f"s{number}", "title": title, "source": source, "messages": messages, "started": started}
        for number, (title, source, messages, started) in enumerate(told)
    ]
    page.route("**/api/agents/hermes/sessions", lambda route: route.fulfill(json={"sessions": sessions, "reason": ""}))


def used(page: Page) -> None:
    """Let two agents have been asked for something on most days of a month, sometimes in vain."""

    def answer(route: Route) -> None:
        try:
            response = route.fetch()
            told = response.json()
        except Error:
            return  # the page has gone on meanwhile
        days = [line for day in range(told["first"], told["today"] + 1) for line in day_of(day)]
        route.fulfill(response=response, json=told | {"days": days})

    page.route("**/api/insights?*", answer)


def day_of(day: int) -> list[dict[str, Any]]:
    """What was used on this day: every time the same."""
    dice = random.Random(day)
    busy = dice.choice([0, 0.4, 1, 1, 1.6])  # nobody works every day
    lines = [line_of(dice, day, agent, model, busy * share) for agent, model, share in MONTHLY]
    return [line for line in lines if line["figures"]["turns"] > 0]


MONTHLY = (("hermes", "a-large-model", 1.0), ("hermes", "a-small-model", 0.5), ("tour", "", 0.2))


def line_of(dice: random.Random, day: int, agent: str, model: str, busy: float) -> dict[str, Any]:
    turns = round(busy * dice.randrange(1, 9))
    output = turns * dice.randrange(400, 6_000)
    figures = {
        "turns": turns,
        "failures": sum(dice.random() < 0.1 for _ in range(turns)),
        "approvals": sum(dice.random() < 0.4 for _ in range(turns)),
        "run_ms": turns * dice.randrange(9_000, 240_000),
        "input": output * dice.randrange(3, 9),
        "output": output,
        "cached": 0,
        "reasoning": 0,
        "cost": output * 24 if model else 0,
    }
    return {"day": day, "agent": agent, "model": model, "figures": figures}
