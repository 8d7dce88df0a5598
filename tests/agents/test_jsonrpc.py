"""Two peers joined in memory, and one that meets everything a line can be."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.acp.jsonrpc import (
    METHOD_NOT_FOUND,
    Failure,
    Malformed,
    Message,
    Notification,
    Overlong,
    Peer,
    Request,
    Response,
)


def only(messages: list[Message]) -> Message:
    (message,) = messages
    return message


def test_a_request_is_answered_by_its_id() -> None:
    client, agent = Peer(), Peer()
    number, line = client.request("session/new", {"cwd": "/"})
    asked = only(agent.feed(line))
    assert isinstance(asked, Request)
    assert (asked.method, msgspec.json.decode(asked.params)) == ("session/new", {"cwd": "/"})
    answered = only(client.feed(agent.respond(asked.id, {"sessionId": "s"})))
    assert isinstance(answered, Response)
    assert (answered.id, answered.method, bytes(answered.result)) == (number, "session/new", b'{"sessionId":"s"}')


def test_answers_may_come_in_any_order() -> None:
    client, agent = Peer(), Peer()
    sent = [client.request(f"m{number}", {}) for number in range(3)]
    asked = [only(agent.feed(line)) for _, line in sent]
    answers = b"".join(agent.respond(request.id, None) for request in reversed(asked) if isinstance(request, Request))
    assert [message.method for message in client.feed(answers) if isinstance(message, Response)] == ["m2", "m1", "m0"]


def test_an_unknown_method_is_answered_so() -> None:
    client, agent = Peer(), Peer()
    asked = only(agent.feed(client.request("fs/read_text_file", {})[1]))
    assert isinstance(asked, Request)
    failed = only(client.feed(agent.unknown(asked)))
    assert isinstance(failed, Failure)
    assert (failed.code, failed.method) == (METHOD_NOT_FOUND, "fs/read_text_file")


def test_both_sides_may_use_the_same_ids() -> None:
    client, agent = Peer(), Peer()
    mine, asked = client.request("a", {})
    theirs, wanted = agent.request("b", {})
    assert mine == theirs
    assert isinstance(only(agent.feed(asked)), Request)
    assert isinstance(only(client.feed(wanted)), Request)


def test_messages_come_in_reading_order() -> None:
    agent, client = Peer(), Peer()
    number, line = client.request("session/prompt", {})
    assert agent.feed(line)
    said = agent.notify("n1", {}) + agent.respond(number, {}) + agent.notify("n2", {})
    assert [type(message) for message in client.feed(said)] == [Notification, Response, Notification]


def test_an_answer_counts_once() -> None:
    client = Peer()
    number, _ = client.request("m", {})
    line = Peer().respond(number, {})
    assert isinstance(only(client.feed(line)), Response)
    assert isinstance(only(client.feed(line)), Malformed)


STRANGE = [
    b"what is this",
    b"[]",
    b"[1]",
    b"1",
    b"null",
    b'"text"',
    b"{}",
    b'{"id":1}',
    b'{"method":5}',
    b'{"id":{},"method":"m"}',
    b'{"id":1.5,"method":"m"}',
    b'{"id":null,"method":"m"}',
    b'{"id":7,"result":{}}',
    b'{"id":null,"error":{"code":-32700,"message":"Parse error"}}',
    b'{"method":"m","params":{"a":NaN}}',
    b"{" * 100_000,
    b'{"a":' + b"[" * 200_000,
    b"\x00\x01\x02",
    b"\xff\xfe",
]


@pytest.mark.parametrize("line", STRANGE, ids=range(len(STRANGE)))
def test_a_line_that_is_no_message_costs_itself_alone(line: bytes) -> None:
    peer = Peer()
    messages = peer.feed(b'{"method":"before"}\n' + line + b'\n{"method":"after"}\n')
    assert [type(message) for message in messages] == [Notification, Malformed, Notification]
    assert peer.malformed == 1


@given(st.lists(st.one_of(st.binary(), st.sampled_from(STRANGE), st.sampled_from([b"\n", b'{"method":"m"}\n']))))
def test_nothing_that_is_said_raises(chunks: list[bytes]) -> None:
    peer = Peer(limit=100_000)
    peer.request("m", {})
    for chunk in chunks:
        peer.feed(chunk)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=4), st.integers(1, 20))
def test_what_is_sent_arrives_however_it_is_cut(params: dict[str, Any], size: int) -> None:
    line = Peer().notify("m", params)
    peer = Peer()
    messages = [message for at in range(0, len(line), size) for message in peer.feed(line[at : at + size])]
    said = only(messages)
    assert isinstance(said, Notification)
    assert msgspec.json.decode(said.params) == params


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (rb"\ud83d\ude00", "\U0001f600"),
        (rb"a\ud83d", "a\ufffd"),
        (rb"\ude00b", "\ufffdb"),
        (rb"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (rb"\ude00\ud83d", "\ufffd\ufffd"),
        (rb"\\ud83d \ud83d", "\\ud83d \ufffd"),
        (rb"\\\ud83d", "\\\ufffd"),
        (b"a\xffb", "a\ufffdb"),
    ],
)
def test_halves_of_characters_are_replaced(sent: bytes, read: str) -> None:
    said = only(Peer().feed(b'{"method":"m","params":{"text":"' + sent + b'"}}\n'))
    assert isinstance(said, Notification)
    assert msgspec.json.decode(said.params) == {"text": read}


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_any_text_that_json_can_hold_is_read(text: str) -> None:
    line = json.dumps({"method": "m", "params": {"text": text}}).encode() + b"\n"
    said = only(Peer().feed(line))
    assert isinstance(said, Notification)
    read = msgspec.json.decode(said.params)["text"]
    assert read == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def test_after_a_line_without_an_end_nothing_is_read() -> None:
    peer = Peer(limit=10)
    assert peer.feed(b"12345678901") == [Overlong(limit=10)]
    assert peer.feed(b'\n{"method":"m"}\n') == []
