"""What agents ask of people, and what they are told."""

import json
from typing import Any

import pytest

from holdfast.agents.acp import asks, wire
from holdfast.agents.acp.calls import Calls
from holdfast.core.events import Diff
from holdfast.core.ids import TurnId

ALL = ("allow_always", "allow_once", "reject_always", "reject_once")


def read_options(*kinds: str) -> tuple[wire.PermissionOption, ...]:
    return tuple(wire.PermissionOption(option_id=f"id-{kind}", kind=kind) for kind in kinds)


def permission(call: dict[str, Any], before: dict[str, Any] | None = None, **more: Any) -> asks.Permission:
    body = {"sessionId": "s", "toolCall": {"toolCallId": "c", **call}, "options": [], **more}
    wanted = wire.read(json.dumps(body).encode(), wire.PermissionWanted)
    assert wanted is not None
    calls = Calls()
    if before is not None:
        said = wire.read(json.dumps({"toolCallId": "c", **before}).encode(), wire.ToolCall)
        assert said is not None
        calls.change(TurnId("t"), said, None)
    return asks.permission("id", wanted, calls.describe(wanted.tool_call), "/workspace")


def question(message: str = "Q", properties: dict[str, Any] | None = None, **more: Any) -> wire.ElicitationWanted:
    body = {
        "sessionId": "s",
        "mode": "form",
        "message": message,
        "requestedSchema": {"properties": properties or {}},
        **more,
    }
    wanted = wire.read(json.dumps(body).encode(), wire.ElicitationWanted)
    assert wanted is not None
    return wanted


def test_the_command_and_its_directory_are_shown_unabridged() -> None:
    command = "echo " + "x" * 100_000
    shown = permission({"title": "Run echo", "rawInput": {"command": command, "cwd": "/there", "description": "why"}})
    assert (shown.command, shown.title, shown.directory, shown.description) == (command, "Run echo", "/there", "why")
    assert json.loads(shown.arguments)["command"] == command


def test_a_list_of_words_is_shown_as_a_shell_would_take_it() -> None:
    assert (
        permission({"rawInput": {"command": ["bash", "-c", "echo 'a b'"]}}).command
        == """bash -c 'echo '"'"'a b'"'"''"""
    )


def test_without_a_command_the_title_says_what_is_asked_for() -> None:
    diff = {"type": "diff", "path": "/a", "oldText": "x", "newText": "y"}
    shown = permission({"title": "Edit /a", "kind": "edit", "content": [diff]})
    assert (shown.command, shown.action, shown.directory) == ("Edit /a", "edit", "/workspace")
    assert shown.diffs == (Diff(path="/a", old="x", new="y"),)


def test_what_was_said_of_the_call_before_is_shown_with_the_permission() -> None:
    before = {"title": "Run ls", "name": "bash", "kind": "execute", "rawInput": {"command": "ls"}}
    shown = permission({}, before)
    assert (shown.command, shown.title, shown.tool, shown.action) == ("ls", "Run ls", "bash", "execute")
    assert permission({"title": "Run it"}, before).title == "Run it"


def test_pattern_keys_come_from_agents_that_give_them() -> None:
    shown = permission({}, _meta={"holdfast": {"patternKeys": ["a", "b"]}})
    assert shown.pattern_keys == ("a", "b")
    assert permission({}, _meta={"holdfast": "somebody else's"}).pattern_keys == ()


@pytest.mark.contract("A8")
def test_a8_an_agent_is_only_ever_told_allow_once_or_reject_once() -> None:
    def chosen(*kinds: str, allow: bool) -> str | None:
        answer = asks.decision(read_options(*kinds), allow=allow, reason="")
        return answer["outcome"]["optionId"] if answer else None

    assert chosen(*ALL, allow=True) == "id-allow_once"
    assert chosen(*ALL, allow=False) == "id-reject_once"
    assert chosen("allow_always", "reject_always", allow=True) is None
    assert chosen("allow_always", "reject_always", allow=False) is None


def test_a_reason_goes_with_the_answer() -> None:
    answer = asks.decision(read_options(*ALL), allow=False, reason="no")
    assert answer is not None
    assert answer["_meta"] == {"holdfast": {"reason": "no"}}


@pytest.mark.parametrize(
    ("field", "choices", "text", "value"),
    [
        ({"type": "string"}, (), "words", "words"),
        ({"type": "string", "enum": ["a", "b"]}, ("a", "b"), "b", "b"),
        ({"type": "string", "oneOf": [{"const": "a", "title": "Alpha"}]}, ("Alpha",), "Alpha", "a"),
        ({"type": "boolean"}, ("Yes", "No"), "Yes", True),
        ({"type": "boolean"}, ("Yes", "No"), "No", False),
        ({"type": "integer"}, (), "7", 7),
        ({"type": "number"}, (), "7.5", 7.5),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, (), "a, b", ["a", "b"]),
    ],
)
def test_a_form_of_one_field_is_a_question(
    field: dict[str, Any], choices: tuple[str, ...], text: str, value: Any
) -> None:
    wanted = question("Q", {"x": field})
    asked = asks.question("id", wanted)
    assert asked == asks.Elicited(id="id", text="Q", choices=choices, free_text=not choices)
    assert asks.reply(wanted, text) == {"action": "accept", "content": {"x": value}}


def test_an_answer_that_does_not_fit_is_declined() -> None:
    assert asks.reply(question("Q", {"x": {"type": "integer"}}), "many") == asks.DECLINED


def test_a_form_without_fields_is_yes_or_no() -> None:
    asked = asks.question("id", question())
    assert asked is not None
    assert (asked.choices, asked.free_text) == (("Yes", "No"), False)
    assert asks.reply(question(), "Yes") == {"action": "accept", "content": {}}
    assert asks.reply(question(), "No") == asks.DECLINED


def test_a_form_of_many_fields_is_answered_line_by_line() -> None:
    wanted = question("Who?", {"name": {"type": "string", "title": "Your name"}, "age": {"type": "integer"}})
    asked = asks.question("id", wanted)
    assert asked is not None
    assert "name: Your name" in asked.text
    assert asks.reply(wanted, "name: Ada: Countess\nage: 36") == {
        "action": "accept",
        "content": {"name": "Ada: Countess", "age": 36},
    }


def test_secrets_and_timeouts() -> None:
    asked = asks.question("id", question("Q", {"x": {"type": "string", "format": "password"}}))
    assert asked is not None
    assert asked.secret
    ours = {"holdfast": {"secret": True, "timeoutSeconds": 9, "choices": ["a"], "freeText": True}}
    asked = asks.question("id", question("Q", {"x": {"type": "string"}}, _meta=ours))
    assert asked == asks.Elicited(id="id", text="Q", choices=("a",), free_text=True, secret=True, timeout_seconds=9)
    for absurd in (-9, 2**80):
        asked = asks.question(
            "id", question("Q", {"x": {"type": "string"}}, _meta={"holdfast": {"timeoutSeconds": absurd}})
        )
        assert asked is not None
        assert asked.timeout_seconds == 0, "it waits for as long as the run does"


def test_only_forms_are_questions() -> None:
    assert asks.question("id", wire.ElicitationWanted(mode="url", message="Go there")) is None
