"""What a phone listens to: the list, a session in few words, every run; with a bearer and with the cookie."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.dialect.script import Event, Script, names, until
from tests.journeys.house import QUIET, House

pytestmark = pytest.mark.slow
PASSWORD = "a long enough password"


def until_reason(events: Iterator[Event], reason: str) -> Event:
    return next(event for event in events if event.data["reason"] == reason)


def test_the_list_says_that_it_is_another_one_and_why(script: Script) -> None:
    with script.events("/api/sessions/events") as events:
        assert next(events).data["reason"] == "initial"
        session = script.new()
        new = until_reason(events, "session_new").data
        assert (new["type"], new["session_id"]) == ("sessions_changed", session)
        script.start(session, "!approve deploy")
        pending = until_reason(events, "attention_pending").data
        assert pending["session_id"] == session
        assert pending["version"] > new["version"]
        script.post("/api/approval/respond", session_id=session, choice="once")
        assert until_reason(events, "attention_resolved").data["session_id"] == session
        script.post("/api/session/rename", session_id=session, title="Another")
        until_reason(events, "session_update")
        script.post("/api/session/delete", session_id=session)
        assert until_reason(events, "session_delete").data["session_id"] == session


def phone(script: Script) -> None:
    """What the Android client calls, all of it."""
    status = script.http.get("/api/status").json()
    assert {"status", "initialized", "authenticated", "setup_mode"} <= set(status)
    with script.events("/api/sessions/events") as listed:
        assert next(listed).name == "sessions_changed"
        session = script.new()
        assert until_reason(listed, "session_new").data["session_id"] == session
    with script.events("/api/session/stream", session_id=session, known_count=0) as events:
        initial = next(events)
        assert (initial.name, initial.data["message_count"]) == ("initial", 0)
        stream = script.start(session, '!tool read {"path": "a"} 1\n!approve deploy key1\n!say All is well.')
        begun = until(events, "turn_started")
        assert names(begun) == ["server_turn_started", "turn_started"]
        assert (begun[0].data["stream_id"], begun[0].data["recovered"]) == (stream, False)
        activity = until(events, "activity_summary")[-1].data
        assert (activity["tool"], "read" in activity["summary"]) == ("read", True)
        asked = until(events, "approval_required")[-1].data
        assert {"approval_id", "description", "choices", "pending_count", "route"} <= set(asked)
        assert asked["route"].endswith(f"/session/{session}")
        pending = script.get("/api/approval/pending", session_id=session)
        assert (pending["pending"]["approval_id"], pending["pending_count"]) == (asked["approval_id"], 1)
        assert pending["pending"]["choices"] == asked["choices"]
        script.post("/api/approval/respond", session_id=session, approval_id=asked["approval_id"], choice="once")
        ended = until(events, "turn_completed")[-1].data
        assert (ended["status"], ended["summary"].endswith("All is well.")) == ("completed", True)
        updated = until(events, "session-updated")[-1].data
        assert (updated["message_count"], updated["known_count"]) == (4, 0)
        script.start(session, "!fail No.")
        assert "No." in until(events, "turn_failed")[-1].data["error"]
        stream = script.start(session, "!stream 100000 5")
        until(events, "turn_started")
        script.post("/api/chat/cancel", stream_id=stream)
        assert until(events, "turn_completed")[-1].data["status"] == "cancelled"
    page = script.http.get(asked["route"])
    assert page.headers["content-type"].startswith("text/html")


def test_an_android_phone_has_all_that_it_needs_with_a_bearer(script: Script) -> None:
    phone(script)


def test_who_comes_late_is_told_what_waits(script: Script) -> None:
    session = script.new()
    stream = script.start(session, "!approve deploy")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "approval")
    with script.events("/api/session/stream", session_id=session) as events:
        assert next(events).data["active_stream_id"] == stream
        asked = next(events)
        assert (asked.name, asked.data["command"]) == ("approval_required", "deploy")
        script.post("/api/approval/respond", session_id=session, choice="deny")
        until(events, "turn_completed")


def test_every_run_of_a_session_is_told_under_the_same_cursors(script: Script) -> None:
    """First how it is; then each run as its own stream tells it; a cursor goes on across runs."""
    session = script.new()
    path = f"/api/sessions/{session}/events"
    with script.events(path) as events:
        snapshot = next(events)
        assert (snapshot.name, snapshot.data["session"]["session_id"]) == ("session_snapshot", session)
        first = script.say(session, "!stream 10 1")  # how many pieces that comes in depends on the machine
        second = script.say(session, "!say more")
        heard = until(events, "stream_end") + until(events, "stream_end")
        assert [event[:2] for event in heard] == [event[:2] for event in first + second]
    for style in ({"after_event_id": first[1].id}, {}):
        headers = None if style else {"Last-Event-ID": first[1].id}
        with script.events(path, headers, **style) as events:
            rest = until(events, "stream_end") + until(events, "stream_end")
            assert [event[:2] for event in rest] == [event[:2] for event in (first + second)[2:]]
    for late in (second[0], first[-1]):  # who comes back by itself has both, and the header is the newer one
        with script.events(path, {"Last-Event-ID": late.id}, after_event_id=first[1].id) as events:
            rest = until(events, "stream_end")
            everything = first + second
            assert [event[:2] for event in rest] == [event[:2] for event in everything[everything.index(late) + 1 :]]
    with script.events(path, {"Last-Event-ID": "nonsense"}, after_event_id=second[-2].id) as events:
        assert next(events)[:2] == second[-1][:2]
    for bad in ("nonsense", f"{session}.unknown:3", "other.turn:1", f"{first[0].id}9999"):
        with script.events(path, after_event_id=bad) as events:
            assert next(events).name == "session_snapshot", bad


def test_a_run_that_goes_on_is_taken_up_with_its_own_numbers(script: Script) -> None:
    session = script.new()
    stream = script.start(session, "!stream 400 5")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "token")
        with script.events(f"/api/sessions/{session}/events") as others:
            assert next(others).name == "session_snapshot"
            theirs = until(others, "stream_end")
    whole = {event.id: event.name for event in script.follow(stream)}
    assert [(event.id, event.name) for event in theirs] == list(whole.items())[-len(theirs) :]
    assert len(theirs) > 2


# The cookie.


@pytest.fixture
def welcoming(tmp_path: Path) -> Iterator[House]:
    """A house that lets clients sign in by a cookie, and has a password."""
    with House(tmp_path / "cookies", config=f"{QUIET}[dialect]\ncookies = true\n") as house:
        server = house.start()
        with server.client() as owner:
            owner.put("/api/account/password", json={"password": PASSWORD}).raise_for_status()
        yield house


@contextmanager
def signed_in(house: House) -> Generator[Script]:
    with httpx.Client(base_url=house.server.link, timeout=60) as http:
        answer = http.post("/api/auth/login", json={"password": PASSWORD})
        assert answer.status_code == 200, answer.text
        yield Script(http)


def test_an_android_phone_has_all_that_it_needs_with_the_cookie(welcoming: House) -> None:
    with signed_in(welcoming) as script:
        assert script.get("/api/auth/status") == {"auth_enabled": True, "logged_in": True, "cookies": True}
        phone(script)


def test_the_cookie_is_for_this_server_and_no_script_of_a_page_can_read_it(welcoming: House) -> None:
    with httpx.Client(base_url=welcoming.server.link, timeout=60) as http:
        said = http.post("/api/auth/login", json={"password": PASSWORD}).headers["set-cookie"].lower()
    for part in ("holdfast_session=", "httponly", "samesite=strict", "path=/"):
        assert part in said
    assert "secure" not in said.split("; "), "over plain http it would never be sent"


def test_behind_a_proxy_the_cookie_is_for_the_path_and_for_https(tmp_path: Path) -> None:
    """No other program under the same name gets to see it, and no eavesdropper."""
    behind = '[server]\npath = "/tools/holdfast"\nproxies = ["127.0.0.1"]\n'
    with House(tmp_path / "mounted", config=f"{QUIET}[dialect]\ncookies = true\n{behind}") as house:
        server = house.start()
        with server.client() as owner:
            owner.put("/api/account/password", json={"password": PASSWORD}).raise_for_status()
        with signed_in(house) as script:
            (cookie,) = script.http.cookies.jar
            assert (cookie.path, cookie.secure) == ("/tools/holdfast", False)
            assert script.new() in {row["session_id"] for row in script.get("/api/sessions")["sessions"]}
        secure = {"x-forwarded-proto": "https", "x-forwarded-host": "127.0.0.1"}
        answer = httpx.post(f"{server.link}/api/auth/login", json={"password": PASSWORD}, headers=secure)
        assert "secure" in answer.headers["set-cookie"].lower().split("; ")


def test_the_cookie_counts_at_the_dialects_addresses_alone(welcoming: House) -> None:
    """And not for the one read that changes something; the origin is looked at as ever."""
    with signed_in(welcoming) as script:
        session = script.new()
        for method, path in (
            ("GET", f"/api/sessions/{session}"),
            ("POST", "/api/sessions"),
            ("DELETE", f"/api/sessions/{session}"),
            ("GET", "/api/account"),
            ("GET", "/api/stream"),
            ("PUT", "/api/account/password"),
            ("GET", "/ready"),
            ("GET", f"/api/chat/cancel?stream_id={session}.x"),
        ):
            assert script.http.request(method, path).status_code == 401, (method, path)
        assert script.post("/api/chat/cancel", stream_id=f"{session}.x")["cancelled"] is False
        elsewhere = {"origin": "http://127.0.0.1:3000"}
        refused = script.http.post("/api/session/delete", json={"session_id": session}, headers=elsewhere)
        assert refused.status_code == 403
        near = script.http.get("/api/sessions", headers={"sec-fetch-site": "same-site"})
        assert near.status_code == 403


def test_the_token_of_the_home_is_no_cookie(welcoming: House) -> None:
    token = welcoming.server.token
    answer = httpx.get(f"{welcoming.server.link}/api/session", headers={"cookie": f"holdfast_session={token}"})
    assert answer.status_code == 401


def test_signing_out_and_a_new_password_end_the_cookie(welcoming: House) -> None:
    with signed_in(welcoming) as one, signed_in(welcoming) as other:
        kept = one.http.cookies["holdfast_session"]
        session = one.new()
        with one.events("/api/session/stream", session_id=session) as events:
            assert next(events).name == "initial"
            assert one.post("/api/auth/logout") == {"ok": True}
            assert list(events) == [], "what it listened to ends"
        old = {"cookie": f"holdfast_session={kept}"}
        assert httpx.get(f"{welcoming.server.link}/api/sessions", headers=old).status_code == 401
        assert other.http.get("/api/sessions").status_code == 200
        with welcoming.server.client() as owner:
            owner.put("/api/account/password", json={"password": "another long password"}).raise_for_status()
        assert other.http.get("/api/sessions").status_code == 401
        assert other.http.post("/api/auth/login", json={"password": PASSWORD}).status_code == 403


def test_without_the_switch_there_is_no_cookie(script: Script) -> None:
    script.http.put("/api/account/password", json={"password": PASSWORD}).raise_for_status()
    link = str(script.http.base_url)
    answer = httpx.post(f"{link}/api/auth/login", json={"password": PASSWORD})
    assert answer.status_code == 403
    assert "config.toml" in answer.json()["error"]
    assert httpx.get(f"{link}/api/auth/status").json() == {"auth_enabled": True, "logged_in": False, "cookies": False}


def test_how_things_are_is_told_to_whoever_has_a_credential(script: Script) -> None:
    link = str(script.http.base_url)
    assert httpx.get(f"{link}/health").json() == {"status": "ok"}
    assert httpx.get(f"{link}/health", params={"deep": 1}).status_code == 401
    session = script.new()
    stream = script.start(session, "!stream 100000 5")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "token")
        deep = script.get("/health", deep=1)
        assert (deep["status"], deep["sessions"], deep["active_runs"]) == ("ok", 1, 1)
        assert [run["session_id"] for run in deep["runs"]] == [session]
        assert deep["checks"] == {"store": "ok"}
        assert (deep["last_run_finished_at"], deep["idle_seconds_since_last_run"]) == (None, None)
        script.post("/api/chat/cancel", stream_id=stream)
        until(events, "cancel")
    rests = script.get("/health", deep=1)
    assert rests["last_run_finished_at"] - deep["server_started_at"] >= 0
    assert rests["idle_seconds_since_last_run"] >= 0
