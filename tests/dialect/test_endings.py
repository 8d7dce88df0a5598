"""Runs that did not end well: cancelled, dead, recovered. Nothing that was streamed is lost to the client's wire."""
# ruff: noqa: N802  tests name the rule they show

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.core.ids import SessionId
from holdfast.endpoints import Endpoint, save_endpoint
from holdfast.settings import Settings
from tests.agents.builtin.model import Model, serving
from tests.dialect.script import Event, Json, Script, names, text, until
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.trouble import shut

pytestmark = [pytest.mark.slow, pytest.mark.crash]

RETRY = {
    "_pending_journal_recovery",
    "_journal_retry_stream_id",
    "_journal_retry_attempts",
    "_journal_retry_first_seen_ts",
}


def cancelled(script: Script, session: str, message: str, after: str) -> list[Event]:
    """A run that is stopped when the first event of this name was heard; all that it told."""
    stream = script.start(session, message)
    with script.events("/api/chat/stream", stream_id=stream) as events:
        heard = until(events, after)
        assert script.post("/api/chat/cancel", stream_id=stream)["cancelled"]
        heard += until(events, "cancel")
        assert list(events) == [], "the stream closes"
    assert not script.post("/api/chat/cancel", stream_id=stream)["cancelled"], "what is over is not stopped again"
    return heard


@pytest.mark.contract("W4")
@pytest.mark.contract("W5")
def test_W4_a_cancelled_run_keeps_all_that_was_streamed_in_one_partial_message(script: Script) -> None:
    """Reasoning, text, a finished tool and one that was cut off, word for word as streamed; then one marker."""
    session = script.new()
    message = (
        '!thinkstream 3 1\n!say Looking.\n!tool read {"path": "a"} 1 found\n!stream 5 1\n!tool edit {"to": [1]} 60000'
    )
    stream = script.start(session, message)
    with script.events("/api/chat/stream", stream_id=stream) as events:
        heard = until(events, "tool_complete") + until(events, "tool")
        script.post("/api/chat/cancel", stream_id=stream)
        until(events, "cancel")
    user, partial, marker = script.session(session)["messages"]
    assert (user["role"], user["content"]) == ("user", message)
    assert (partial["role"], partial["_partial"]) == ("assistant", True)
    assert partial["content"] == text(heard)
    assert partial["reasoning"] == text(heard, "reasoning") == "thought1 thought2 thought3"
    assert [(tool["name"], tool["args"], tool["done"]) for tool in partial["_partial_tool_calls"]] == [
        ("read", {"path": "a"}, True),
        ("edit", {"to": [1]}, False),
    ]
    assert (marker["role"], marker["_error"]) == ("assistant", True)
    assert "Task cancelled." in marker["content"]
    assert not RETRY & set(marker)


@pytest.mark.contract("W4")
def test_W4_reasoning_alone_is_kept_and_a_run_without_a_word_leaves_only_its_marker(script: Script) -> None:
    session = script.new()
    heard = cancelled(script, session, "!thinkstream 100000 5", "reasoning")
    _, partial, _ = script.session(session)["messages"]
    assert (partial["content"], partial["_partial"]) == ("", True)
    assert partial["reasoning"] == text(heard, "reasoning")
    assert "_partial_tool_calls" not in partial
    cancelled(script, session, "!sleep 60000", "context_status")
    assert [message["role"] for message in script.session(session)["messages"][3:]] == ["user", "assistant"]
    assert script.session(session)["messages"][-1]["_error"]


@pytest.fixture
def model(house: House) -> Iterator[Model]:
    """A model that the built-in agent of the house uses."""
    with serving() as model:
        save_endpoint(Settings(home=house.home), Endpoint(name="mock", base_url=model.url, models=("mock-1",)))
        yield model


@pytest.mark.contract("W4")
@pytest.mark.contract("W5")
def test_W4_a_model_is_sent_the_partial_answer_and_no_marker(script: Script, model: Model) -> None:
    session = script.http.post("/api/sessions", json={"agent": "builtin"}).json()["id"]  # the dialect names no agent
    cancelled(script, session, "!stream 100000 20", "token")
    script.say(session, "!say And on.")
    partial = script.session(session)["messages"][1]["content"]
    assert partial.startswith("word1")
    assert any(partial.strip() in said for said in model.heard("assistant"))
    assert not any("Task cancelled" in str(message) for message in model.last)


