"""A machine on which something was found: models served on loopback, and what the server's survey would say of more.

What a test can't install is put into the answer to the page's question; everything that the page then does is real.
"""

import json
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
