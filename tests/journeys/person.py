"""Somebody who uses Holdfast: begins sessions, says things, answers, stops, and looks again."""

import itertools
import secrets
from typing import Any

import httpx

from holdfast.core.ids import SessionId
from tests.journeys.follower import Follower
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.transcript import Transcript

Json = dict[str, Any]


class Person:
    """Signed in with the home's token, wherever the server is now."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._names = itertools.count(1)

    # What a person does. Each returns the server's answer.

    def begin(self, **fields: Any) -> SessionId:
        answer = self.post("/api/sessions", fields).raise_for_status()
        return SessionId(answer.json()["id"])

    def say(self, session: SessionId, text: str, turn: str = "", **fields: Any) -> str:
        """Send a message that must be taken, and return the id of its turn."""
        turn = turn or f"turn-{next(self._names)}-{secrets.token_hex(4)}"
        self.submit(session, text, turn, **fields).raise_for_status()
        return turn

    def submit(self, session: SessionId, text: str, turn: str, **fields: Any) -> httpx.Response:
        return self.post(f"/api/sessions/{session}/turns", {"id": turn, "text": text, **fields})

    def turn(self, session: SessionId, turn: str, act: str, **fields: Any) -> httpx.Response:
        """Cancel, withdraw, release or continue a turn."""
        return self.post(f"/api/sessions/{session}/turns/{turn}/{act}", fields or None)

    def cancel(self, session: SessionId, turn: str) -> httpx.Response:
        return self.turn(session, turn, "cancel")

    def answer(self, session: SessionId, ask: str, **fields: Any) -> httpx.Response:
        return self.post(f"/api/sessions/{session}/asks/{ask}", fields)

    def asks(self, session: SessionId) -> list[Json]:
        return self.get(f"/api/sessions/{session}/asks").raise_for_status().json()["asks"]

    # What a person sees.

    def look(self, session: SessionId) -> Transcript:
        """Load the session anew, as a browser that knows nothing does."""
        with self._client() as client:
            return Transcript.read(client, session)

    def follow(self, session: SessionId, after: int = 0) -> Follower:
        return Follower(self._house, session, after)

    def wait_for_ask(self, session: SessionId, count: int = 1) -> list[Json]:
        def enough() -> list[Json] | None:
            asks = self.asks(session)
            return asks if len(asks) >= count else None

        return wait_until(enough, f"{count} open asks") or []

    def wait_for_end(self, session: SessionId, turn: str, limit: float = 60.0) -> Transcript:
        def ended() -> Transcript | None:
            seen = self.look(session)
            return seen if any(item["type"] == "end" for item in seen.of(turn)) else None

        found = wait_until(ended, f"the end of {turn}", limit)
        assert found is not None
        return found

    def records(self, session: SessionId) -> list[Json]:
        """The whole log."""
        records: list[Json] = []
        while True:
            after = records[-1]["seq"] if records else 0
            path = f"/api/sessions/{session}/records?after={after}"
            more = self.get(path).raise_for_status().json()["records"]
            if not more:
                return records
            records += more

    # Requests.

    def get(self, path: str) -> httpx.Response:
        with self._client() as client:
            return client.get(path)

    def post(self, path: str, body: Json | None = None, client: str = "") -> httpx.Response:
        """`client` is what the device calls itself."""
        with self._client() as http:
            return http.post(path, json=body, headers={"holdfast-client": client})

    def patch(self, path: str, body: Json) -> httpx.Response:
        with self._client() as client:
            return client.patch(path, json=body)

    def delete(self, path: str) -> httpx.Response:
        with self._client() as client:
            return client.delete(path)

    def _client(self) -> httpx.Client:
        return self._house.server.client()
