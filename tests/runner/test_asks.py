"""Which of an agent's requests stands behind which ask."""

import itertools
from pathlib import Path

import pytest

from holdfast.agents.acp.asks import Elicited, Permission
from holdfast.agents.acp.client import AcpAgent
from holdfast.core.events import ApprovalAnswered
from holdfast.core.ids import AskId, CallId, TurnId
from holdfast.core.items import Question
from holdfast.runner import host
from holdfast.runner.asks import Asks
from tests.runner.stage import staged

T = TurnId("t")
NOW = 1_000


def asks() -> Asks:
    names = itertools.count(1)
    return Asks(lambda: f"minted-{next(names)}")


def permission(name: str) -> Permission:
    return Permission(id=name, call=CallId("c"), command="rm -r x", title="Remove")


def question(name: str, text: str = "Which?", choices: tuple[str, ...] = ("a", "b"), seconds: int = 0) -> Elicited:
    return Elicited(id=name, text=text, choices=choices, timeout_seconds=seconds)


@pytest.mark.contract("A1")
def test_A1_an_id_that_the_agent_gives_is_kept() -> None:  # noqa: N802  the rule's number
    """If it can be one of ours."""
    waiting = asks()
    assert waiting.request(T, permission("mine")).ask == "mine"
    assert AskId("mine") in waiting


def test_a_choice_that_was_covered_is_answered_as_it_was_asked() -> None:
    """What is stored of a question may say less than what its asker offered."""
    waiting = asks()
    asked = waiting.question(T, question("q", choices=("sk-123456", "none")), NOW)
    assert asked is not None
    stored = Question(
        turn=T, k=1, time=0, ask=asked.ask, text="Which?", choices=("[API key, 9 characters]", "none"), free_text=True
    )
    for answer, meant in (("[API key, 9 characters]", "sk-123456"), ("none", "none"), ("other", "other")):
        stored.answer = answer
        assert waiting.meant(stored) == meant
    waiting.settle(asked.ask)
    assert waiting.meant(stored) == "other"
    stored.answer = "[API key, 9 characters]"
    assert waiting.meant(stored) == "sk-123456", "settled is before delivered"


@pytest.mark.parametrize("name", ["", "a:b", "../up", "x" * 65])
def test_an_id_that_cant_be_one_of_ours_is_replaced(name: str) -> None:
    """The agent is answered by its own id all the same."""
    waiting = asks()
    asked = waiting.request(T, permission(name))
    assert asked.ask == "minted-1"
    assert waiting.settle(asked.ask) == [name]


def test_an_id_is_given_once_in_a_session() -> None:
    """An agent that counts anew in every turn must not find its old answers."""
    waiting = asks()
    waiting.request(T, permission("call-1"))
    waiting.clear()
    assert waiting.request(T, permission("call-1")).ask == "minted-1"


@pytest.mark.contract("C9")
def test_C9_the_same_question_again_adds_no_second_ask() -> None:  # noqa: N802  the rule's number
    """While it waits; every asker gets the answer."""
    waiting = asks()
    asked = waiting.question(T, question("one"), NOW)
    assert asked is not None
    assert waiting.question(T, question("two"), NOW) is None
    assert waiting.question(T, question("three"), NOW) is None
    assert waiting.settle(asked.ask) == ["one", "two", "three"]
    assert waiting.question(T, question("four"), NOW) is not None, "it waits no more, so it is asked again"


@pytest.mark.contract("C9")
@pytest.mark.parametrize("other", [question("two", text="Who?"), question("two", choices=("a",))])
def test_C9_another_text_or_other_choices_are_another_question(other: Elicited) -> None:  # noqa: N802
    """Both wait, each for its own answer."""
    waiting = asks()
    first, second = waiting.question(T, question("one"), NOW), waiting.question(T, other, NOW)
    assert first is not None
    assert second is not None
    assert waiting.settle(first.ask) == ["one"]
    assert waiting.settle(second.ask) == ["two"]


def test_a_question_without_words_is_no_approval() -> None:
    """It does not hang itself on an approval that waits."""
    waiting = asks()
    waiting.request(T, permission("leave"))
    assert waiting.question(T, question("silent", text="", choices=()), NOW) is not None


@pytest.mark.contract("A1")
def test_A1_equal_approvals_wait_each_for_itself() -> None:  # noqa: N802  the rule's number
    """Two tool calls are two permissions, whatever they say."""
    waiting = asks()
    first, second = waiting.request(T, permission("one")), waiting.request(T, permission("two"))
    assert (first.ask, second.ask) == ("one", "two")
    assert waiting.settle(first.ask) == ["one"]
    assert AskId("two") in waiting


def test_an_ask_is_settled_once() -> None:
    """What it permits is handed over at most once."""
    waiting = asks()
    asked = waiting.request(T, permission("one"))
    assert waiting.settle(asked.ask) == ["one"]
    assert waiting.settle(asked.ask) == []
    assert asked.ask not in waiting


@pytest.mark.contract("C8")
def test_C8_a_question_says_when_it_ends(  # noqa: N802  the rule's number
) -> None:
    """For display; without a limit it says nothing."""
    waiting = asks()
    limited, open_ended = (
        waiting.question(T, question("one", seconds=5), NOW),
        waiting.question(T, question("2", "?"), NOW),
    )
    assert limited is not None
    assert open_ended is not None
    assert (limited.timeout_seconds, limited.expires_at) == (5, NOW + 5_000)
    assert (open_ended.timeout_seconds, open_ended.expires_at) == (0, 0)


async def test_beyond_the_bound_an_ask_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent is told no; what waits already waits on."""
    refused: list[str] = []
    answer = AcpAgent.answer_permission

    def answered(agent: AcpAgent, name: str, *, allow: bool, reason: str = "", digest: str = "") -> None:
        refused.extend([] if allow else [name])
        answer(agent, name, allow=allow, reason=reason, digest=digest)

    monkeypatch.setattr(host, "ASKS", 3)
    monkeypatch.setattr(AcpAgent, "answer_permission", answered)
    async with staged(tmp_path) as stage, stage.running():
        await stage.say("t1", "!approvemany 5")
        full = await stage.until(
            lambda session: (len(session.asks), len(refused)) == (3, 2), "three asks, two refusals"
        )
        for ask in list(full.asks):
            await stage.append(ApprovalAnswered(ask=ask, choice="once"))
        await stage.until_ended("t1")
        said = (await stage.text("t1")).split()
        assert (said.count("approved:once"), len([word for word in said if word.startswith("denied")])) == (3, 2)
