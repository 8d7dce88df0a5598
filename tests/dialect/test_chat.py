"""A message and its run, as a client of hermes-webui has them."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from holdfast.core.ids import SessionId
from tests.dialect.script import CLOSING, Event, Script, events_of, names, text, until
from tests.journeys.house import House
from tests.journeys.patience import wait_until

pytestmark = pytest.mark.slow

TOUR = "\n".join(
    [
        "!think Let me look.",
        '!tool read {"path": "README.md"} 1 112 lines',
        "!stream 20 1",
        "!usage 1200 345",
    ]
)


def test_a_run_is_told_from_its_first_word_to_its_last(script: Script) -> None:
    """Event names and payloads are those of the wire; numbers count from 1; the stream closes after `stream_end`."""
    session = script.new()
    stream = script.start(session, TOUR)
    heard = script.follow(stream)
    assert [event.id for event in heard] == [f"{stream}:{number}" for number in range(1, len(heard) + 1)]
    assert names(heard)[0] == "context_status"
    assert heard[0].data["session_id"] == session
    assert names(heard)[-2:] == ["done", "stream_end"]
    assert text(heard, "reasoning") == "Let me look."
    assert text(heard).split() == [f"word{number}" for number in range(1, 21)]
    (tool,) = [event.data for event in heard if event.name == "tool"]
    (complete,) = [event.data for event in heard if event.name == "tool_complete"]
    assert (tool["event_type"], tool["name"], tool["args"], tool["preview"], tool["is_error"]) == (
        "tool.started",
        "read",
        {"path": "README.md"},
        None,
        False,
    )
    assert (complete["event_type"], complete["preview"], complete["tid"]) == (
        "tool.completed",
        "112 lines",
        tool["tid"],
    )
    done, end = heard[-2].data, heard[-1].data
    assert (done["usage"]["input_tokens"], done["usage"]["output_tokens"]) == (1200, 345)
    assert done["session"]["session_id"] == session
    assert "messages" not in done["session"], "the transcript comes where it is asked for"
    assert end == {"session_id": session}
    full = script.follow(stream, replay=1, full=1)
    assert full[-2].data["session"]["messages"] == script.session(session)["messages"]
    assert [event[:2] for event in full] == [event[:2] for event in heard]


@pytest.mark.contract("W3")
def test_W3_what_was_said_is_there_with_its_time_and_its_tools(script: Script) -> None:  # noqa: N802
    session = script.new()
    before = script.session(session)
    assert (before["messages"], before["tool_calls"]) == ([], [])
    started = script.post("/api/chat/start", session_id=session, message=TOUR)
    script.follow(started["stream_id"])
    said = script.session(session)
    user, thought, answer = said["messages"]
    assert (user["role"], user["content"], user["attachments"]) == ("user", TOUR, [])
    assert user["timestamp"] == started["pending_started_at"]
    assert isinstance(user["timestamp"], int)
    assert (thought["role"], thought["content"], thought["reasoning"]) == ("assistant", "", "Let me look.")
    assert answer["content"].startswith("word1 word2")
    assert {key for message in said["messages"] for key in message if key.startswith("_")} == set()
    (tool,) = said["tool_calls"]
    assert (tool["name"], tool["args"], tool["done"], tool["assistant_msg_idx"]) == (
        "read",
        {"path": "README.md"},
        True,
        1,
    )
    assert said["message_count"] == 3
    assert (said["input_tokens"], said["output_tokens"], said["total_tokens"]) == (1200, 345, 1545)


@pytest.mark.contract("W8")
def test_W8_a_message_is_pending_until_it_stands_in_the_transcript(script: Script) -> None:  # noqa: N802
    """And an idle session has nothing pending."""
    session = script.new()
    blob = script.http.post("/api/files?name=a.txt", content=b"hello", headers={"content-type": "text/plain"}).json()
    started = script.post("/api/chat/start", session_id=session, message="!stream 100000 5", attachments=[blob])
    stream = started["stream_id"]
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "token")
        runs = script.session(session)
        assert runs["messages"] == []
        assert (runs["active_stream_id"], runs["pending_user_message"]) == (stream, "!stream 100000 5")
        assert runs["pending_started_at"] == started["pending_started_at"]
        assert runs["pending_attachments"] == [blob]
        refused = script.http.post("/api/chat/start", json={"session_id": session, "message": "more"})
        assert refused.status_code == 409
        assert refused.json()["error"] == "session already has an active stream"
        assert refused.json()["active_stream_id"] == stream
        assert script.get("/api/chat/cancel", stream_id=stream) == {"ok": True, "cancelled": True, "stream_id": stream}
        last = until(events, "cancel")[-1].data["session"]
    idle = script.session(session)
    assert last == script.session(session, messages=0)
    (whole,) = [event.data["session"] for event in script.follow(stream, full=1) if event.name == "cancel"]
    assert whole["messages"] == idle["messages"]
    assert [idle[name] for name in ("active_stream_id", "pending_user_message", "pending_started_at")] == [None] * 3
    assert idle["pending_attachments"] == []
    assert idle["messages"][0]["attachments"] == [blob]


def _follow(script: Script, stream: str, style: str, cursor: str) -> list[Event]:
    match style:
        case "after_seq":
            return script.follow(stream, after_seq=cursor.rpartition(":")[2])
        case "after_event_id":
            return script.follow(stream, after_event_id=cursor)
        case _:
            return script.follow(stream, headers={"Last-Event-ID": cursor})


STYLES = ["after_seq", "after_event_id", "Last-Event-ID"]


def test_every_style_of_cursor_goes_on_where_it_was_and_a_bad_one_starts_over(script: Script) -> None:
    session = script.new()
    other = script.say(session, "!say other")
    stream = script.start(session, TOUR)
    heard = script.follow(stream)
    for style in STYLES:
        for place in (1, 5, len(heard) - 1):
            assert _follow(script, stream, style, heard[place - 1].id) == heard[place:], (style, place)
        ahead = f"{stream}:{len(heard) + 1}"
        for bad in (ahead, other[0].id, "nonsense", f"{stream}:x", f"{stream}:-1", "0"):
            if style == "after_seq" and bad == other[0].id:
                continue
            assert _follow(script, stream, style, bad) == heard, (style, bad)
    assert script.follow(stream, replay=1, after_seq=5) == heard


@pytest.mark.parametrize("named", ["after_seq", "after_event_id", "replay"])
def test_a_browser_that_comes_back_by_itself_is_told_nothing_twice(script: Script, named: str) -> None:
    """It comes to the address that it had, with an older cursor in it, and says in the header what it heard last."""
    stream = script.start(script.new(), TOUR)
    heard = script.follow(stream)
    address = {"after_seq": "2", "after_event_id": heard[1].id, "replay": "1"}[named]
    later, other = {"Last-Event-ID": heard[5].id}, {"Last-Event-ID": "nonsense"}
    assert script.follow(stream, headers=later, **{named: address}) == heard[6:]
    assert script.follow(stream, headers=other, **{named: address}) == (heard if named == "replay" else heard[2:])
    earlier = {"Last-Event-ID": heard[0].id}
    assert script.follow(stream, headers=earlier, **{named: address}) == heard[1 if named == "replay" else 2 :]


@pytest.mark.parametrize("style", STYLES)
def test_a_client_that_loses_the_server_goes_on_by_its_cursor(script: Script, house: House, style: str) -> None:
    """The same run, each event once and in order, though another server tells the rest."""
    session = script.new()
    stream = script.start(session, "!stream 400 10")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        heard = [next(events) for _ in range(30)]
    house.kill()
    house.start()
    with house.server.client() as http:
        heard += _follow(Script(http), stream, style, heard[-1].id)
    assert [event.id for event in heard] == [f"{stream}:{number}" for number in range(1, len(heard) + 1)]
    assert text(heard).split() == [f"word{number}" for number in range(1, 401)]
    assert [event.name for event in heard if event.name in CLOSING] == ["stream_end"]


def test_a_stream_says_how_it_stands(script: Script) -> None:
    session = script.new()
    stream = script.start(session, "!stream 100000 5")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "token")
        status = script.get("/api/chat/stream/status", stream_id=stream)
        assert (status["active"], status["replay_available"], status["journal"]["terminal"]) == (True, True, False)
        script.post("/api/chat/cancel", stream_id=stream)
        last = until(events, "cancel")[-1]
    status = script.get("/api/chat/stream/status", stream_id=stream)
    journal = status["journal"]
    assert (status["active"], journal["terminal"], journal["terminal_state"]) == (False, True, "interrupted-by-user")
    assert (journal["session_id"], journal["run_id"]) == (session, stream)
    assert (journal["last_event"], journal["last_event_id"]) == ("cancel", last.id)
    assert journal["last_seq"] == int(last.id.rpartition(":")[2])
    unknown = script.get("/api/chat/stream/status", stream_id=f"{session}.unknown")
    assert (unknown["active"], unknown["replay_available"]) == (False, False)


def test_a_silent_stream_shows_signs_of_life(script: Script) -> None:
    """A comment, while nothing is said."""
    stream = script.start(script.new(), "!sleep 600000")
    with script.http.stream("GET", "/api/chat/stream", params={"stream_id": stream}) as answer:
        assert Event(":", "", "heartbeat") in events_of(answer)
    assert script.http.post(f"/api/chat/cancel?stream_id={stream}").json()["cancelled"], "a body is not needed"
    assert names(script.follow(stream)) == ["context_status", "cancel"]


def test_a_run_that_died_unseen_is_no_reason_to_refuse_a_message(script: Script, house: House) -> None:
    session = script.new()
    stream = script.start(session, "!stream 100000 5")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "token")
    house.end_runner(SessionId(session))
    assert names(script.say(session, "!say on"))[-1] == "stream_end"
    assert [message.get("type") for message in script.session(session)["messages"]][2] == "interrupted"


def test_asks_are_told_in_the_stream_and_answered_beside_it(script: Script) -> None:
    session = script.new()
    stream = script.start(session, "!approve deploy key1\n!ask Which? | a | b\n!say bye")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        approval = until(events, "approval")[-1].data
        assert (approval["command"], approval["pattern_keys"], approval["pending_count"]) == ("deploy", ["key1"], 1)
        pending = script.get("/api/approval/pending", session_id=session)
        assert pending["pending"]["approval_id"] == approval["approval_id"]
        script.post("/api/approval/respond", session_id=session, choice="once", approval_id=approval["approval_id"])
        clarify = until(events, "clarify")[-1].data
        assert (clarify["question"], clarify["choices_offered"]) == ("Which?", ["a", "b"])
        script.post("/api/clarify/respond", session_id=session, response="b", clarify_id=clarify["clarify_id"])
        rest = until(events, "stream_end")
    assert text(rest).endswith("answer:b\n\nbye")
    said = [message["content"] for message in script.session(session)["messages"][1:]]
    assert said == ["approved:once", "answer:b", "bye"]


def test_words_for_a_run_are_taken_or_the_client_is_told_why_not(script: Script) -> None:
    session = script.new()
    nothing = {"accepted": False, "stream_id": None}
    said = script.post("/api/chat/steer", session_id="unknown", text="x")
    assert said == nothing | {"fallback": "session_not_found"}
    said = script.post("/api/chat/steer", session_id=session, text="x")
    assert said == nothing | {"fallback": "not_running"}
    stream = script.start(session, "!stream 100000 5")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        until(events, "token")
        said = script.post("/api/chat/steer", session_id=session, text="hurry")
        assert said == {"accepted": True, "fallback": None, "stream_id": stream}
        script.post("/api/chat/cancel", stream_id=stream)
        until(events, "cancel")


def test_the_end_of_a_failed_run_is_an_apperror(script: Script) -> None:
    session = script.new()
    heard = script.say(session, "!say so far\n!fail The model is gone.")
    assert names(heard)[-1] == "apperror"
    assert (heard[-1].data["type"], "The model is gone." in heard[-1].data["message"]) == ("error", True)
    user, partial, marker = script.session(session)["messages"]
    assert user["role"] == "user"
    assert (partial["content"], partial["_partial"]) == ("so far", True)
    assert (marker["role"], marker["_error"]) == ("assistant", True)
    assert "The model is gone." in marker["content"]


def test_of_two_messages_at_once_one_is_sent_and_the_other_is_refused(script: Script, house: House) -> None:
    """Refused is as if never sent: what it wanted to be otherwise is as it was, too."""
    session = script.new()

    def start(number: int) -> httpx.Response:
        with house.server.client() as http:
            wish = {"message": f"!say {number}\n!sleep 3000", "model": f"model-{number}"}
            return http.post("/api/chat/start", json={"session_id": session, **wish})

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(start, range(8)))
    (won,) = [number for number, answer in enumerate(answers) if answer.status_code == 200]
    assert script.session(session)["model"] == f"model-{won}"
    assert sorted(answer.status_code for answer in answers) == [200, *[409] * 7]
    (stream,) = [answer.json()["stream_id"] for answer in answers if answer.status_code == 200]
    assert {answer.json()["active_stream_id"] for answer in answers if answer.status_code == 409} == {stream}
    assert start(8).status_code == 409
    assert script.session(session)["model"] == f"model-{won}"
    script.follow(stream)
    wait_until(lambda: script.session(session)["active_stream_id"] is None, "an idle session")
    assert [message["role"] for message in script.session(session)["messages"]] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("path", "params", "status", "error"),
    [
        ("/api/session", {}, 400, "session_id is required"),
        ("/api/session", {"session_id": "unknown"}, 404, None),
        ("/api/chat/stream", {}, 400, "stream_id is required"),
        ("/api/chat/stream", {"stream_id": "unknown"}, 404, "stream not found"),
        ("/api/chat/stream", {"stream_id": "unknown.unknown"}, 404, "stream not found"),
        ("/api/chat/cancel", {}, 400, "stream_id is required"),
    ],
)
def test_what_is_wrong_is_said_as_the_wire_says_it(
    script: Script, path: str, params: dict[str, str], status: int, error: str | None
) -> None:
    answer = script.http.get(path, params=params)
    assert answer.status_code == status
    assert answer.json()["error"] == error or error is None
