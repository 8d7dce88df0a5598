"""What agents report, as facts."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.acp import calls, wire
from holdfast.agents.acp.translate import Meter, Translator
from holdfast.core.events import (
    AnyFact,
    Diff,
    NoticeRaised,
    PlanEntry,
    PlanReplaced,
    TextAppended,
    ThoughtAppended,
    TitleSuggested,
    ToolChanged,
    UsageReported,
)
from holdfast.core.ids import CallId, TurnId

TURN = TurnId("t")
CALL = CallId("c")


def read(body: dict[str, Any]) -> wire.AnyUpdate | None:
    updated = wire.read(json.dumps({"sessionId": "s", "update": body}).encode(), wire.Updated)
    return updated.update if updated else None


def told(*bodies: dict[str, Any], fresh: bool = True) -> list[AnyFact]:
    translator = Translator(TURN, Meter(fresh=fresh))
    facts: list[AnyFact] = []
    for body in bodies:
        update = read(body)
        facts += translator.translate(update) if update else []
    return facts + translator.finish(None)


def message(text: str, kind: str = "agent_message_chunk", **more: Any) -> dict[str, Any]:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}, **more}


def call(_kind: str = "tool_call_update", _id: str = "c", **more: Any) -> dict[str, Any]:
    return {"sessionUpdate": _kind, "toolCallId": _id, **more}


def content(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "content", "content": {"type": "text", "text": text}} for text in texts]


def changed(**fields: Any) -> ToolChanged:
    return ToolChanged(turn=TURN, call=CALL, **fields)


PARENT: dict[str, Any] = {"_meta": {"claudeCode": {"parentToolUseId": "p"}}}


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        (message("hi"), [TextAppended(turn=TURN, text="hi")]),
        (message("hi", messageId="m"), [TextAppended(turn=TURN, text="hi", message="m")]),
        (message("hi", **PARENT), [TextAppended(turn=TURN, text="hi", parent=CallId("p"))]),
        (message("hm", "agent_thought_chunk"), [ThoughtAppended(turn=TURN, text="hm")]),
        (message("", "agent_thought_chunk"), []),
        (message("mine", "user_message_chunk"), []),
        (message(""), []),
        ({"sessionUpdate": "plan", "entries": []}, [PlanReplaced(turn=TURN)]),
        (
            {
                "sessionUpdate": "plan",
                "entries": [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "?"}],
            },
            [PlanReplaced(turn=TURN, entries=(PlanEntry(text="a", status="running"), PlanEntry(text="b")))],
        ),
        (
            {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "1", "entries": [{"content": "a"}]}},
            [PlanReplaced(turn=TURN, entries=(PlanEntry(text="a"),))],
        ),
        ({"sessionUpdate": "plan_update", "plan": {"type": "markdown", "content": "# a"}}, []),
        ({"sessionUpdate": "plan_removed", "planId": "1"}, [PlanReplaced(turn=TURN)]),
        ({"sessionUpdate": "session_info_update", "title": "T"}, [TitleSuggested(title="T")]),
        ({"sessionUpdate": "session_info_update", "title": None}, []),
        (
            {"sessionUpdate": "usage_update", "used": 5, "size": 9, "cost": {"amount": 0.25, "currency": "USD"}},
            [UsageReported(turn=TURN, context_used=5, context_window=9, cost=250_000)],
        ),
        ({"sessionUpdate": "available_commands_update", "availableCommands": []}, []),
        ({"sessionUpdate": "current_mode_update", "currentModeId": "x"}, []),
        ({"sessionUpdate": "something_new", "content": 5}, []),
        (
            {
                "sessionUpdate": "agent_message_chunk",
                "content": {"type": "resource_link", "name": "a", "uri": "file:///a"},
            },
            [TextAppended(turn=TURN, text="[a](file:///a)")],
        ),
        (
            {
                "sessionUpdate": "agent_message_chunk",
                "content": {"type": "resource", "resource": {"uri": "u", "text": "x"}},
            },
            [TextAppended(turn=TURN, text="x")],
        ),
        (
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "mimeType": "image/png", "data": ""}},
            [NoticeRaised(text="The agent sent something that can't be shown here (image/png).", turn=TURN)],
        ),
    ],
    ids=str,
)
def test_an_update_yields(body: dict[str, Any], facts: list[AnyFact]) -> None:
    assert told(body) == facts


def test_a_tool_call_from_start_to_end() -> None:
    diff = {"type": "diff", "path": "/a", "oldText": None, "newText": "x"}
    others = [{"type": "terminal", "terminalId": "x"}, {"type": "?"}, 5]
    begun: dict[str, Any] = {"title": "Run ls", "kind": "execute", "status": "pending", "rawInput": {"command": "ls"}}
    assert told(
        call("tool_call", **begun) | {"name": "bash"},
        call(status="in_progress", title="Run ls"),
        call(status="completed", content=[*content("one", "two"), diff, *others]),
        call(status="novelty"),
    ) == [
        changed(
            first=True, name="bash", title="Run ls", action="execute", status="pending", arguments='{"command": "ls"}'
        ),
        changed(status="running"),
        changed(status="completed", output="one\ntwo", diffs=(Diff(path="/a", new="x"),)),
        changed(),
    ]


def test_an_update_without_a_start_is_a_start() -> None:
    assert told(call(status="completed")) == [changed(first=True, status="completed")]


def test_arguments_are_the_json_that_the_agent_sent() -> None:
    line = b'{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":{"b" : 1.0,\t"a":[ ]}}}'
    updated = msgspec.json.decode(line, type=wire.Updated)
    (fact,) = Translator(TURN, Meter(fresh=True)).translate(updated.update)
    assert fact == changed(first=True, arguments='{"b" : 1.0,\t"a":[ ]}')


def test_output_that_is_sent_again_with_more_is_told_only_where_it_is_new() -> None:
    facts = told(
        call(content=content("a")), call(content=content("ab")), call(content=content("ab")), call(content=content("c"))
    )
    assert facts == [changed(first=True, output="a"), changed(appended="b"), changed(), changed(output="c")]


def test_a_terminals_output_is_live() -> None:
    def live(data: str) -> dict[str, Any]:
        return call(_meta={"terminal_output": {"terminal_id": "t", "data": data}})

    done = call(status="completed", rawOutput={"output": "ab"})
    facts = told(live("a"), live("b"), done, call(content=content("abc")))
    assert facts == [
        changed(first=True, appended="a"),
        changed(appended="b"),
        changed(status="completed"),
        changed(appended="c"),
    ]


@pytest.mark.parametrize(
    ("raw", "output"),
    [("text", "text"), ({"output": "x", "exit": 0}, "x"), ({"stdout": "x"}, "x"), ({"n": 1}, '{"n": 1}'), ([1], "[1]")],
)
def test_a_raw_result_is_shown_if_there_is_no_other(raw: object, output: str) -> None:
    assert told(call(rawOutput=raw)) == [changed(first=True, output=output)]
    assert told(call(rawOutput=raw, content=content("said"))) == [changed(first=True, output="said")]


def test_what_was_held_back_comes_before_what_follows() -> None:
    assert told(message("a<thi"), call()) == [
        TextAppended(turn=TURN, text="a"),
        TextAppended(turn=TURN, text="<thi"),
        changed(first=True),
    ]


def test_a_new_message_or_call_is_not_inside_an_old_tag() -> None:
    kinds = [type(fact) for fact in told(message("<think>a", messageId="1"), message("b", messageId="2"))]
    assert kinds == [ThoughtAppended, TextAppended]
    kinds = [type(fact) for fact in told(message("<think>a"), call(), message("b"), call(), message("c"))]
    assert kinds == [ThoughtAppended, ToolChanged, TextAppended, ToolChanged, TextAppended]


def test_a_change_of_an_old_call_does_not_close_a_tag() -> None:
    kinds = [type(fact) for fact in told(call(), message("<think>a"), call(status="completed"), message("b"))]
    assert kinds == [ToolChanged, ThoughtAppended, ToolChanged, ThoughtAppended]


def test_sub_agents_speak_for_themselves() -> None:
    facts = told(message("<thi", **PARENT), message("mine"), message("nk>theirs", **PARENT))
    assert facts == [
        TextAppended(turn=TURN, text="mine"),
        ThoughtAppended(turn=TURN, text="theirs", parent=CallId("p")),
    ]


def test_the_tokens_at_the_end_of_a_turn_are_those_of_the_turn() -> None:
    def prompted(read: int, wrote: int) -> wire.Prompted:
        return wire.Prompted(usage=msgspec.Raw(f'{{"inputTokens":{read},"outputTokens":{wrote}}}'.encode()))

    meter = Meter(fresh=True)
    for _ in range(2):  # the same ones twice are as many again
        assert Translator(TURN, meter).finish(prompted(10, 5)) == [UsageReported(turn=TURN, input=10, output=5)]
    assert Translator(TURN, meter).finish(prompted(0, 0)) == []


def test_the_cost_is_what_is_new_since_the_last_report() -> None:
    fresh, taken_up = Meter(fresh=True), Meter(fresh=False)
    assert [fresh.cost(total) for total in (0.5, 0.75, 0.75)] == [500_000, 250_000, 0]
    assert [taken_up.cost(total) for total in (0.5, 0.75)] == [0, 250_000]


UPDATES = st.lists(
    st.one_of(
        st.builds(call, st.sampled_from(["tool_call", "tool_call_update"]), st.sampled_from("abc")),
        st.builds(message, st.sampled_from(["x", "<think>", "</think>", "<"])),
    )
)


@given(UPDATES)
def test_first_is_set_exactly_on_the_first_event_of_a_call(bodies: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for fact in told(*bodies):
        if isinstance(fact, ToolChanged):
            assert fact.first == (fact.call not in seen)
            seen.add(fact.call)
    assert seen == {body["toolCallId"] for body in bodies if "toolCallId" in body}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "content"]), inner),
    max_leaves=5,
)
KINDS = [
    "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan", "plan_update",
    "usage_update", "session_info_update", "new",
]  # fmt: skip
FIELDS = ["content", "toolCallId", "title", "status", "rawInput", "entries", "used", "_meta", "messageId"]


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(FIELDS), ANYTHING))
def test_no_update_raises(kind: str, fields: dict[str, Any]) -> None:
    told({**fields, "sessionUpdate": kind})


@pytest.mark.parametrize("how", ["live", "whole"])
def test_what_a_tool_prints_has_a_bound_and_says_so_once(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Live, or sent again and again as a whole; what was told stays, and what comes later is left out."""
    monkeypatch.setattr(calls, "OUTPUT", 10)
    parts = ["12345", "67890", "abc", "def"]
    if how == "live":
        bodies = [call(_meta={"terminal_output": {"terminal_id": "t", "data": part}}) for part in parts]
    else:
        bodies = [call(content=content("".join(parts[: number + 1]))) for number in range(len(parts))]
    facts = [fact for fact in told(*bodies) if isinstance(fact, ToolChanged)]
    shown = "".join((fact.output if isinstance(fact.output, str) else "") + fact.appended for fact in facts)
    assert shown == "1234567890" + calls.CUT
    (whole,) = told(call(content=content("x" * 11)))
    assert whole == changed(first=True, output="x" * 10 + calls.CUT)
