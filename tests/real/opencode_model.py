"""A model on loopback for a coding agent: it does what the last message of the person says, line by line.

    think WORDS     reasoning
    say WORDS       text
    run COMMAND     a call of the tool `bash`; several are made at once
    hold            goes on with nothing until whoever listens has gone
    fail COUNT      the first COUNT requests of this message get a 500; without a count, all
    drop            the first answer to this message is cut off here

Once the tools of that message have answered, what they said is quoted. Speaks as much of the OpenAI API as is asked
for, streamed.
"""

import contextlib
import itertools
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Json = dict[str, Any]
NAME = "mock-1"


class Model:
    """Use it as a context. `requests` are the bodies that came, in order."""

    def __init__(self) -> None:
        self.requests: list[Json] = []
        self.closing = threading.Event()
        self._seen: dict[str, int] = {}
        self._lock = threading.Lock()
        model = self

        class Answering(_Answering):
            def do_POST(self) -> None:
                self.answer(model)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self._server.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def count(self, body: Json, text: str) -> int:
        """Take note of a request; how often this message was asked about before."""
        with self._lock:
            self.requests.append(body)
            before = self._seen.get(text, 0)
            self._seen[text] = before + 1
            return before


class _Answering(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (as http.server has it)
        """Nobody reads it."""

    def answer(self, model: Model) -> None:
        body: Json = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text, results = _asked(body["messages"])
        before = model.count(body, text)
        if not body.get("tools"):
            lines = ["say A title"]
        elif results:
            lines = [f"say Tool said: {' / '.join(results)}"]
        else:
            lines = text.splitlines()
        fails = [line.partition(" ")[2] for line in lines if line.split()[:1] == ["fail"]]
        if fails and before < int(fails[0] or 1_000_000):
            self.send_error(500, "The model is out of order")
            return
        with contextlib.suppress(OSError):  # whoever listened may have gone
            self._stream(model, lines, cut=before == 0)

    def _stream(self, model: Model, lines: list[str], *, cut: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        calls = itertools.count()
        used = False
        for line in lines:
            word, _, words = line.partition(" ")
            if word == "drop" and cut:
                return
            if word == "hold":
                while not model.closing.wait(0.1):
                    self._send({})
            for delta in _deltas(word, words, calls):
                used = used or "tool_calls" in delta
                self._send(delta)
        self._send({}, finish="tool_calls" if used else "stop")
        self._say({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, delta: Json, finish: str | None = None) -> None:
        self._say({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _say(self, what: Json) -> None:
        chunk = {"id": "chat", "object": "chat.completion.chunk", "created": 1, "model": NAME, **what}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()


def _deltas(word: str, words: str, calls: Iterator[int]) -> list[Json]:
    match word:
        case "think":
            return [{"reasoning_content": f"{part} "} for part in words.split()]
        case "say":
            return [{"content": f"{part} "} for part in words.split()]
        case "run":
            number = next(calls)
            arguments = json.dumps({"command": words, "description": "a command of the test"})
            function = {"name": "bash", "arguments": arguments}
            return [
                {"tool_calls": [{"index": number, "id": f"call_{number}", "type": "function", "function": function}]}
            ]
        case _:
            return []


def _asked(messages: list[Json]) -> tuple[str, list[str]]:
    """The last message of the person, and what tools have said since."""
    last = max(number for number, message in enumerate(messages) if message["role"] == "user")
    results = [_text(message["content"]) for message in messages[last:] if message["role"] == "tool"]
    return _text(messages[last]["content"]), results


def _text(content: Any) -> str:
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)
