"""An agent that is told things while it works: `python stubborn.py refusing|dying|quitting|mute|late|deaf`.

It says what it heard, and works for ever if that was "work". Steered twice, it refuses both and ends its turn; or,
dying, it ends with the turn instead of an answer. Quitting, it ends when it is cancelled; mute, when it has
read a message. Late, it ends once as soon as there is something to read, and never reads it; deaf, it does so every
time. Taken up again, it says with its next answer what it was told of an unfinished one.
"""

import json
import os
import select
import sys
from pathlib import Path
from typing import Any

HOW = sys.argv[1]
prompt: list[int] = []
words: list[int] = []
told: list[str] = []


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


def end_unheard() -> None:
    """End with words in the pipe that nobody has read."""
    if HOW == "deaf" or (HOW == "late" and not Path("came").exists()):
        Path("came").touch()
        select.select([sys.stdin], [], [])
        os._exit(1)


def answer(message: dict[str, Any]) -> None:
    match message.get("method"):
        case "initialize":
            able = {"sessionCapabilities": {"resume": {}}, "_meta": {"holdfast": {"steer": True}}}
            send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": able})
        case "session/new":
            send(id=message["id"], result={"sessionId": "s"})
            end_unheard()
        case "session/resume":
            told.append(message["params"].get("_meta", {}).get("holdfast", {}).get("unfinished", ""))
            send(id=message["id"], result={})
            end_unheard()
        case "session/prompt" if HOW == "mute":
            sys.exit(1)
        case "session/cancel" if HOW == "quitting":
            sys.exit(0)
        case "session/prompt":
            text = message["params"]["prompt"][-1]["text"]
            say(f"heard:{text}{told.pop() if told else ''}")
            prompt.append(message["id"])
            if text != "work":
                send(id=message["id"], result={"stopReason": "end_turn"})
        case "_holdfast/steer":
            steered(message["id"])
        case _:
            pass


for line in sys.stdin:
    answer(json.loads(line))
