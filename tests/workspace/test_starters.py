"""What is offered first in a folder comes from what lies in it."""

import os
from pathlib import Path

import pytest

from holdfast.workspace.starters import Starter, fitting, starters


@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        (set[str](), []),
        ({"notes.txt"}, [("look", "")]),
        (
            {"readme.md", "go.mod", "Makefile", ".git"},
            [("readme", "readme.md"), ("tests", "Makefile"), ("history", "")],
        ),
        ({".git", "TODO.md"}, [("history", ""), ("tasks", "TODO.md"), ("look", "")]),
        ({"Todo.txt", "roadmap.md"}, [("tasks", "Todo.txt"), ("look", "")]),
    ],
)
def test_at_most_three_are_offered_the_most_telling_first(names: set[str], kinds: list[tuple[str, str]]) -> None:
    assert [(each.kind, each.name) for each in fitting(names)] == kinds


def test_a_folder_that_is_not_there_offers_nothing(tmp_path: Path) -> None:
    for folder in (str(tmp_path / "nowhere"), "relative", "~nobody-of-this-name", "/\0", ""):
        assert starters(folder) == []
    (tmp_path / "README.md").touch()
    assert starters(str(tmp_path))[0] == Starter(kind="readme", name="README.md")


def test_a_name_that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    for name in (b"README.\xff", b"README.a\nb"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    assert starters(str(tmp_path)) == []
    (tmp_path / "README.md").touch()
    assert starters(str(tmp_path))[0] == Starter(kind="readme", name="README.md")
