"""The page of contracts names tests that exist, and every rule that a test shows."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "contracts.md"
RULE = re.compile(r"- \*\*([A-Z]\d+)\*\* ")
SHOWN = re.compile(r"  - `(.+)`")


def on_the_page() -> dict[str, list[str]]:
    """The rules, with the tests that the page names for each."""
    rules: dict[str, list[str]] = {}
    for line in PAGE.read_text().splitlines():
        if rule := RULE.match(line):
            rules[rule[1]] = []
        elif shown := SHOWN.match(line):
            rules[list(rules)[-1]].append(shown[1])
    return rules


@cache
def in_the_tests() -> dict[str, set[str]]:
    """The rules that tests are marked with, and those tests."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text("utf-8")
        body = ast.parse(text).body if "mark.contract" in text else []
        common = [rule for node in body if isinstance(node, ast.Assign) for rule in _numbers(node)]
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for rule in [*common, *(rule for mark in node.decorator_list for rule in _numbers(mark))]:
                    found[rule].add(f"{path.relative_to(TESTS)}::{node.name}")
    return found


def _numbers(node: ast.AST) -> list[str]:
    return re.findall(r"mark\.contract\('(\w+)'\)", ast.unparse(node))


def test_every_test_that_the_page_names_shows_its_rule() -> None:
    """It is there, and it carries the rule's number."""
    marked = in_the_tests()
    assert {rule: set(tests) - marked[rule] for rule, tests in on_the_page().items() if set(tests) - marked[rule]} == {}


def test_every_rule_that_a_test_shows_is_on_the_page() -> None:
    """With at least one of its tests."""
    page = on_the_page()
    assert {rule for rule in in_the_tests() if not page.get(rule)} == set()
