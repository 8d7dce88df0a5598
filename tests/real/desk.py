"""A house with real Hermes in it, and somebody who works with it."""

import json
from pathlib import Path
from typing import Any

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person
from tests.journeys.transcript import Transcript
from tests.real.model import Model

Json = dict[str, Any]


def tool(name: str, /, **arguments: Any) -> str:
    """The line of a script that calls a tool."""
    return f"@tool {name} {json.dumps(arguments)}"


def hermes_home(folder: Path, model: Model, more: str = "") -> Path:
    """A home for Hermes that knows one model. What a person has decided there is left as Hermes has it: smart."""
    folder.mkdir(parents=True, exist_ok=True)
    endpoint = f'{{default: mock-1, provider: custom, base_url: "{model.url}", api_key: sk-mock}}'
    (folder / "config.yaml").write_text(f"model: {endpoint}\nsecurity: {{tirith_enabled: false}}\n{more}")
    return folder


def settings_for(python: Path, home: Path) -> str:
    return f'[runners]\nspare = false\n[hermes]\npython = "{python}"\nhome = "{home}"\n'


class Desk:
    """One house, one person, sessions with Hermes."""

    def __init__(self, house: House, model: Model, folder: Path) -> None:
        self.house = house
        self.hermes = folder / "hermes"
        self.model = model
        self.person = Person(house)
        self._folder = folder
        self._workspaces = 0
        self._shared: tuple[SessionId, Path] | None = None

    def begin(self, **fields: Any) -> tuple[SessionId, Path]:
        """A session with Hermes, and the folder that it works in."""
        self._workspaces += 1
        workspace = self._folder / f"workspace-{self._workspaces}"
        workspace.mkdir(parents=True)
        return self.person.begin(agent="hermes", workspace=str(workspace), **fields), workspace

    def shared(self) -> tuple[SessionId, Path]:
        """A session for whoever leaves it as it was, idle: to start Hermes takes seconds."""
        self._shared = self._shared or self.begin()
        return self._shared

    def say(self, session: SessionId, script: str) -> tuple[str, Transcript]:
        """Send a message and wait for the end of its turn."""
        turn = self.person.say(session, script)
        return turn, self.ended(session, turn)

    def ended(self, session: SessionId, turn: str) -> Transcript:
        return self.person.wait_for_end(session, turn, 120)

    def ask(self, session: SessionId) -> Json:
        """The one ask that waits, or will."""
        (ask,) = wait_until(lambda: self.person.asks(session), "an ask", 120)
        return ask

    def answer(self, session: SessionId, ask: Json, **fields: Any) -> None:
        self.person.answer(session, ask["ask"], **fields).raise_for_status()

    def tool_running(self, session: SessionId, turn: str) -> None:
        """Return when a tool of the turn is running."""

        def running() -> bool:
            return any(item.get("status") == "running" for item in self.person.look(session).of(turn))

        wait_until(running, "a running tool", 120)

    def attach(self, name: str, content: bytes, media_type: str) -> Json:
        """Upload a file, to go with a message."""
        with self.house.server.client() as client:
            headers = {"content-type": media_type}
            return client.post(f"/api/files?name={name}", content=content, headers=headers).raise_for_status().json()

    def seen(self, session: SessionId, turn: str, words: str) -> Transcript:
        """The session when somebody has seen these words."""

        def shown() -> Transcript | None:
            seen = self.person.look(session)
            return seen if words in seen.text(turn) else None

        found = wait_until(shown, f"the words {words!r}", 120)
        assert found is not None
        return found
