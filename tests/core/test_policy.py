"""A rule never widens (A8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import events as e
from holdfast.core import policy
from holdfast.core.house import House
from holdfast.core.ids import AskId, SessionId, TurnId
from holdfast.core.items import Approval
from holdfast.core.records import Record
from tests.core.histories import law

pytestmark = pytest.mark.contract("A8")


def asked(
    command: str = "rm -r build",
    *keys: str,
    agent: str = "hermes",
    action: str = "execute",
    directory: str = "/src/app",
    workspace: str = "/src/app",
) -> Approval:
    return Approval(
        turn=TurnId("t1"),
        k=1,
        time=1,
        ask=AskId("a1"),
        command=command,
        pattern_keys=keys,
        agent=agent,
        action=action,
        directory=directory,
        workspace=workspace,
    )


DELETE = asked("rm -r build", "recursive delete")
EXACT = asked("make install")


@pytest.mark.parametrize(
    "other",
    [
        asked("rm -r other", "recursive delete"),
        asked("rm -r build", "recursive delete", directory="/src/app/web"),
    ],
    ids=["another command", "another directory of the workspace"],
)
def test_a_key_covers_whatever_names_it_in_this_workspace(other: Approval) -> None:
    assert policy.covering(policy.rules_of(DELETE, "r"), other) == policy.rules_of(DELETE, "r")


@pytest.mark.parametrize(
    "other",
    [
        asked("rm -r build", "recursive delete", "run as root"),
        asked("rm -r build", "recursive"),
        asked("rm -r build", "recursive delete of all"),
        asked("rm -r build"),
        asked("rm -r build", "recursive delete", agent="codex"),
        asked("rm -r build", "recursive delete", action="edit"),
        asked("rm -r build", "recursive delete", workspace="/src/app2"),
        asked("rm -r build", "recursive delete", workspace="/src"),
        asked("rm -r build", "recursive delete", workspace=""),
    ],
    ids=["a second key", "a shorter key", "a longer key", "no key", "agent", "tool", "workspace", "parent", "unknown"],
)
def test_a_key_covers_nothing_else(other: Approval) -> None:
    assert policy.covering(policy.rules_of(DELETE, "r"), other) == ()


@pytest.mark.parametrize(
    ("other", "covered"),
    [
        (asked("make install"), True),
        (asked("make install", workspace="/elsewhere"), True),
        (asked("make installer"), False),
        (asked("make"), False),
        (asked("make install && rm -r ~"), False),
        (asked("make install", directory="/src/app/web"), False),
        (asked("make install", "system change"), False),
        (asked("make install", agent="codex"), False),
    ],
)
def test_without_a_key_exactly_the_command_in_exactly_its_directory_is_covered(
    other: Approval,
    covered: bool,  # noqa: FBT001  a table's column
) -> None:
    assert bool(policy.covering(policy.rules_of(EXACT, "r", everywhere=True), other)) is covered


def test_every_key_must_be_covered_and_may_be_by_different_rules() -> None:
    both = asked("sudo rm -r build", "recursive delete", "run as root")
    one, other = policy.rules_of(DELETE, "r1"), policy.rules_of(asked("sudo ls", "run as root"), "r2")
    assert policy.covering([*one, *other], both) == (*one, *other)
    assert policy.rules_of(both, "r3") == tuple(
        e.Rule(id=f"r3.{n}", agent="hermes", action="execute", key=key, workspace="/src/app")
        for n, key in ((1, "recursive delete"), (2, "run as root"))
    )


def test_everywhere_is_everywhere() -> None:
    rules = policy.rules_of(DELETE, "r", everywhere=True)
    assert policy.covering(rules, asked("rm -r x", "recursive delete", workspace="/other")) == rules


@law
@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=3), st.lists(st.sampled_from(["a", "b", "c"]), max_size=3))
def test_what_was_allowed_covers_itself_and_never_more_keys(allowed: list[str], wanted: list[str]) -> None:
    rules = policy.rules_of(asked("x", *allowed), "r")
    assert policy.covering(rules, asked("x", *allowed)) == rules
    covered = bool(policy.covering(rules, asked("x", *wanted)))
    assert covered == (set(wanted) <= set(allowed) and bool(wanted) == bool(allowed))


def test_what_an_answer_would_match_is_said_in_words() -> None:
    assert [(offer.choice, offer.everywhere, offer.words) for offer in policy.offers(_offered(DELETE))] == [
        ("session", False, "Any recursive delete, in /src/app, until this session ends"),
        ("always", False, "Any recursive delete, in /src/app, for good"),
        ("always", True, "Any recursive delete, everywhere, for good"),
    ]
    assert [offer.words for offer in policy.offers(_offered(EXACT))] == [
        "Exactly “make install”, in /src/app, until this session ends",
        "Exactly “make install”, in /src/app, for good",
    ]
    assert policy.offers(_offered(asked("x", "rm_rf", "sudo")))[0].words == (
        "Anything that matches “rm_rf” together with any sudo, in /src/app, until this session ends"
    )


def _offered(approval: Approval) -> Approval:
    approval.choices = ("once", "session", "always", "deny")
    return approval


def test_a_revoked_rule_is_gone_and_stays_so() -> None:
    house = House()
    rule = policy.rules_of(EXACT, "r")[0]
    remembered = e.RuleRemembered(rule=rule, session=SessionId("s"), ask=AskId("a1"), client="phone")
    events: list[e.Event] = [remembered, remembered, e.RuleRevoked(rule="r"), e.RuleRevoked(rule="r")]
    rules = []
    for seq, event in enumerate(events, 1):
        house.apply(Record(seq=seq, time=seq * 1000, event=event))
        rules.append([(found.rule, found.time, found.client) for found in house.rules.values()])
    assert rules == [[(rule, 1000, "phone")], [(rule, 1000, "phone")], [], []]


def test_a_rule_says_when_it_was_used_last_and_one_that_is_gone_does_not() -> None:
    house = House()
    remembered = e.RuleRemembered(rule=policy.rules_of(EXACT, "r")[0])
    used = []
    for seq, event in enumerate((e.RuleUsed(rule="r"), remembered, e.RuleUsed(rule="r"), e.RuleUsed(rule="other")), 1):
        house.apply(Record(seq=seq, time=seq * 1000, event=event))
        used.append([found.used for found in house.rules.values()])
    assert used == [[], [0], [3000], [3000]]


def test_the_digest_tells_everything_apart() -> None:
    diff = e.Diff(path="a", new="1")
    wanted = [("ls", "{}", "/a", ()), ("ls ", "{}", "/a", ()), ("ls", "{ }", "/a", ()), ("ls", "{}", "/b", ())]
    assert len({policy.digest(*each) for each in (*wanted, ("ls", "{}", "/a", (diff,)))}) == 5
