"""What an agent says, with secrets covered: every fact that carries its words, in its order; approvals untouched."""

import typing
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import events as e
from holdfast.core.cover import Cover
from holdfast.core.ids import AskId, CallId, TurnId
from holdfast.runner.screen import WORDS, Screen

KEY = "sk-proj-" + "A1b2" * 10 + "xyz"
LABEL = "[API key, 51 characters]"
T, C, D = TurnId("t1"), CallId("c1"), CallId("d1")


def screen() -> Screen:
    cover = Cover()
    cover.learn(KEY, "API key")
    return Screen(cover)


def shown(facts: Iterable[e.AnyFact], by: Screen | None = None) -> list[e.AnyFact]:
    by = by or screen()
    told = [out for fact in facts for out in by.take(fact) if not isinstance(out, e.ApprovalAnswered)]
    return told + list(by.release())


def said(facts: Iterable[e.AnyFact], parent: CallId | None = None) -> str:
    return "".join(fact.text for fact in facts if isinstance(fact, e.TextAppended) and fact.parent == parent)


def printed(facts: Iterable[e.AnyFact], call: CallId = C) -> str:
    return "".join(fact.appended for fact in facts if isinstance(fact, e.ToolChanged) and fact.call == call)


def text(words: str, parent: CallId | None = None) -> e.TextAppended:
    return e.TextAppended(turn=T, text=words, parent=parent)


def tool(call: CallId = C, **fields: object) -> e.ToolChanged:
    return msgspec.structs.replace(e.ToolChanged(turn=T, call=call), **fields)


@given(st.integers(0, len(KEY)), st.integers(0, len(KEY)))
def test_a_key_is_covered_however_it_is_split_over_deltas(first: int, second: int) -> None:
    one, two = sorted((first, second))
    parts = [text("It is "), text(KEY[:one]), text(KEY[one:two]), text(KEY[two:]), text(".")]
    assert said(shown(parts)) == f"It is {LABEL}."


def test_speakers_and_tools_that_talk_at_once_are_texts_of_their_own() -> None:
    facts = [
        text(KEY[:20]),
        text(KEY[:10], D),
        tool(first=True, appended=KEY[:30]),
        tool(D, first=True, appended=KEY[:5]),
        tool(appended=KEY[30:]),
        text(KEY[10:], D),
        e.UsageReported(turn=T, input=1),
        tool(D, appended=KEY[5:]),
    ]
    out = shown(facts)
    assert said(out, D) == printed(out) == printed(out, D) == LABEL
    assert said(out) == KEY[:20], "a tool began: what it had said before stands before it"
    assert out.index(text(KEY[:20])) < next(i for i, fact in enumerate(out) if isinstance(fact, e.ToolChanged))


def test_a_thought_and_a_new_message_end_a_text() -> None:
    thought = e.ThoughtAppended(turn=T, text="hm")
    other = e.TextAppended(turn=T, text="s", message="m2")
    assert shown([text("k s"), thought, text("s"), other]) == [text("k "), text("s"), thought, text("s"), other]


def test_what_a_tool_is_given_is_covered_while_it_grows() -> None:
    grown = [tool(first=True, arguments='{"k": "' + KEY[:20]), tool(arguments='{"k": "' + KEY + '"}')]
    out = [fact.arguments for fact in shown(grown) if isinstance(fact, e.ToolChanged)]
    assert out == ['{"k": "', f'{{"k": "{LABEL}"}}']
    cut_off = shown([tool(first=True, arguments=KEY[:20]), tool(status="completed")])
    assert isinstance(cut_off[-1], e.ToolChanged)
    assert cut_off[-1].arguments == KEY[:20], "nothing is lost"


def test_an_output_that_is_replaced_is_covered_as_a_whole() -> None:
    diff = e.Diff(path=f"{KEY}/.env", old=f"K={KEY}", new="K=")
    whole = tool(
        first=True, name=KEY, action=KEY, title=KEY, output=f"{KEY}\n", error=KEY, diffs=(diff,), status="completed"
    )
    (out,) = shown([whole])
    assert isinstance(out, e.ToolChanged)
    assert (out.name, out.action, out.title, out.output, out.error) == (LABEL, LABEL, LABEL, f"{LABEL}\n", LABEL)
    assert out.diffs == (e.Diff(path=f"{LABEL}/.env", old=f"K={LABEL}", new="K="),)


