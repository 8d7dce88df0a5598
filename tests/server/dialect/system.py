"""The two systems of the dialect, approvals and questions, as one that a test is given."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.store.sqlite.store import SqliteStore
from tests.server.live import Live, listening
from tests.store.stage import T1, Run

Json = dict[str, Any]


class System(NamedTuple):
    """Its name on the wire, its head's id, what raises an ask of it, two answers to it, and their field."""

    name: str
    id: str
    asked: Callable[[str, TurnId], e.AnyFact]
    delivered: Callable[[AskId], e.AnyFact]
    answers: tuple[str, str]
    answer: str

    def __str__(self) -> str:
        return self.name

    # What a run does.

    def ask(self, name: str, turn: TurnId = T1) -> e.AnyFact:
        return self.asked(name, turn)

    # What a client does.

    async def poll(self, api: httpx.AsyncClient, session: SessionId) -> Json:
        answer = await api.get(f"/api/{self.name}/pending", params={"session_id": session})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def respond(
        self, api: httpx.AsyncClient, session: SessionId, ask: str | None, answer: str = "", client: str = ""
    ) -> httpx.Response:
        named = {} if ask is None else {self.id: ask}
        body = {"session_id": session, self.answer: answer or self.answers[0], **named}
        return await api.post(f"/api/{self.name}/respond", json=body, headers={"holdfast-client": client})

    def stream(self, api: httpx.AsyncClient, session: SessionId) -> AbstractAsyncContextManager[Live]:
        return listening(api, f"/api/{self.name}/stream", ("session_id", session))

    # What a client is told.

    def seen(self, pending: Json) -> tuple[str | None, int]:
        """The head's id, and the count."""
        assert set(pending) == {"pending", "pending_count"}
        return pending["pending"] and pending["pending"][self.id], pending["pending_count"]

    async def next(self, stream: Live) -> tuple[str | None, int]:
        return self.seen((await stream.next(self.name)).data)

    async def first(self, stream: Live) -> tuple[str | None, int]:
        heard = await stream.next()
        assert heard.name == "initial"
        return self.seen(heard.data)


def _approval(name: str, turn: TurnId) -> e.AnyFact:
    return e.ApprovalRequested(ask=AskId(name), turn=turn, command=f"run {name}")


def _question(name: str, turn: TurnId) -> e.AnyFact:
    return e.QuestionAsked(ask=AskId(name), turn=turn, text=f"{name}?")


APPROVALS = System(
    "approval",
    "approval_id",
    _approval,
    lambda ask: e.ApprovalDelivered(ask=ask),
    ("once", "deny"),
    "choice",
)
QUESTIONS = System(
    "clarify",
    "clarify_id",
    _question,
    lambda ask: e.QuestionDelivered(ask=ask),
    ("this one", "that one"),
    "response",
)
both = pytest.mark.parametrize("system", [APPROVALS, QUESTIONS], ids=str)


async def begun(store: SqliteStore, session: SessionId, *asks: e.AnyFact) -> Run:
    """A run of the session that has asked this, all at once."""
    run = await Run.claim(store, session)
    await run.start(T1)
    if asks:
        await run.write(*asks)
    return run
