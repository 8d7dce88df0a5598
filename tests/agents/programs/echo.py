"""An agent that does what its argument says, written with nothing of Holdfast: `python echo.py SCRIPT`.

It answers `initialize` and `session/new`, then does the script's acts as prompts come.
"""

import json
import os
import sys
import time
from typing import Any


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(body: dict[str, Any], session: str = "s") -> None:
    send(method="session/update", params={"sessionId": session, "update": body})


def text(words: str, session: str = "s") -> None:
    update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}}, session)


def receive() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def initialize(**extra: Any) -> None:
    hello = {"protocolVersion": 1, "agentCapabilities": {}, **extra}
    send(id=receive()["id"], result=hello)


def new_session() -> None:
    send(id=receive()["id"], result={"sessionId": "s"})


def ready() -> None:
    initialize()
    new_session()


def prompted() -> int:
    while True:
        message = receive()
        if message.get("method") == "session/prompt":
            return message["id"]


def loads() -> None:
    """Replays an old session before it says that it is loaded."""
    initialize(agentCapabilities={"loadSession": True})
    asked = receive()
    assert asked["method"] == "session/load"
    text("an old answer", asked["params"]["sessionId"])
    send(id=asked["id"], result={})
    number = prompted()
    text("a new answer", asked["params"]["sessionId"])
    send(id=number, result={"stopReason": "end_turn"})
    receive()


def forgets() -> None:
    """Can load sessions, but has lost this one."""
    initialize(agentCapabilities={"loadSession": True})
    send(id=receive()["id"], error={"code": -32002, "message": "Resource not found"})
    new_session()
    receive()


def resumes() -> None:
    initialize(agentCapabilities={"loadSession": True, "sessionCapabilities": {"resume": {}}})
    asked = receive()
    assert asked["method"] == "session/resume"
    send(id=asked["id"], result={})
    receive()


def signs_in() -> None:
    initialize(authMethods=[{"id": "a", "name": "Sign in with a browser"}])
    send(id=receive()["id"], error={"code": -32000, "message": "Authentication required"})
    receive()


def speaks_another() -> None:
    initialize(protocolVersion=7)
    receive()


def silent() -> None:
    time.sleep(3600)


def babbles() -> None:
    """Lets a library write to stdout between its messages."""
    print("Loading model...")
    ready()
    number = prompted()
    print("not json")
    print('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"novelty"}}}')
    print('{"jsonrpc":"2.0","method":"unheard/of"}')
    text("heard", "another session")
    text("hello")
    send(id=number, result={"stopReason": "end_turn"})
    receive()


def wants_files() -> None:
    ready()
    number = prompted()
    for method in ("fs/read_text_file", "terminal/create", "_other/method"):
        send(id=method, method=method, params={})
        text(f"{receive()['error']['code']} ")
    send(id=number, result={"stopReason": "end_turn"})
    receive()


def dies() -> None:
    ready()
    prompted()
    text("half a sen")
    print("first line", file=sys.stderr)
    for number in range(100):
        print(f"Traceback line {number}", file=sys.stderr)
    sys.exit(3)


def deafens() -> None:
    """Closes its output and stays."""
    ready()
    prompted()
    text("last words")
    os.close(1)
    time.sleep(3600)


def endless() -> None:
    """A line that never ends."""
    ready()
    prompted()
    while True:
        sys.stdout.write("x" * 1_000_000)


def floods() -> None:
    """Says megabytes before it reads anything."""
    ready()
    number = prompted()
    for _ in range(400):
        text("y" * 20_000)
    size = len(sys.stdin.readline())
    text(f"read {size}")
    send(id=number, result={"stopReason": "end_turn"})
    receive()


def leaves() -> None:
    """Says more than is read at once, ends its turn, and itself."""
    ready()
    number = prompted()
    text("first ")
    while receive().get("method") != "_go":
        pass
    for _ in range(200):
        text("word ")
    send(id=number, result={"stopReason": "end_turn"})


def stops() -> None:
    """Ends each turn for another reason."""
    ready()
    for reason in ("max_tokens", "max_turn_requests", "refusal", "cancelled", "novelty"):
        number = prompted()
        text("words")
        send(id=number, result={"stopReason": reason})
    receive()


def fails_when_cancelled() -> None:
    """As some agents do: the cancelled prompt ends with an error, and words come after it."""
    ready()
    number = prompted()
    text("before")
    while receive().get("method") != "session/cancel":
        pass
    text(" meanwhile")
    send(id=number, error={"code": -32603, "message": "Internal error"})
    time.sleep(0.1)
    text(" after")
    send(id=receive()["id"], error={"code": -32601, "message": "Method not found"})
    number = prompted()
    text("next")
    send(id=number, result={"stopReason": "end_turn"})
    receive()


def asks_late() -> None:
    """Asks for leave when its turn is over."""
    ready()
    number = prompted()
    text("done")
    send(id=number, result={"stopReason": "end_turn"})
    call = {"toolCallId": "c", "title": "rm"}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    send(id=1, method="session/request_permission", params={"sessionId": "s", "toolCall": call, "options": options})
    text(f" {receive()['result']['outcome']['outcome']}")
    receive()


def offers_always() -> None:
    """Offers no way to allow once."""
    ready()
    number = prompted()
    call = {"toolCallId": "c", "title": "rm"}
    options = [{"optionId": "y", "name": "Always", "kind": "allow_always"}]
    send(id=1, method="session/request_permission", params={"sessionId": "s", "toolCall": call, "options": options})
    text(receive()["result"]["outcome"]["outcome"])
    send(id=number, result={"stopReason": "end_turn"})
    receive()


def environment() -> None:
    ready()
    number = prompted()
    text(json.dumps(dict(os.environ)))
    send(id=number, result={"stopReason": "end_turn"})
    receive()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
