"""An agent that lets its model and mode be chosen: `python chooser.py states|options [MODEL THAT IT REFUSES]`.

`states` is the older style (`session/set_model`, `session/set_mode`), `options` the newer one. It answers every
message with its model and mode, and says so when its mode is changed by the message "mode NAME".
"""

import json
import sys
from typing import Any

STYLE = sys.argv[1]
REFUSED = sys.argv[2:]
chosen = {"model": "small", "mode": "ask"}
OFFERED = {"model": [("small", "Small"), ("large", "Large")], "mode": [("ask", "Ask"), ("go", "Go")]}


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(**body: Any) -> None:
    send(method="session/update", params={"sessionId": "s", "update": body})


def options() -> list[dict[str, Any]]:
    models = [{"value": value, "name": name} for value, name in OFFERED["model"]]
    modes = [{"value": value, "name": name, "description": f"{name}."} for value, name in OFFERED["mode"]]
    return [
        {"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": chosen["model"],
         "options": [{"group": "g", "name": "Ours", "options": models}]},
        {"id": "how", "name": "Mode", "category": "mode", "type": "select", "currentValue": chosen["mode"],
         "options": modes},
        {"id": "loud", "name": "Loud", "type": "boolean", "currentValue": True},
    ]  # fmt: skip


def choosable() -> dict[str, Any]:
    if STYLE == "options":
        return {"configOptions": options()}
    return {
        "modes": {
            "currentModeId": chosen["mode"],
            "availableModes": [
                {"id": value, "name": name, "description": f"{name}."} for value, name in OFFERED["mode"]
            ],
        },
        "models": {
            "currentModelId": chosen["model"],
            "availableModels": [{"modelId": value, "name": name} for value, name in OFFERED["model"]],
        },
    }


def choose(number: int, what: str, value: str) -> None:
    if value in REFUSED:
        send(id=number, error={"code": -32602, "message": "It costs too much."})
        return
    chosen[what] = value
    send(id=number, result={"configOptions": options()} if STYLE == "options" else {})


def prompted(number: int, text: str) -> None:
    if text.startswith("mode "):
        chosen["mode"] = text.removeprefix("mode ")
        if STYLE == "options":
            update(sessionUpdate="config_option_update", configOptions=options())
        else:
            update(sessionUpdate="current_mode_update", currentModeId=chosen["mode"])
    words = f"{chosen['model']} {chosen['mode']}"
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": words})
    send(id=number, result={"stopReason": "end_turn"})


for line in sys.stdin:
    message = json.loads(line)
    params = message.get("params", {})
    match message.get("method"):
        case "initialize":
            send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {"loadSession": True}})
        case "session/new" | "session/load":
            send(id=message["id"], result={"sessionId": "s", **choosable()})
            commands = [{"name": "/init", "description": "Begin.", "input": {"hint": "where"}}, {"name": "stop"}]
            update(sessionUpdate="available_commands_update", availableCommands=commands)
        case "session/set_model":
            choose(message["id"], "model", params["modelId"])
        case "session/set_mode":
            choose(message["id"], "mode", params["modeId"])
        case "session/set_config_option":
            choose(message["id"], {"m": "model", "how": "mode"}[params["configId"]], params["value"])
        case "session/prompt":
            prompted(message["id"], params["prompt"][0]["text"])
        case _ if "id" in message:
            send(id=message["id"], error={"code": -32601, "message": "unknown"})
        case _:
            pass