def test_an_approval_is_never_altered() -> None:
    asked = e.ApprovalRequested(
        ask=AskId("a"), turn=T, command=f"curl -H {KEY}", arguments=KEY, title=KEY, description=KEY, directory=KEY
    )
    assert shown([text("s"), asked]) == [text("s"), asked]


STRINGS_LEFT_ALONE = {
    "ids and names": {"turn", "call", "ask", "parent", "message", "steer", "instance", "agent", "token", "owner"},
    "our own words": {"reason", "reference", "version", "code", "kind"},
}
WHOLE_VALUES = {
    *("PlanReplaced.entries", "ToolChanged.diffs", "QuestionAsked.choices"),
    *(f"AgentDescribed.{name}" for name in ("models", "modes", "commands")),
}
NOT_ALTERED = {f"ApprovalRequested.{name}" for name in e.ApprovalRequested.__struct_fields__}
COVERED = {
    *(f"{kind.__name__}.{name}" for kind, names in WORDS.items() for name in names),
    *("TextAppended.text", "ThoughtAppended.text"),
    *(f"ToolChanged.{name}" for name in ("name", "title", "action", "arguments", "output", "appended", "error")),
    *WHOLE_VALUES,
}


def test_every_field_that_can_hold_words_was_thought_of() -> None:
    """A new fact, or a new field of one, is listed here as covered or as left alone."""
    left = {name for names in STRINGS_LEFT_ALONE.values() for name in names}
    for fact in typing.get_args(e.AnyFact):
        for field in msgspec.structs.fields(fact):
            where = f"{fact.__name__}.{field.name}"
            holds_words = any(kind in str(field.type) for kind in ("str", "tuple", "Option", "Diff", "PlanEntry"))
            if holds_words and field.name not in left | {"extra", "status", "outcome", "level", "result"}:
                assert where in COVERED | NOT_ALTERED, where


@pytest.mark.parametrize(("fact", "names"), WORDS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_whole_texts_are_covered(fact: type[e.AnyFact], names: tuple[str, ...]) -> None:
    given: dict[str, typing.Any] = {
        "turn": T, "outcome": "failed", "ask": AskId("a"), "token": "x", "error": "x", "text": "x", "title": "x",
        "agent": "x",
    }  # fmt: skip
    known = {field.name for field in msgspec.structs.fields(fact)}
    fields = {name: value for name, value in given.items() if name in known} | dict.fromkeys(names, f"<{KEY}>")
    made = typing.cast("typing.Callable[..., e.AnyFact]", fact)(**fields)
    (out,) = shown([made])
    assert {getattr(out, name) for name in names} == {f"<{LABEL}>"}
    (plan,) = shown([e.PlanReplaced(turn=T, entries=(e.PlanEntry(text=KEY),))])
    assert plan == e.PlanReplaced(turn=T, entries=(e.PlanEntry(text=LABEL),))


def test_parts_of_a_fact_are_covered_one_by_one() -> None:
    """What may be chosen, and what may be said after a slash."""
    (asked,) = shown([e.QuestionAsked(ask=AskId("a"), turn=T, text="Which?", choices=(KEY, "none"))])
    assert asked == e.QuestionAsked(ask=AskId("a"), turn=T, text="Which?", choices=(LABEL, "none"))
    option, command = e.Option(id=KEY, name=KEY, description=KEY), e.SlashCommand(name=KEY, description=KEY, hint=KEY)
    (described,) = shown([e.AgentDescribed(agent="a", models=(option,), modes=(option,), commands=(command,))])
    covered = e.Option(id=LABEL, name=LABEL, description=LABEL)
    spoken = e.SlashCommand(name=LABEL, description=LABEL, hint=LABEL)
    assert described == e.AgentDescribed(agent="a", models=(covered,), modes=(covered,), commands=(spoken,))


def test_without_secrets_everything_passes_as_it_is() -> None:
    facts = [text(KEY), tool(first=True, appended=KEY), tool(arguments=KEY)]
    assert shown(facts, Screen(Cover())) == facts


def test_a_few_characters_are_given_up_after_a_while_and_more_are_not() -> None:
    by = screen()
    assert list(by.take(text("ls"))) == [text("l")]
    assert by.holding
    assert by.let_go() == [text("s")]
    assert not by.holding
    assert list(by.take(text("k-proj-"))) == []
    assert not by.holding
    assert by.let_go() == []
    assert list(by.take(text(KEY[8:]))) == [text(LABEL)]