class Wreck:
    """A run that died with some of its output in a spool which can't be read now; the first turn ended well."""

    def __init__(self, house: House, script: Script) -> None:
        self.house, self.script = house, script
        self.session = script.new()
        script.say(self.session, "!say before")
        committed = script.http.post(f"/api/sessions/{self.session}/memory/commit").json()
        assert committed["committed"], "otherwise a runner would come for it, and write"
        self.message = '!think Well.\n!stream 300 5\n!tool read {"path": "b"} 1 all\n!stream 100000 5'
        self.stream = script.start(self.session, self.message)
        with script.events("/api/chat/stream", stream_id=self.stream) as events:
            self.heard = until(events, "token")
            with shut(house.home / "store"):
                wait_until(lambda: b'"tool.changed"' in self._kept(), "a tool that was kept aside")
                seen = len(self._kept())
                wait_until(lambda: len(self._kept()) > seen, "words after it")
                house.end_runner(SessionId(self.session))
                self.spool = self._spool()
                self.hidden = self.spool.rename(house.home / "hidden")
                self.spool.mkdir()
            self.heard += until(events, "apperror")
        wait_until(lambda: set(self.marker) >= RETRY, "a marker whose recovery is pending")

    def _spool(self) -> Path:
        (path,) = (self.house.home / "spools").glob(f"{self.session}.*.spool")
        return path

    def _kept(self) -> bytes:
        paths = list((self.house.home / "spools").glob(f"{self.session}.*.spool"))
        return paths[0].read_bytes().rstrip(b"\0") if paths else b""

    @property
    def marker(self) -> Json:
        return self.script.session(self.session)["messages"][-1]

    def recovered(self) -> Json:
        """The session when its words are back; to read it is what brings them."""
        self.spool.rmdir()
        self.hidden.rename(self.spool)
        wait_until(lambda: not RETRY & set(self.marker), "the recovered words")
        return self.script.session(self.session)


@pytest.fixture
def wreck(house: House, script: Script) -> Wreck:
    return Wreck(house, script)


def idle(session: Json) -> bool:
    nothing = [session[name] for name in ("active_stream_id", "pending_user_message", "pending_started_at")]
    return nothing == [None] * 3 and session["pending_attachments"] == []


@pytest.mark.contract("W5")
@pytest.mark.contract("W6")
@pytest.mark.contract("W8")
def test_W6_a_marker_says_that_words_may_still_come_and_the_session_is_idle(wreck: Wreck) -> None:
    """The stream ended as interrupted; the message stands before what was streamed and the marker."""
    assert (wreck.heard[-1].name, wreck.heard[-1].data["type"]) == ("apperror", "interrupted")
    session = wreck.script.session(wreck.session)
    assert idle(session)
    user, *partial, marker = session["messages"][2:]
    assert (user["role"], user["content"]) == ("user", wreck.message)
    assert partial[0]["_partial"]
    assert partial[0]["content"].startswith(text(wreck.heard))
    assert (marker["role"], marker["_error"], marker["type"]) == ("assistant", True, "interrupted")
    assert "no agent output was recovered" not in marker["content"]
    assert marker["_pending_journal_recovery"] is True
    assert marker["_journal_retry_stream_id"] == wreck.stream
    assert marker["_journal_retry_attempts"] == 0
    assert abs(marker["_journal_retry_first_seen_ts"] - marker["timestamp"]) < 60
    assert isinstance(marker["_journal_retry_first_seen_ts"], int)


@pytest.mark.contract("W5")
@pytest.mark.contract("W6")
@pytest.mark.contract("W7")
@pytest.mark.contract("W8")
def test_W7_what_was_found_again_says_so_and_stands_above_the_marker(wreck: Wreck) -> None:
    before = wreck.script.session(wreck.session)["messages"]
    session = wreck.recovered()
    assert idle(session)
    messages = session["messages"]
    assert messages[:3] == before[:3], "what stood before does not change"
    marker = messages[-1]
    assert (marker["_error"], marker["type"]) == (True, "interrupted")
    assert "recovered from the run journal" in marker["content"]
    assert not RETRY & set(marker), "all four vanish together"
    assert sum("_error" in message for message in messages) == 1
    found = [index for index, message in enumerate(messages) if message.get("_recovered_from_run_journal")]
    assert found
    assert found[-1] == len(messages) - 2
    words = "\n\n".join(message["content"] for message in messages[3:-1]).split()
    streams = [
        [int(word.removeprefix("word")) for word in words[:300]],
        [int(w.removeprefix("word")) for w in words[300:]],
    ]
    assert [numbers == list(range(1, len(numbers) + 1)) for numbers in streams] == [True, True], "each once, in order"
    (tool,) = session["tool_calls"]
    assert (tool["name"], tool["args"], tool["done"]) == ("read", {"path": "b"}, True)
    assert tool["assistant_msg_idx"] in found


def test_a_run_whose_server_and_runner_were_killed_is_interrupted_and_the_next_message_runs(
    house: House, script: Script
) -> None:
    session = script.new()
    stream = script.start(session, "!stream 100000 5")
    with script.events("/api/chat/stream", stream_id=stream) as events:
        heard = until(events, "token")
    house.kill()
    house.end_runner(SessionId(session))
    house.start()
    with house.server.client() as http:
        after = Script(http)
        rest = after.follow(stream, after_event_id=heard[-1].id)
        assert (rest[-1].name, rest[-1].data["type"]) == ("apperror", "interrupted")
        _, partial, marker = after.session(session)["messages"]
        assert partial["content"] == text(heard + rest)
        assert marker["type"] == "interrupted"
        status = after.get("/api/chat/stream/status", stream_id=stream)
        assert status["journal"]["terminal_state"] == "interrupted-by-crash"
        assert names(after.say(session, "!say alive"))[-1] == "stream_end"
