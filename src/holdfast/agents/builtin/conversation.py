"""One conversation: where it works, what was chosen for it, what was said, and the turn that runs."""

import asyncio
import base64
import binascii
import os
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import BinaryContent, ModelResponse, UserContent

from holdfast.agents.builtin import compact, prompt
from holdfast.agents.builtin.deed import Bench
from holdfast.agents.builtin.history import History
from holdfast.agents.builtin.link import Json, Link, Voice, at
from holdfast.agents.builtin.modes import Mode, described
from holdfast.agents.builtin.provider import Providers, explain
from holdfast.agents.builtin.tools.table import TOOLS
from holdfast.agents.builtin.turn import Setting, Turn, TurnFailed
from holdfast.agents.child import scrubbed
from holdfast.agents.tree import HOME, MARK
from holdfast.settings import Settings
from holdfast.workspace.files import Workspace

TITLE = 60
ASKED = "\nThe user now says:\n"
"""Before it stands what an agent that comes new to a session is told of it."""
ENCLOSED = 64 * 1024
"""Bytes of an attached text that are put into the message."""
Spawn = Callable[[Coroutine[Any, Any, str]], "asyncio.Task[str]"]
COMMANDS = [{"name": "compact", "description": "Sum up the conversation so far, to make room for more"}]


class Conversation:
    """`name` is what the client calls it by."""

    def __init__(
        self, name: str, folder: Path, history: History, link: Link, providers: Providers, settings: Settings
    ) -> None:
        self.name = name
        self.history = history
        self._workspace = Workspace(folder, excluded=(settings.home,))
        self._link = link
        self._providers = providers
        self._settings = settings
        self._turn: Turn | None = None
        self._running: asyncio.Task[str] | None = None

    @property
    def busy(self) -> bool:
        return self._running is not None and not self._running.done()

    @property
    def mode(self) -> Mode:
        return Mode(self.history.mode or Mode.DEFAULT)

    def described(self) -> Json:
        """What a client is told when the conversation is opened."""
        offered = self._providers.offered()
        current = self.history.model or (offered[0] if offered else "")
        models = [
            {"modelId": each, "name": each} for each in dict.fromkeys([*offered, *([current] if current else [])])
        ]
        listed = {"models": {"currentModelId": current, "availableModels": models}} if models else {}
        return {"modes": described(self.mode), **listed}

    def announce(self) -> None:
        Voice(self._link, self.name).update("available_commands_update", availableCommands=COMMANDS)

    def steer(self, words: str) -> bool:
        return self.busy and self._turn is not None and self._turn.steer(words)

    def cancel(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def prompt(self, blocks: Sequence[Any], turn: str, spawn: Spawn) -> "asyncio.Task[str]":
        """Begin a turn; its task returns why it stopped, or raises `TurnFailed` or `NoModel`.

        From here on it is the one that runs: what the client says in the same breath, a cancel or words that steer, is
        for it.
        """
        words, voice = _contents(blocks), Voice(self._link, self.name, turn)
        if words[:1] == ["/compact"]:
            self._turn, begun = None, self._compact(voice)
        else:
            self._turn = Turn(self._setting(voice))
            begun = self._run(self._turn, words, voice)
        self._running = spawn(begun)
        return self._running

    def _setting(self, voice: Voice) -> Setting:
        return Setting(
            providers=self._providers,
            history=self.history,
            mode=lambda: self.mode,
            tools=TOOLS,
            system=lambda: prompt.system(self._workspace, self.mode),
            bench=lambda call: self._bench(call, voice),
            voice=voice,
        )

    async def _run(self, turn: Turn, words: list[UserContent], voice: Voice) -> str:
        first = not any(isinstance(message, ModelResponse) for message in self.history.messages)
        stopped = await turn.run(words)
        if first and (title := _title(words)):
            voice.update("session_info_update", title=title)
        return stopped

    async def _compact(self, voice: Voice) -> str:
        chosen = await self._providers.choose(self.history.model)
        try:
            shorter = await compact.shorten(self.history.view, self._providers.model(chosen), 0)
        except ModelAPIError as exc:
            raise TurnFailed(explain(exc, chosen)) from exc
        if shorter is not None:
            self.history.replace(shorter)
        voice.say(compact.NOTICE if shorter is not None else "There is nothing to sum up yet.", "m1")
        return "end_turn"

    def _bench(self, call: str, voice: Voice) -> Bench:
        # The marks of the run, so that what a tool leaves behind is found; no keys, and nothing else that is ours.
        return Bench(workspace=self._workspace, environ=scrubbed(os.environ, (MARK, HOME)), voice=voice, call=call)


def _contents(blocks: Sequence[Any]) -> list[UserContent]:
    return [content for block in blocks if (content := _content(block)) is not None]


def _content(block: Any) -> UserContent | None:
    match at(block, "type"):
        case "text":
            return str(at(block, "text") or "")
        case "image":
            try:
                data = base64.b64decode(str(at(block, "data") or ""), validate=True)
            except binascii.Error:
                return None
            return BinaryContent(data=data, media_type=str(at(block, "mimeType") or "image/png"))
        case "resource":
            return f"[{at(block, 'resource', 'uri')}]\n{at(block, 'resource', 'text') or ''}"
        case "resource_link":
            return _linked(str(at(block, "name") or "file"), str(at(block, "uri") or ""))
        case _:
            return None


def _linked(name: str, uri: str) -> str:
    """A file that the person attached: its text, if it is one, for it may lie where our tools may not look."""
    place = urlsplit(uri)
    if place.scheme != "file":
        return f"[{name}]({uri})"
    try:
        with Path(unquote(place.path)).open("rb") as file:
            data = file.read(ENCLOSED + 1)
        text = data[:ENCLOSED].decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return f"[The person attached {name}, which is no text that can be shown.]"
    more = "\n[the rest is left out]" if len(data) > ENCLOSED else ""
    return f"[The person attached {name}:]\n{text}{more}"


def _title(words: Sequence[UserContent]) -> str:
    """The first line of what was asked, shortened at a word."""
    text = next((each for each in words if isinstance(each, str)), "").rpartition(ASKED)[2]
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE else f"{line[:TITLE].rsplit(' ', 1)[0]}…"
