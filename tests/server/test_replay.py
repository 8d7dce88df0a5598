"""A turn for its replay, over real HTTP: its outline in one answer, its records in pieces."""

from itertools import accumulate

import httpx

from holdfast.core import events as e
from holdfast.core.ids import AskId, CallId, SessionId, TurnId
from holdfast.store.sqlite.store import SqliteStore
from tests.store.stage import T1, Run, submit


async def test_the_outline_says_when_and_the_records_say_what(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    run = await Run.claim(store, session)
    await run.start()
    call, ask = CallId("c1"), AskId("a1")
    await run.write(
        e.TextAppended(turn=T1, text="I look."),
        e.ToolChanged(turn=T1, call=call, first=True, name="run", status="running"),
        e.ToolChanged(turn=T1, call=call, status="failed", error="No."),
        e.ApprovalRequested(turn=T1, ask=ask, command="rm x"),
    )
    await store.append(session, [e.ApprovalAnswered(ask=ask, choice="once", client="iPhone")])
    await run.write(e.ApprovalDelivered(ask=ask))
    await run.end()
    await store.append(session, [e.SessionChanged(pinned=True)])
    found = (await api.get(f"/api/sessions/{session}/turns/{T1}/outline")).raise_for_status().json()
    assert found["said"]["event"]["turn"] == T1
    assert [record["event"]["kind"] for record in found["decisive"]] == [
        "turn.started",
        "approval.requested",
        "approval.answered",
        "approval.delivered",
        "turn.ended",
    ]
    records = await api.get(
        f"/api/sessions/{session}/records", params={"after": found["first"] - 1, "limit": len(found["times"])}
    )
    told = records.json()["records"]
    assert [record["time"] for record in told] == list(accumulate(found["times"]))
    assert (told[0]["event"]["kind"], told[-1]["event"]["kind"]) == ("turn.started", "turn.ended")
    (failed,) = found["failures"]
    assert told[failed - found["first"]]["event"]["error"] == "No."
    assert found["whole"] is True
    assert found["epoch"] == told[0]["epoch"]


async def test_a_turn_without_a_key_is_found_too(
    api: httpx.AsyncClient, store: SqliteStore, session: SessionId
) -> None:
    """As one of a session that was brought from elsewhere; one that left the transcript is still in the log."""
    turn = TurnId("elsewhere")
    run = await Run.claim(store, session)
    await store.append(session, [e.TurnSubmitted(turn=turn, text="Hello")])
    await run.write(e.TurnStarted(turn=turn), e.TurnEnded(turn=turn, outcome="completed"))
    await store.append(session, [e.HistoryTruncated(turn=turn)])
    found = (await api.get(f"/api/sessions/{session}/turns/{turn}/outline")).raise_for_status().json()
    assert len(found["times"]) == 2


async def test_what_is_not_there_is_refused(api: httpx.AsyncClient, store: SqliteStore, session: SessionId) -> None:
    await submit(store, T1, "Waits", session=session)
    assert (await api.get(f"/api/sessions/{session}/turns/{T1}/outline")).status_code == 404  # it has not begun
    assert (await api.get(f"/api/sessions/{session}/turns/none/outline")).status_code == 404
    assert (await api.get(f"/api/sessions/none/turns/{T1}/outline")).status_code == 404
    assert (await api.get(f"/api/sessions/{session}/records", params={"limit": 5_001})).status_code == 400
    assert (await api.get(f"/api/sessions/{session}/records", params={"limit": 0})).status_code == 400
    await store.append(session, [e.SessionDeleted()])
    assert (await api.get(f"/api/sessions/{session}/turns/{T1}/outline")).status_code == 404


def test_a_stranger_is_told_nothing(stranger: httpx.Client) -> None:
    assert stranger.get("/api/sessions/s1/turns/t1/outline").status_code == 401
