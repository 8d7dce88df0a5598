"""An agent that says back what it was told, word for word: `python parrot.py [NAME]`. It takes up no old session."""

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
            content = {"type": "text", "text": f"{sys.argv[1]}> {message['params']['prompt'][0]['text']}"}
            update = {"sessionUpdate": "agent_message_chunk", "content": content}
            send(method="session/update", params={"sessionId": f"s{sys.argv[1:]}", "update": update})
            send(id=message["id"], result={"stopReason": "end_turn"})
        case _:
            pass


for line in sys.stdin:
    answer(json.loads(line))
