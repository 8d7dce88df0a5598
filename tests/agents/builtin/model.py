"""A model on loopback that does what the last user message tells it to, so that a test can say it in one place.

The message's lines that begin with `!` are its script; without any it says `Hello from the mock.` A line `!then`
divides the answers to one message: the first part is played at once, the second after the tools' results, and so on.

!say TEXT            says TEXT, word by word          !think TEXT     reasons, word by word
!stream N MS         says N words, one every MS ms    !tool NAME JSON calls a tool
!wait MS             is silent                        !hang           is silent until the client goes
!error CODE [TEXT]   an HTTP error; {key} is the key  !flaky N CODE   the same for the first N requests only
!drop, !reset        end the connection, hang it up   !length         ends for want of tokens
!quote               says what the last tool returned !ids            all tool calls get the id `call_0`
"""

import itertools
import json
import socket
import struct
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

Json = dict[str, Any]
USAGE: Json = {
    "prompt_tokens": 1000,
    "completion_tokens": 20,
    "total_tokens": 1020,
    "prompt_tokens_details": {"cached_tokens": 100},
    "completion_tokens_details": {"reasoning_tokens": 7},
}


class Model:
    """What it was asked is in `requests`; `abandoned` counts clients that went away in the middle."""

    def __init__(self) -> None:
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.abandoned = 0
        self.window = 128_000
        self.usage = dict(USAGE)
        self.url = ""
        self.failures: dict[str, int] = {}

    @property
    def last(self) -> list[Json]:
        """The messages of the last request."""
        return self.requests[-1]["messages"]

    def heard(self, role: str) -> list[str]:
        """What the last request holds of that role."""
        return [text_of(message) for message in self.last if message["role"] == role]


def text_of(message: Json) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def script(body: Json) -> list[tuple[str, str]]:
    """The steps that answer this request."""
    messages: list[Json] = body["messages"]
    users = [number for number, message in enumerate(messages) if message["role"] == "user"]
    text = text_of(messages[users[-1]])
    if not body.get("tools"):
        return [("say", "A summary of all that.")]
    lines = [line[1:] for line in text.splitlines() if line.startswith("!")]
    if not lines:
        return [("say", "Hello from the mock.")]
    answered = sum(message["role"] == "assistant" for message in messages[users[-1] :])
    parts = [list(part) for divider, part in itertools.groupby(lines, lambda line: line == "then") if not divider]
    part = parts[answered] if answered < len(parts) else ["say Done."]
    steps = [line.partition(" ") for line in part]
    return [(name, rest) for name, _, rest in steps]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ClassVar[Model]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in the standard library)
        """Quiet."""

    def do_GET(self) -> None:
        self.model.headers.append(dict(self.headers))
        sizes = {"context_length": self.model.window} if self.model.window else {}
        self._answer(200, {"object": "list", "data": [{"id": "mock-1", **sizes}, {"id": "org/mock-2", **sizes}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.model.headers.append(dict(self.headers))
        self.model.requests.append(body)
        steps = script(body)
        if self._error(steps) is not None:
            return
        if body.get("stream"):
            try:
                self._stream(steps, body)
            except OSError:
                self.model.abandoned += 1
        else:
            text = "".join(rest for name, rest in steps if name == "say")
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            self._answer(
                200, {**_head(body), "object": "chat.completion", "choices": [choice], "usage": self.model.usage}
            )

    def _error(self, steps: list[tuple[str, str]]) -> int | None:
        for name, rest in steps:
            if name == "error":
                code, _, text = rest.partition(" ")
                return self._fail(int(code), text)
            if name == "flaky":
                count, code = rest.split()
                self.model.failures[rest] = self.model.failures.get(rest, 0) + 1
                if self.model.failures[rest] <= int(count):
                    return self._fail(int(code), "")
        return None

    def _fail(self, code: int, text: str) -> int:
        told = text.replace("{key}", self.headers.get("authorization", ""))
        error: Json = {"message": told or "mock failure", "type": "server_error"}
        if text == "context_length_exceeded":
            error["code"] = text
        self._answer(code, {"error": error}, {"retry-after": "1"} if code == 429 else {})
        return code

    def _answer(self, code: int, value: Json, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, said in (headers or {}).items():
            self.send_header(name, said)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, steps: list[tuple[str, str]], body: Json) -> None:
        if steps[0][0] == "hang":
            self._await_end()
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        calls, finish, same = itertools.count(), "stop", any(name == "ids" for name, _ in steps)
        for name, rest in steps:
            match name:
                case "say" | "think":
                    field = "content" if name == "say" else "reasoning_content"
                    for word in _words(rest):
                        self._delta(body, {field: word})
                case "stream":
                    count, pause = rest.split()
                    for number in range(1, int(count) + 1):
                        self._delta(body, {"content": f"word{number} "})
                        time.sleep(float(pause) / 1000)
                case "quote":
                    results = [text_of(each) for each in body["messages"] if each["role"] == "tool"]
                    self._delta(body, {"content": f"Tool said: {results[-1]}"})
                case "tool":
                    finish = "tool_calls"
                    self._call(body, next(calls), rest, same=same)
                case "wait":
                    time.sleep(float(rest) / 1000)
                case "hang":
                    self._await_end()
                    return
                case "drop":
                    return
                case "reset":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    return
                case "length":
                    finish = "length"
                case _:
                    pass
        self._delta(body, {}, finish)
        self._event({**_head(body), "choices": [], "usage": self.model.usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _call(self, body: Json, index: int, rest: str, *, same: bool) -> None:
        name, _, arguments = rest.partition(" ")
        call = "call_0" if same else f"call_{len(self.model.requests)}_{index}"
        head = {"index": index, "id": call, "type": "function", "function": {"name": name, "arguments": ""}}
        self._delta(body, {"tool_calls": [head]})
        half = len(arguments) // 2
        for part in (arguments[:half], arguments[half:]):
            self._delta(body, {"tool_calls": [{"index": index, "function": {"arguments": part}}]})

    def _delta(self, body: Json, delta: Json, finish: str | None = None) -> None:
        self._event({**_head(body), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _event(self, value: Json) -> None:
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()

    def _await_end(self) -> None:
        if not self.connection.recv(1):
            self.model.abandoned += 1
        self.close_connection = True


def _head(body: Json) -> Json:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}


def _words(text: str) -> list[str]:
    words = text.split(" ")
    return [word if number == 0 else f" {word}" for number, word in enumerate(words)]


@contextmanager
def serving() -> Generator[Model]:
    """A model for the length of the block."""
    model = Model()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"model": model}))
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
