"""Approvals and questions over real HTTP: oldest first, each answered once, the first answer wins."""

import asyncio

import httpx
import pytest

from holdfast.core import events as e
from holdfast.core.ids import AskId, SessionId
from holdfast.store.sqlite.store import SqliteStore
from tests.store.stage import T1, Run


def approval(name: str) -> e.ApprovalRequested:
    return e.ApprovalRequested(ask=AskId(name), turn=T1, command=f"run {name}")


def question(name: str, **fields: object) -> e.QuestionAsked:
    return e.QuestionAsked(ask=AskId(name), turn=T1, text=f"{name}?", **fields)  # pyright: ignore[reportArgumentType]  a test's own fields


async def begun(store: SqliteStore, session: SessionId, *asks: e.Event) -> Run:
    run = await Run.claim(store, session)
    await run.start(T1)
    await run.write(*asks)
    return run


async def waiting(api: httpx.AsyncClient, session: SessionId) -> tuple[str | None, int]:
    answer = (await api.get(f"/api/sessions/{session}/asks")).json()
    assert answer["count"] == len(answer["asks"])
    return answer["head"] and answer["head"]["ask"], answer["count"]


@pytest.mark.contract("A2")
@pytest.mark.contract("A5")
async def test_the_oldest_is_the_head_and_any_can_be_answered(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    await begun(store, session, approval("a"), question("b"), approval("c"))
    assert await waiting(api, session) == ("a", 3)
    assert (await api.post(f"/api/sessions/{session}/asks/b", json={"text": "yes"})).status_code == 200
    assert await waiting(api, session) == ("a", 2)
    assert (await api.post(f"/api/sessions/{session}/asks/a", json={"choice": "once"})).status_code == 200
    assert await waiting(api, session) == ("c", 1)
    assert (await api.post(f"/api/sessions/{session}/asks/c", json={"choice": "deny", "reason": "no"})).json() == {
        "session": session,
        "ask": "c",
        "seq": 10,
        "reason_goes": "turn",
    }
    assert await waiting(api, session) == (None, 0)


@pytest.mark.contract("A9")
async def test_of_two_answers_at_once_one_counts_and_the_other_is_told_which(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    await begun(store, session, approval("a"))
    address = f"/api/sessions/{session}/asks/a"
    both = await asyncio.gather(
        api.post(address, json={"choice": "once"}, headers={"holdfast-client": "desk"}),
        api.post(address, json={"choice": "deny"}, headers={"holdfast-client": "phone"}),
    )
    assert sorted(answer.status_code for answer in both) == [200, 409]
    (won,) = [answer.json() for answer in both if answer.status_code == 200]
    (lost,) = [answer.json() for answer in both if answer.status_code == 409]
    assert lost["record"]["seq"] == won["seq"]
    assert lost["record"]["event"]["choice"] in lost["error"]
    state = (await api.get(f"/api/sessions/{session}")).json()["session"]
    assert state["turns"][T1]["items"]["1"]["choice"] == lost["record"]["event"]["choice"]


@pytest.mark.contract("A5")
async def test_an_answer_that_is_delivered_stays_the_answer_however_long_ago(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await begun(store, session, approval("a"))
    address = f"/api/sessions/{session}/asks/a"
    first = await api.post(address, json={"choice": "once"})
    await run.write(e.ApprovalDelivered(ask=AskId("a")))
    await run.end()
    for number in range(60):
        await run.talk(e.TurnId(f"later-{number}"), "and?", "so.")
    again = await api.post(address, json={"choice": "once"})
    assert (again.status_code, again.json()) == (200, first.json())
    other = await api.post(address, json={"choice": "deny"})
    assert other.status_code == 409
    assert other.json()["error"] == "This was answered before: once."
    assert (await api.post(f"/api/sessions/{session}/asks/never", json={"choice": "once"})).status_code == 404


@pytest.mark.contract("A9")
async def test_an_answer_after_the_end_of_the_run_counts_for_nothing(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await begun(store, session, approval("a"), question("b"))
    await run.end(outcome="interrupted")
    for name, answer in (("a", {"choice": "once"}), ("b", {"text": "x"})):
        refused = await api.post(f"/api/sessions/{session}/asks/{name}", json=answer)
        assert refused.status_code == 409
        assert refused.json()["error"] == "This ended without an answer: its run was over first."


@pytest.mark.parametrize(
    ("ask", "answer", "status"),
    [
        ("a", {"choice": "perhaps"}, 400),
        ("a", {}, 400),
        ("a", {"choice": "once", "text": "x"}, 400),
        ("a", {"text": "x"}, 400),
        ("b", {"choice": "once"}, 400),
        ("b", {"text": "other"}, 400),
        ("unknown", {"choice": "once"}, 404),
    ],
)
async def test_an_answer_that_does_not_fit_is_refused_and_changes_nothing(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId, ask: str, answer: dict[str, str], status: int
) -> None:
    await begun(store, session, approval("a"), question("b", choices=("x", "y"), free_text=False))
    refused = await api.post(f"/api/sessions/{session}/asks/{ask}", json=answer)
    assert refused.status_code == status
    assert await waiting(api, session) == ("a", 2)
