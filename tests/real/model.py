"""A model on loopback that does what the message says: an OpenAI-compatible endpoint for agents under test.

A message is a script. Its lines that begin with `@` are carried out, in order:

@think TEXT        reasons
@say TEXT          says TEXT
@stream N MS       says N words, w1 w2 ..., one every MS milliseconds
@tool NAME JSON    calls a tool; several in a row are called at once
@wait MS           does nothing
@error CODE        answers with that HTTP status, every time it is asked
@drop N            says N words and cuts the connection

What follows a group of tools is said when their results have come. At the end of a script that used tools the last
result is quoted. Requests without tools are an agent's side questions: titles, and verdicts on commands.
"""

import json
import re
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Json = dict[str, Any]
NAME, OTHER = "mock-1", "mock-2"
USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 20,
    "total_tokens": 1020,
    "prompt_tokens_details": {"cached_tokens": 100},
    "completion_tokens_details": {"reasoning_tokens": 7},
}


class Step(NamedTuple):
    name: str
    rest: str


class Model:
    """What it was asked is in `requests`; `verdict` is what it says of a command that it is to judge."""

    def __init__(self) -> None:
        self.requests: list[Json] = []
        self.verdict = "APPROVE"
        self.judged: list[str] = []
        self.url = ""

    def received(self, text: str) -> list[Json]:
        """The requests of the conversation in which a person said `text`."""
        return [body for body in list(self.requests) if any(text in words_of(m) for m in body.get("messages", []))]


@contextmanager
def serving() -> Generator[Model]:
    model = Model()

    class Answering(Answer):
        asked = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def words_of(message: Json) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def script(text: str) -> list[list[Step]]:
    """The rounds of a script: each ends with the tools that it calls. The last paragraph that is a script counts:
    agents put a message that got no answer before the next one."""
    written = [part for part in text.split("\n\n") if re.search(r"^@", part, re.MULTILINE)]
    rounds: list[list[Step]] = [[]]
    for line in re.findall(r"^@(.+)$", written[-1] if written else "", re.MULTILINE):
        name, _, rest = line.partition(" ")
        if name != "tool" and any(step.name == "tool" for step in rounds[-1]):
            rounds.append([])
        rounds[-1].append(Step(name, rest))
    return rounds


def answer(body: Json) -> list[Step]:
    """What comes next in the conversation."""
    messages: list[Json] = body.get("messages", [])
    last = max((n for n, message in enumerate(messages) if message.get("role") == "user"), default=-1)
    rounds = script(words_of(messages[last]) if last >= 0 else "")
    done = sum(1 for message in messages[last + 1 :] if message.get("tool_calls"))
    if done < len(rounds) and rounds[done]:
        return rounds[done]
    results = [message for message in messages[last + 1 :] if message.get("role") == "tool"]
    return [Step("say", f"Tool said: {words_of(results[-1])[:600]}" if results else "Hello from the model.")]


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: Model

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
        """Nobody reads it."""

    def do_GET(self) -> None:
        listed = [{"id": name, "object": "model", "context_length": 128_000} for name in (NAME, OTHER)]
        self._json({"object": "list", "data": listed} if self.path.rstrip("/").endswith("/models") else {}, 200)

    def do_POST(self) -> None:
        body: Json = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if not self.path.partition("?")[0].rstrip("/").endswith("/chat/completions"):
            self._json({"error": {"message": f"There is no {self.path}."}}, 404)
            return
        self.asked.requests.append(body)
        steps = answer(body) if body.get("tools") else self._aside(body)
        if steps[0].name == "error":
            self._json({"error": {"message": "The model is broken.", "type": "server_error"}}, int(steps[0].rest))
        elif body.get("stream"):
            self._stream(steps)
        else:
            self._whole(steps)

    def _aside(self, body: Json) -> list[Step]:
        asked = " ".join(words_of(message) for message in body.get("messages", []))
        if "security reviewer" in asked:
            self.asked.judged.append(asked)
            return [Step("say", self.asked.verdict)]
        return [Step("say", "A title from the model")]

    def _whole(self, steps: list[Step]) -> None:
        said = "".join(step.rest for step in steps if step.name == "say")
        calls = [_call(step, n) for n, step in enumerate(s for s in steps if s.name == "tool")]
        message = {"role": "assistant", "content": said or None} | ({"tool_calls": calls} if calls else {})
        choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
        self._json(self._about() | {"object": "chat.completion", "usage": USAGE, "choices": [choice]}, 200)

    def _stream(self, steps: list[Step]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        with suppress(OSError):  # whoever asked has gone
            self._play(steps)

    def _play(self, steps: list[Step]) -> None:
        self._delta({"role": "assistant", "content": ""})
        number = 0
        for step in steps:
            match step.name:
                case "think":
                    self._delta({"reasoning_content": step.rest})
                case "say":
                    self._delta({"content": step.rest})
                case "wait":
                    time.sleep(float(step.rest) / 1000)
                case "stream":
                    count, pause = (int(part) for part in step.rest.split())
                    for word in range(1, count + 1):
                        self._delta({"content": f"w{word} "})
                        time.sleep(pause / 1000)
                case "drop":
                    for word in range(1, int(step.rest) + 1):
                        self._delta({"content": f"d{word} "})
                    self.connection.close()
                    return
                case "tool":
                    call = _call(step, number)
                    self._delta({"tool_calls": [{"index": number, **call}]})
                    number += 1
                case _:
                    raise ValueError(f"The model knows no @{step.name}.")
        self._delta({}, "tool_calls" if number else "stop")
        self._event(self._about() | {"choices": [], "usage": USAGE})
        self.wfile.write(b"data: [DONE]\n\n")

    def _delta(self, delta: Json, finish: str | None = None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        self._event(self._about() | {"object": "chat.completion.chunk", "choices": [choice]})

    def _event(self, value: Json) -> None:
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()

    def _about(self) -> Json:
        return {"id": f"chat-{time.monotonic_ns():x}", "created": int(time.time()), "model": NAME}

    def _json(self, value: Json, status: int) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _call(step: Step, number: int) -> Json:
    name, _, arguments = step.rest.partition(" ")
    json.loads(arguments)
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{time.monotonic_ns():x}{number}", "type": "function", "function": function}
