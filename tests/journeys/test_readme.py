"""What people read first leads to what is there: links, headings, rules and their tests."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.journeys.test_contracts import in_the_tests, on_the_page

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+).+?\1")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
NUMBER = re.compile(r"\b[GACXRMW]\d{1,2}\b")
ELSEWHERE = ("http://", "https://", "mailto:")


class Link(NamedTuple):
    text: str
    path: Path
    anchor: str


def links(page: Path) -> Iterator[Link]:
    """The links of a page to other places of the project."""
    for text, target, picture in LINK.findall(CODE.sub("", FENCED.sub("", page.read_text("utf-8")))):
        if not target.startswith(ELSEWHERE):
            place, _, anchor = (target or picture).partition("#")
            yield Link(text, (page.parent / place).resolve() if place else page, anchor)


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in an address."""
    headings = HEADING.findall(FENCED.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """To something of the project, which a clone has, and under a heading that is there."""
    for link in links(page):
        assert link.path.exists(), link
        assert link.path.is_relative_to(ROOT), link
        assert not link.anchor or link.anchor in anchors(link.path), link


def test_every_rule_that_the_readme_names_is_one() -> None:
    """And all of the four guarantees are named."""
    named = set(NUMBER.findall(LINK.sub(r"\1", README.read_text("utf-8"))))
    assert named <= set(on_the_page())
    assert named >= {"G1", "G2", "G3", "G4"}


def test_every_test_that_the_readme_leads_to_shows_the_rule() -> None:
    marked = in_the_tests()
    files = {rule: {test.partition("::")[0] for test in tests} for rule, tests in marked.items()}
    shown = [link for link in links(README) if NUMBER.fullmatch(link.text)]
    assert shown
    for link in shown:
        assert link.path.relative_to(ROOT / "tests").as_posix() in files[link.text], link


@pytest.mark.parametrize("folder", [DOCS, DOCS / "decisions"], ids=["docs", "decisions"])
def test_every_page_is_in_the_index_of_its_folder(folder: Path) -> None:
    index = folder / "README.md"
    assert {link.path for link in links(index)} >= set(folder.glob("*.md")) - {index}
