"""The page of contracts names the tests that show its rules: all of them, and no others."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "contracts.md"
RULE = re.compile(r"- \*\*([A-Z]\d+)\*\* ")
SHOWN = re.compile(r"  - `(.+)`")
NUMBERED = re.compile(r"test_([GACXRMW]\d+)_", re.IGNORECASE)


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
    """The rules whose numbers tests carry, as a mark or in their names, and those tests."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text("utf-8")
        body = ast.parse(text).body if "mark.contract" in text or NUMBERED.search(text) else []
        common = [rule for node in body if isinstance(node, ast.Assign) for rule in _numbers(node)]
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                marked = [rule for mark in node.decorator_list for rule in _numbers(mark)]
                named = [number.upper() for number in NUMBERED.findall(node.name)]
                for rule in [*common, *marked, *named]:
                    found[rule].add(f"{path.relative_to(TESTS)}::{node.name}")
    return found


def _numbers(node: ast.AST) -> list[str]:
    return re.findall(r"mark\.contract\('(\w+)'\)", ast.unparse(node))


def test_the_page_names_every_test_that_shows_a_rule_and_no_other() -> None:
    """Each once, under the rule whose number it carries; and every rule has one at least."""
    page, shown = on_the_page(), in_the_tests()
    rules = sorted({*page, *shown})
    assert {rule: missing for rule in rules if (missing := shown[rule] - set(page.get(rule, [])))} == {}
    assert {rule: wrong for rule in rules if (wrong := set(page.get(rule, [])) - shown[rule])} == {}
    assert [rule for rule in rules if not page.get(rule)] == []
    assert {rule: tests for rule, tests in page.items() if len(tests) > len(set(tests))} == {}
