"""Sessions as a client of hermes-webui keeps them: begin, list, find, rename, pin, put away, shorten, delete."""

import json
from pathlib import Path

import pytest

from tests.dialect.script import Script, text, until
from tests.journeys.patience import wait_until

pytestmark = pytest.mark.slow

ROLES = ["user", "assistant", "user", "assistant", "assistant", "user", "assistant"]
NATIVE = {"id", "title", "state", "change", "unseen", "waiting", "active_at", "created"}
ROW = {
    "session_id", "title", "workspace", "model", "message_count", "created_at", "updated_at", "last_message_at",
    "pinned", "archived", "project_id", "profile", "active_stream_id", "has_pending_user_message",
    "is_streaming", "attention",
}  # fmt: skip


def test_a_new_session_has_its_predecessor_committed_to_memory(script: Script, tmp_path: Path) -> None:
    """Behind it: the new session is answered at once. An empty or unknown predecessor is none."""
    (tmp_path / "work").mkdir()
    calls = tmp_path / "work" / "memory.jsonl"
    calls.touch()
    before = script.new(workspace=str(tmp_path / "work"))
    script.say(before, "!say done")
    answer = script.post("/api/session/new", prev_session_id=before)
    assert answer["session"]["messages"] == []
    assert answer["session"]["parent_session_id"] == before
    wait_until(lambda: calls.read_text().splitlines(), "the commit")
    (call,) = map(json.loads, calls.read_text().splitlines())
    assert call["token"] == f"{before}:1-1"
    for nobody in ("", None, "unknown", "not an id!"):
        assert script.new(prev_session_id=nobody)


def test_the_list_has_the_fields_of_both_languages(script: Script) -> None:
    session, other = script.new(), script.new()
    script.say(session, "!say done")
    listed = script.get("/api/sessions")
    rows = {row["session_id"]: row for row in listed["sessions"]}
    assert set(rows) == {session, other}
    for row in rows.values():
        assert set(row) >= ROW | NATIVE
        assert row["id"] == row["session_id"]
    assert (rows[session]["message_count"], rows[other]["message_count"]) == (1, 0)
    assert (listed["cursor"], listed["archived_count"], listed["include_archived"]) == (None, 0, False)
    assert {"change", "lineage", "server_time", "active_profile"} <= set(listed)
    native = script.get("/api/sessions", limit=1)
    assert set(native) == {"sessions", "cursor", "change", "lineage"}
    assert not set(native["sessions"][0]) & {"session_id", "is_streaming"}


def test_a_session_that_runs_or_waits_says_so_in_the_list(script: Script) -> None:
    session = script.new()
    stream = script.start(session, "!approve deploy")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "approval")
        (row,) = script.get("/api/sessions")["sessions"]
        assert (row["active_stream_id"], row["is_streaming"], row["has_pending_user_message"]) == (stream, True, True)
        assert row["attention"] == {"kind": "approval", "count": 1}
        script.post("/api/approval/respond", session_id=session, choice="deny")
        until(events, "stream_end")
    (row,) = script.get("/api/sessions")["sessions"]
    assert (row["active_stream_id"], row["is_streaming"], row["attention"]) == (None, False, None)


def test_the_archive_is_read_in_pages_until_one_is_empty(script: Script) -> None:
    for _ in range(5):
        script.post("/api/session/archive", session_id=script.new(), archived=True)
    kept = [row["session_id"] for row in script.get("/api/sessions", include_archived=1)["sessions"]]
    paged: list[str] = []
    while page := _archived(script, len(paged)):
        assert len(page) <= 2
        paged += page
    assert (len(kept), paged) == (5, kept)
    assert script.get("/api/sessions", archived_offset=1)["sessions"] == []


def _archived(script: Script, offset: int) -> list[str]:
    page = script.get("/api/sessions", include_archived=1, archived_limit=2, archived_offset=offset)
    assert page["archived_count"] == 5, "it counts all of them"
    return [row["session_id"] for row in page["sessions"]]


def test_a_session_is_renamed_pinned_moved_put_away_and_deleted(script: Script) -> None:
    session = script.new(project_id="one")
    assert script.session(session)["title"] == "Untitled"
    renamed = script.post("/api/session/rename", session_id=session, title="A name")
    assert (renamed["ok"], renamed["session"]["title"]) == (True, "A name")
    assert script.post("/api/session/pin", session_id=session, pinned=True)["session"]["pinned"]
    assert not script.post("/api/session/pin", session_id=session, pinned=False)["session"]["pinned"]
    assert script.post("/api/session/move", session_id=session, project_id="two")["session"]["project_id"] == "two"
    assert script.post("/api/session/move", session_id=session, project_id=None)["session"]["project_id"] is None
    assert script.post("/api/session/update", session_id=session, model="m1")["session"]["model"] == "m1"
    refused = {"session_id": session, "model": "m2", "title": " "}
    assert script.http.post("/api/session/update", json=refused).status_code == 400
    assert script.session(session)["model"] == "m1"
    assert script.post("/api/session/archive", session_id=session, archived=True)["session"]["archived"]
    assert script.get("/api/sessions")["sessions"] == []
    assert script.get("/api/sessions")["archived_count"] == 1
    (row,) = script.get("/api/sessions", include_archived=1)["sessions"]
    assert (row["session_id"], row["title"], row["archived"]) == (session, "A name", True)
    gone = script.post("/api/session/delete", session_id=session)
    assert gone == {"ok": True, "state_db_cleanup_failed": False}
    assert script.http.get("/api/session", params={"session_id": session}).status_code == 404
    assert script.http.post("/api/session/delete", json={"session_id": session}).status_code == 404
    assert script.http.post("/api/session/rename", json={"session_id": session, "title": "x"}).status_code == 404


