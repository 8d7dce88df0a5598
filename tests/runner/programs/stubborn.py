"""An agent that takes words while it works, or says that it does: `python stubborn.py refusing|dying`.

It ends a turn when it has been steered twice: refusing both, or, dying, with the turn instead of an answer.
"""

import json
import sys
from typing import Any

HOW = sys.argv[1]
prompt: list[int] = []
words: list[int] = []


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send(method="session/update", params={"sessionId": "s", "update": update})


def steered(number: int) -> None:
    words.append(number)
    if len(words) < 2:
        return
    if HOW == "dying":
        sys.exit(1)
    for each in words:
        send(id=each, result={"accepted": False})
    send(id=prompt[-1], result={"stopReason": "end_turn"})


def answer(message: dict[str, Any]) -> None:
    match message.get("method"):
        case "initialize":
            ours = {"_meta": {"holdfast": {"steer": True}}}
            send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": ours})
        case "session/new":
            send(id=message["id"], result={"sessionId": "s"})
        case "session/prompt":
            text = message["params"]["prompt"][-1]["text"]
            say(f"heard:{text}")
            prompt.append(message["id"])
            if text != "work":
                send(id=message["id"], result={"stopReason": "end_turn"})
        case "_holdfast/steer":
            steered(message["id"])
        case _:
            pass


for line in sys.stdin:
    answer(json.loads(line))
