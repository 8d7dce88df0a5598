import pytest

from holdfast.agents.acp.asks import Permission
from holdfast.agents.acp.deeds import Leaves, Run, Write, digest_of
from holdfast.core.events import Diff

RUN = Run(command="make test", cwd="/w")


def leave(command: str = "", directory: str = "/w", diffs: tuple[Diff, ...] = ()) -> Permission:
    return Permission(id="p", call=None, title="", command=command, directory=directory, diffs=diffs)


@pytest.mark.parametrize(
    ("run", "allowed", "covered"),
    [
        (RUN, leave("make test"), True),
        (RUN, leave("make test", "/w/"), True),
        (Run(command="make", args=("test",), cwd="/w"), leave("make test"), True),
        (Run(command="make", args=("a b",), cwd="/w"), leave("make a b"), False),
        (RUN, leave("make test", "/elsewhere"), False),
        (RUN, leave("make"), False),
        (RUN, leave("make test && reboot"), False),
        (Run(command="make test", cwd="/w", env={"LD_PRELOAD": "/w/x.so"}), leave("make test"), False),
    ],
)
def test_a_leave_covers_exactly_the_command_that_was_named(run: Run, allowed: Permission, *, covered: bool) -> None:
    assert run.covered_by(allowed) is covered


@pytest.mark.parametrize(
    ("before", "content", "diff", "covered"),
    [
        (None, "new", Diff(path="/w/a", old=None, new="new"), True),
        ("old", "new", Diff(path="/w/a", old="old", new="new"), True),
        ("x old y", "x new y", Diff(path="/w/a", old="old", new="new"), True),
        ("old old", "new old", Diff(path="/w/a", old="old", new="new"), False),
        ("changed", "new", Diff(path="/w/a", old="old", new="new"), False),
        ("old", "newer", Diff(path="/w/a", old="old", new="new"), False),
        ("old", "new", Diff(path="/w/b", old="old", new="new"), False),
        ("old", "new", Diff(path="/w/a", old=None, new="new"), False),
    ],
)
def test_a_leave_covers_exactly_the_change_that_was_shown(
    before: str | None, content: str, diff: Diff, *, covered: bool
) -> None:
    write = Write(path="/w/a", content=content, before=before, workspace="/w")
    assert write.covered_by(leave(diffs=(diff,))) is covered


def test_a_leave_is_used_once_and_only_if_it_was_given() -> None:
    leaves = Leaves()
    leaves.ask(leave("make test"))
    assert not leaves.use(RUN)
    leaves.answer("p", allow=True)
    assert leaves.use(RUN)
    assert not leaves.use(RUN)
    leaves.ask(leave("make test"))
    leaves.answer("p", allow=False)
    assert not leaves.use(RUN)
    leaves.ask(leave("make test"))
    leaves.answer("p", allow=True)
    leaves.clear()
    assert not leaves.use(RUN)


def test_what_is_shown_and_what_is_done_have_one_name() -> None:
    assert RUN.permission("x").command == "make test"
    other = Run(command="make test", cwd="/w", env={"A": "1"})
    assert other.permission("x").command == "A=1 make test"
    writes = [Write(path="/w/a", content=text, before="old", workspace="/w") for text in ("a", "b")]
    assert len({digest_of(deed) for deed in (RUN, other, *writes)}) == 4
    assert digest_of(RUN) == digest_of(Run(command="make test", cwd="/w", limit=5))
