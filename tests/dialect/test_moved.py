"""A client that moved with its sessions: it goes on with the ids that it knows."""

from pathlib import Path

import pytest

from tests.dialect.script import Script, names, until
from tests.journeys.patience import wait_until
from tests.transfer.webui import Webui, assistant, user

OLD = "20261118_101112_ab12cd"
STRANGE = "telegram.4711"


@pytest.fixture
def moved(script: Script, tmp_path: Path) -> Script:
    webui = Webui(tmp_path / "state")
    for name in (OLD, STRANGE):
        webui.session(name, [user("Where is the harbour?"), assistant("Behind the second pier.")], title=f"Of {name}")
    started = script.http.post("/api/import", json={"kind": "hermes-webui", "path": str(webui.folder)})
    report = f"/api/imports/{started.json()['report']['id']}"
    wait_until(lambda: script.get(report)["report"]["state"] == "finished", "the end of the import")
    return script


@pytest.mark.parametrize("old", [OLD, STRANGE])
def test_an_old_id_leads_to_the_session_wherever_it_is_named(moved: Script, old: str) -> None:
    """What is answered names the session as it is called here."""
    session = moved.session(old)
    assert (session["title"], len(session["messages"])) == (f"Of {old}", 2)
    here = session["session_id"]
    assert here != old
    assert moved.get("/api/session/status", session_id=old)["session_id"] == here
    assert moved.get("/api/approval/pending", session_id=old) == {"pending": None, "pending_count": 0}
    moved.post("/api/session/update", session_id=old, model="")
    with moved.events("/api/session/stream", session_id=old) as events:
        assert next(events).data["session_id"] == here
        with moved.events(f"/api/sessions/{old}/events") as runs:
            assert next(runs).data["session"]["session_id"] == here
            started = moved.post("/api/chat/start", session_id=old, message="!approve deploy\n!say bye")
            assert (started["session_id"], started["stream_id"].startswith(f"{here}.")) == (here, True)
            asked = until(events, "approval_required")[-1].data
            said = moved.post("/api/approval/respond", session_id=old, approval_id=asked["approval_id"], choice="once")
            assert said["ok"]
            assert names(until(runs, "stream_end"))[-2] == "done"
    assert moved.post("/api/session/rename", session_id=old, title="Mine")["session"]["title"] == "Mine"
    assert moved.session(here)["message_count"] == moved.session(old)["message_count"] > 2
    follows = moved.post("/api/session/new", prev_session_id=old)["session"]
    assert follows["parent_session_id"] == here
    moved.post("/api/session/delete", session_id=old)
    assert moved.http.get("/api/session", params={"session_id": old}).status_code == 404
