"""A server of models on this machine, as far as anybody can tell who asks it for a list."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Ollama(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": [{"id": "llama"}, {"id": "qwen"}]}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        """Quiet."""


@contextmanager
def models_served() -> Generator[int]:
    """Its port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Ollama) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()
