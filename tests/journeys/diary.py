"""A session whose agent writes down every commit of memory that it is asked for, and what a test asks about it."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from holdfast.core.ids import SessionId
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

Json = dict[str, Any]


class Diary:
    """One session, its ledger as the server tells it, and the calls as its agents saw them."""

    def __init__(self, person: Person, folder: Path, **fields: Any) -> None:
        folder.mkdir(parents=True)
        self._file = folder / "memory.jsonl"
        self._file.touch()
        self._person = person
        self.session: SessionId = person.begin(workspace=str(folder), **fields)

    @property
    def calls(self) -> list[Json]:
        return [json.loads(line) for line in self._file.read_text().splitlines()]

    @property
    def tokens(self) -> list[str]:
        """The generations of the calls, without the session's name."""
        return [call["token"].removeprefix(f"{self.session}:") for call in self.calls]

    def turn(self, text: str = "!say done") -> str:
        """A turn that ends well."""
        turn = self._person.say(self.session, text)
        seen = self._person.wait_for_end(self.session, turn)
        assert seen.end(turn)["outcome"] == "completed"
        return turn

    def behave(self, how: str) -> str:
        """A turn after which commits behave so. It is a completed turn itself."""
        return self.turn(f"!memory {how}\n!say done")

    def state(self) -> Json:
        return self._person.get(f"/api/sessions/{self.session}/memory").raise_for_status().json()

    def commit(self) -> Json:
        return self.ask().raise_for_status().json()

    def ask(self) -> httpx.Response:
        return self._person.post(f"/api/sessions/{self.session}/memory/commit")

    @contextmanager
    def committing(self) -> Generator[list[Json]]:
        """A commit that somebody asks for meanwhile. Inside it is in flight; afterwards its answer is in the list."""
        answers: list[Json] = []
        asking = threading.Thread(target=lambda: answers.append(self.commit()))
        asking.start()
        try:
            self.wait(in_flight=True)
            yield answers
        finally:
            asking.join()

    def wait(self, limit: float = 60.0, **fields: Any) -> Json:
        """The ledger, as soon as it says so."""

        def true() -> Json | None:
            state = self.state()
            return state if fields.items() <= state.items() else None

        found = wait_until(true, f"memory with {fields}", limit)
        assert found is not None
        return found

    def records(self, kind: str) -> list[Json]:
        """The events of one kind in the log."""
        return [record["event"] for record in self._person.records(self.session) if record["event"]["kind"] == kind]
