"""The built-in agent's side of the protocol: conversations, turns, modes and models.

What the client says is taken in reading order and never waits for a turn; a turn is a task of its own.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic_ai.messages import ModelRequest, TextPart, ToolCallPart, UserPromptPart

from holdfast import __version__
from holdfast.agents.acp.jsonrpc import INVALID_PARAMS, Id, Notification, Request
from holdfast.agents.builtin.conversation import Conversation, Spawn
from holdfast.agents.builtin.history import History
from holdfast.agents.builtin.link import Json, Link, Voice, as_object, at
from holdfast.agents.builtin.modes import Mode
from holdfast.agents.builtin.provider import Providers
from holdfast.agents.builtin.warm import warm
from holdfast.agents.tree import MARK
from holdfast.core.errors import HoldfastError, Refused
from holdfast.endpoints import split
from holdfast.settings import Settings

log = logging.getLogger(__name__)

TITLE = "Built-in"
HELLO: Json = {
    "protocolVersion": 1,
    "agentCapabilities": {
        "loadSession": True,
        "promptCapabilities": {"image": True, "embeddedContext": True},
        "sessionCapabilities": {"resume": {}},
        "_meta": {"holdfast": {"steer": True, "reasons": True, "warm": True}},
    },
    "agentInfo": {"name": "holdfast-builtin", "title": TITLE, "version": __version__},
    "authMethods": [],
}


class BadRequest(Refused):
    """{0}"""


class Agent:
    """`spawn` starts a task that ends with the process."""

    def __init__(self, link: Link, settings: Settings, environ: Mapping[str, str], spawn: Spawn) -> None:
        self._link = link
        self._settings = settings
        self._providers = Providers(settings, environ)
        self._spawn = spawn
        self._conversations: dict[str, Conversation] = {}

    async def warm(self) -> None:
        """Make ready what the first turn will need."""
        await warm()
        self._providers.warm()

    async def close(self) -> None:
        """Let go of all connections."""
        await self._providers.close()

    def feed(self, data: bytes) -> None:
        for message in self._link.feed(data):
            match message:
                case Request():
                    self._requested(message)
                case Notification(method="session/cancel"):
                    name = str(as_object(message.params).get("sessionId"))
                    if name in self._conversations:
                        self._conversations[name].cancel()
                case _:
                    pass

    def _requested(self, request: Request) -> None:
        params = as_object(request.params)
        try:
            answer = self._answer(request, params)
        except HoldfastError as exc:
            self._link.refuse(request.id, str(exc), INVALID_PARAMS)
            return
        except OSError as exc:
            self._link.refuse(request.id, f"What was said can't be kept: {exc}.")
            return
        if answer is not None:
            self._link.respond(request.id, answer)
        if request.method in ("session/new", "session/load", "session/resume") and answer is not None:
            self._conversations[str(answer.get("sessionId") or params.get("sessionId"))].announce()

    def _answer(self, request: Request, params: Json) -> Json | None:
        """The answer, or None if it comes later or was given. Raise a sentence for what can't be done."""
        match request.method:
            case "initialize":
                self._link.forms = at(params, "clientCapabilities", "elicitation", "form") is not None
                self._link.live = at(params, "clientCapabilities", "_meta", "terminal_output") is True
                return HELLO
            case "authenticate":
                return {}
            case "session/new":
                name = f"b{secrets.token_hex(10)}"
                opened = self._open(name, History.begin(self._settings.conversations, name), params)
                return {"sessionId": name, **opened.described()}
            case "session/load" | "session/resume":
                return self._take_up(request.method, params)
            case "session/set_mode":
                self._find(params).history.choose(mode=_mode(params))
                return {}
            case "session/set_model":
                self._find(params).history.choose(model=self._model(params))
                return {}
            case "session/prompt":
                self._prompted(request.id, self._find(params), params)
            case "_holdfast/steer":
                return {"accepted": self._find(params).steer(str(params.get("text", "")))}
            case _:
                self._link.unknown(request)
        return None

    def _open(self, name: str, history: History, params: Json) -> Conversation:
        if run := at(params, "_meta", "holdfast", "run"):
            os.environ[MARK] = str(run)
        folder = Path(str(params.get("cwd") or "."))
        if not folder.is_dir():
            raise BadRequest(f"The folder {folder} does not exist.")
        conversation = Conversation(name, folder, history, self._link, self._providers, self._settings)
        self._conversations[name] = conversation
        return conversation

    def _take_up(self, method: str, params: Json) -> Json:
        name = str(params.get("sessionId"))
        history = History.take_up(self._settings.conversations, name)
        if history is None:
            raise BadRequest(f"There is no conversation {name!r} here.")
        conversation = self._open(name, history, params)
        if unfinished := at(params, "_meta", "holdfast", "unfinished"):
            history.remember(str(unfinished))
        if method == "session/load":
            _replay(history, Voice(self._link, name))
        return conversation.described()

    def _find(self, params: Json) -> Conversation:
        name = str(params.get("sessionId"))
        if name not in self._conversations:
            raise BadRequest(f"There is no conversation {name!r} here.")
        return self._conversations[name]

    def _model(self, params: Json) -> str:
        wanted = str(params.get("modelId") or "")
        endpoint, model = split(wanted)
        known = self._providers.endpoints()
        if endpoint not in known or not model:
            raise BadRequest(f"There is no model {wanted!r}: it is written ENDPOINT/MODEL ({', '.join(known)}).")
        return wanted

    def _prompted(self, request: Id, conversation: Conversation, params: Json) -> None:
        if conversation.busy:
            raise BadRequest("The last turn of this conversation still runs.")
        turn = str(at(params, "_meta", "holdfast", "turn") or "")
        task = conversation.prompt(params.get("prompt") or [], turn, self._spawn)
        task.add_done_callback(lambda played: self._played(request, conversation, played))

    def _played(self, request: Id, conversation: Conversation, turn: "asyncio.Task[str]") -> None:
        """Answer the prompt. Not in the turn itself: one that is cancelled before its first step takes none."""
        error = None if turn.cancelled() else turn.exception()
        if turn.cancelled():
            self._link.respond(request, {"stopReason": "cancelled"})
        elif isinstance(error, HoldfastError):
            self._link.refuse(request, str(error))
        elif isinstance(error, Exception):
            # The edge of the process: whatever it is, the person is told, and the next turn may work.
            log.error("turn.failed", exc_info=error, extra={"session": conversation.name})
            self._link.refuse(request, f"The built-in agent failed: {_innermost(error)}")
        elif error is None:
            self._link.respond(request, {"stopReason": turn.result()})


def _mode(params: Json) -> Mode:
    try:
        return Mode(str(params.get("modeId")))
    except ValueError as exc:
        raise BadRequest(f"There is no mode {params.get('modeId')!r}. There are: {', '.join(Mode)}.") from exc


def _innermost(error: Exception) -> str:
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return f"{type(error).__name__}: {error}"


def _replay(history: History, voice: Voice) -> None:
    """Tell a client what was said before."""
    for number, message in enumerate(history.messages):
        for part in message.parts:
            match part:
                case UserPromptPart(content=str(text)):
                    voice.update("user_message_chunk", content={"type": "text", "text": text})
                case UserPromptPart(content=content) if isinstance(message, ModelRequest):
                    for text in (each for each in content if isinstance(each, str)):
                        voice.update("user_message_chunk", content={"type": "text", "text": text})
                case TextPart(content=text):
                    voice.say(text, f"replay{number}")
                case ToolCallPart():
                    fields = {"toolCallId": part.tool_call_id, "title": part.tool_name, "name": part.tool_name}
                    voice.update("tool_call", **fields, kind="other", status="completed")
                case _:
                    pass
