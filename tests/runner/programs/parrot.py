"""An agent that says back what it was told, word for word: `python parrot.py [NAME]`. It takes up no old session.

What it is told in braces is an update, which it sends as it stands before it says anything.
"""

import json
import sys
from typing import Any


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(message: dict[str, Any]) -> None:
    match message.get("method"):
        case "initialize":
            send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
        case "session/new":
            send(id=message["id"], result={"sessionId": f"s{sys.argv[1:]}"})
        case "session/prompt":
            text = message["params"]["prompt"][0]["text"]
            if text.startswith("{"):
                named = f'"sessionId": "s{sys.argv[1:]}"'
                line = f'{{"jsonrpc": "2.0", "method": "session/update", "params": {{{named}, "update": {text}}}}}'
                sys.stdout.write(line + "\n")
            content = {"type": "text", "text": f"{sys.argv[1]}> {text}"}
            update = {"sessionUpdate": "agent_message_chunk", "content": content}
            send(method="session/update", params={"sessionId": f"s{sys.argv[1:]}", "update": update})
            send(id=message["id"], result={"stopReason": "end_turn"})
        case _:
            pass


for line in sys.stdin:
    answer(json.loads(line))
