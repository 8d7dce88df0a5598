"""What the dialect refuses, it refuses in its own words and changes nothing."""

from typing import Any

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId
from holdfast.store.sqlite.store import SqliteStore
from tests.server.dialect.system import APPROVALS, QUESTIONS, System, begun, both
from tests.store.stage import T1

HERE = "the session of the test"


@both
@pytest.mark.parametrize("what", ["pending", "stream"])
@pytest.mark.parametrize(
    ("params", "status", "error"),
    [
        ({}, 400, "session_id is required"),
        ({"session_id": ""}, 400, "session_id is required"),
        ({"session_id": "never-was"}, 404, "There is no session never-was"),
        ({"session_id": "no name at all!"}, 404, "There is no session no name at all!"),
        ({"session_id": "house"}, 404, "There is no session house"),
    ],
)
async def test_only_a_session_that_is_there_can_be_looked_at(
    api: httpx.AsyncClient, system: System, what: str, params: dict[str, str], status: int, error: str
) -> None:
    answer = await api.get(f"/api/{system.name}/{what}", params=params)
    assert answer.status_code == status
    assert answer.json()["error"].startswith(error)
    assert answer.json()["ok"] is False


@pytest.mark.parametrize(
    ("system", "body", "status", "error"),
    [
        (APPROVALS, {}, 400, "session_id is required"),
        (APPROVALS, {"session_id": ""}, 400, "session_id is required"),
        (APPROVALS, {"session_id": None, "choice": "once"}, 400, "session_id is required"),
        (APPROVALS, {"session_id": "never-was"}, 404, "There is no session never-was."),
        (APPROVALS, {"session_id": HERE, "choice": "x"}, 400, "Invalid choice: x"),
        (APPROVALS, {"session_id": HERE, "choice": "once", "yolo": True}, 400, "Leave for everything"),
        (APPROVALS, {"session_id": HERE, "approval_id": "b"}, 404, "Nothing with the id b waits"),
        (APPROVALS, {"session_id": HERE, "approval_id": "not an id"}, 404, "Nothing with the id not an id waits"),
        (APPROVALS, {"session_id": HERE, "choice": "always", "approval_id": "a"}, 400, "'always' is not offered here."),
        (APPROVALS, {"session_id": HERE, "choice": "once", "approval_id": "q"}, 400, "This is a question"),
        (APPROVALS, {"session_id": HERE, "choice": 1}, 400, "The request can't be used."),
        (QUESTIONS, {"response": "x"}, 400, "session_id is required"),
        (QUESTIONS, {"session_id": "never-was", "response": "x"}, 404, "There is no session never-was."),
        (QUESTIONS, {"session_id": HERE}, 400, "response is required"),
        (QUESTIONS, {"session_id": HERE, "response": ""}, 400, "response is required"),
        (QUESTIONS, {"session_id": HERE, "response": "x", "clarify_id": "b"}, 404, "Nothing with the id b waits"),
        (QUESTIONS, {"session_id": HERE, "response": "other"}, 400, "'other' is not offered here."),
    ],
)
async def test_a_response_that_does_not_fit_is_refused_and_changes_nothing(
    api: httpx.AsyncClient,
    store: SqliteStore,
    session: SessionId,
    system: System,
    body: dict[str, Any],
    status: int,
    error: str,
) -> None:
    await begun(
        store,
        session,
        e.ApprovalRequested(ask=AskId("a"), turn=T1, command="rm", choices=("once", "deny")),
        e.QuestionAsked(ask=AskId("q"), turn=T1, text="?", choices=("x", "y"), free_text=False),
    )
    before = (await api.get(f"/api/sessions/{session}")).json()["seq"]
    body = {name: session if value == HERE else value for name, value in body.items()}
    refused = await api.post(f"/api/{system.name}/respond", json=body)
    assert refused.status_code == status, refused.text
    assert refused.json()["error"].startswith(error)
    assert "ok" not in refused.json() or refused.json()["ok"] is False
    assert (await api.get(f"/api/sessions/{session}")).json()["seq"] == before


async def test_a_question_that_does_not_wait_is_stale(api: httpx.AsyncClient, session: SessionId) -> None:
    for ask in ("never", None):
        refused = await QUESTIONS.respond(api, session, ask)
        assert refused.json()["stale"] is True
    assert "stale" not in (await APPROVALS.respond(api, session, None)).json()


async def test_a_choice_that_is_not_given_is_a_denial(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """And what other programs' clients say beside it does no harm."""
    await begun(store, session, APPROVALS.ask("a"))
    body = {"session_id": session, "run_id": "r", "mirror_token": "m", "yolo": False}
    taken = await api.post("/api/approval/respond", json=body)
    assert taken.json() == {"ok": True, "choice": "deny", "approval_id": "a"}


@pytest.mark.parametrize("field", ["response", "answer", "choice"])
async def test_a_question_is_answered_under_any_of_three_names(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, field: str
) -> None:
    await begun(store, session, QUESTIONS.ask("q"))
    taken = await api.post("/api/clarify/respond", json={"session_id": session, field: "yes"})
    assert taken.json() == {"ok": True, "response": "yes", "clarify_id": "q"}


@both
def test_a_stranger_is_told_nothing(stranger: httpx.Client, session: SessionId, system: System) -> None:
    for what in ("pending", "stream"):
        assert stranger.get(f"/api/{system.name}/{what}", params={"session_id": session}).status_code == 401
    assert stranger.post(f"/api/{system.name}/respond", json={"session_id": session}).status_code == 401