def test_messages_are_read_in_stretches(script: Script) -> None:
    """An index counts from the first message of all; tools point into the stretch that they came with."""
    session = script.new()
    for number in range(1, 5):
        script.say(session, f'!say {number}\n!tool read {{"n": {number}}} 1')
    whole = script.session(session)
    assert (len(whole["messages"]), whole["_messages_offset"], whole["_messages_truncated"]) == (8, 0, False)
    last = script.session(session, msg_limit=3)
    assert last["messages"] == whole["messages"][5:]
    assert (last["_messages_offset"], last["_messages_truncated"], last["_msg_limit_max"]) == (5, True, 500)
    assert [(tool["args"]["n"], tool["assistant_msg_idx"]) for tool in last["tool_calls"]] == [(3, 0), (4, 2)]
    before = script.session(session, msg_limit=3, msg_before=last["_messages_offset"])
    assert before["messages"] == whole["messages"][2:5]
    assert script.session(session, msg_before=2)["messages"] == whole["messages"][:2]
    bare = script.session(session, messages=0)
    assert "messages" not in bare
    assert bare["message_count"] == 8


def test_a_long_session_is_whole_and_in_order(script: Script) -> None:
    """Over several pages of the store, and with a text that is longer than what is kept in one piece."""
    session = script.new()
    long = script.say(session, "!bytes 30000")
    calls = "\n".join(f'!tool read {{"n": {number}}} 0' for number in range(150))
    script.say(session, f"{calls}\n!say after")
    script.say(session, "!say last")
    said = script.session(session)
    assert [message["role"] for message in said["messages"]] == ROLES
    assert said["messages"][1]["content"] == text(long)
    assert len(said["messages"][1]["content"].encode()) == 30000
    assert [message["content"] for message in said["messages"][-3:]] == ["after", "!say last", "last"]
    assert [tool["args"]["n"] for tool in said["tool_calls"]] == list(range(150))
    assert {tool["assistant_msg_idx"] for tool in said["tool_calls"]} == {3}


def test_the_transcript_is_shortened_by_whole_turns(script: Script) -> None:
    """What is kept is kept as it was; a count that would cut a turn in two is refused with those that would not."""
    session = script.new()
    for number in range(1, 5):
        script.say(session, f"!say {number}")
    whole = script.session(session)["messages"]
    refused = script.http.post("/api/session/truncate", json={"session_id": session, "keep_count": 5})
    assert refused.status_code == 400
    assert "4 or 6" in refused.json()["error"]
    shorter = script.post("/api/session/truncate", session_id=session, keep_count=6)
    assert (shorter["ok"], shorter["session"]["message_count"]) == (True, 6)
    assert script.session(session)["messages"] == whole[:6]
    assert script.post("/api/session/truncate", session_id=session, keep_count=99)["session"]["message_count"] == 6
    undone = script.post("/api/session/undo", session_id=session)
    assert undone == {"ok": True, "removed_count": 2, "removed_preview": "!say 3"}
    again = script.post("/api/session/retry", session_id=session)
    assert again == {"ok": True, "removed_count": 2, "last_user_text": "!say 2"}
    script.say(session, again["last_user_text"])
    assert [message["content"] for message in script.session(session)["messages"]] == ["!say 1", "1", "!say 2", "2"]
    assert script.post("/api/session/clear", session_id=session)["session"]["message_count"] == 0
    assert script.session(session)["messages"] == []
    assert script.post("/api/session/retry", session_id=session) == {"error": "No previous message to retry."}
    assert script.post("/api/session/undo", session_id=session) == {"error": "Nothing to undo."}


def test_a_session_that_runs_is_not_shortened(script: Script) -> None:
    session = script.new()
    stream = script.start(session, "!stream 100000 5")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "token")
        assert script.http.post("/api/session/clear", json={"session_id": session}).status_code == 409
        script.post("/api/chat/cancel", stream_id=stream)
        until(events, "cancel")
    script.post("/api/session/clear", session_id=session)


def test_sessions_are_found_by_title_and_by_what_was_said(script: Script) -> None:
    session, other = script.new(), script.new()
    script.say(session, "!say The pangolin sleeps.")
    script.post("/api/session/rename", session_id=other, title="About a pangolin")
    found = script.get("/api/sessions/search", q="pangolin")
    kinds = {row["session_id"]: row["match_type"] for row in found["sessions"]}
    assert (kinds, found["count"], found["query"]) == ({session: "content", other: "title"}, 2, "pangolin")
    assert any("pangolin" in row["match_preview"] for row in found["sessions"])
    titles = script.get("/api/sessions/search", q="pangolin", content=0)
    assert [row["session_id"] for row in titles["sessions"]] == [other]


def test_a_session_says_how_it_stands_and_what_it_used(script: Script) -> None:
    session = script.new()
    script.say(session, "!usage 100 20\n!say done")
    status = script.get("/api/session/status", session_id=session)
    assert (status["session_id"], status["message_count"], status["agent_running"]) == (session, 2, False)
    usage = script.get("/api/session/usage", session_id=session)
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (100, 20, 120)


def test_no_session_can_be_called_what_an_address_is_called(script: Script) -> None:
    for name in ("events", "search"):
        assert script.http.post("/api/sessions", json={"id": name}).status_code == 400
