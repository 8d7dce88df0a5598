"""What all tests share: the event loop, and what it means to require a browser or agents.

A test that needs something the machine lacks skips itself and says why. `HOLDFAST_TEST_REQUIRE=browser,agents`
turns the skips of tests with those marks into failures, so that CI cannot pass by testing less.
"""

import os
import re
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Machines are noisy: how long an example takes says nothing.
settings.register_profile("noisy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("noisy")

os.environ["HOLDFAST_AGENT"] = "tour"  # whatever the machine has: what a test does not choose is the same everywhere

LONG = (
    "tests/mutants/",
    "tests/crashes/",
    "tests/soak/test_soak",
    "tests/packaging/",
    "tests/real/",
    "tests/browser/test_states",
    "tests/browser/test_soak",
    "tests/server/dialect/test_races",
)
"""Files that take minutes. The tests of a file stay together, so these begin first, and nobody waits for one alone."""
MARKED = re.compile(r"^pytestmark = (\[.*?\]|.*?)$", re.MULTILINE | re.DOTALL)
"""What all tests of a file are marked with."""
REQUIRE = "HOLDFAST_TEST_REQUIRE"
REQUIRABLE = {"agents", "browser"}


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """Async tests run on the loop that the server runs on."""
    return "asyncio", {"use_uvloop": True}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: next((place for place, name in enumerate(LONG) if name in item.nodeid), len(LONG)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file whose tests are all left out is not even read: some of what such files import takes seconds to load,
    and every worker would."""
    left_out = set(re.findall(r"(?:^|\band )not (\w+)", config.option.markexpr))
    if not left_out or " or " in config.option.markexpr or not collection_path.match("test_*.py"):
        return None
    marked = MARKED.search(collection_path.read_text("utf-8"))
    return True if marked and left_out & set(re.findall(r"\bmark\.(\w+)", marked[1])) else None


def required() -> set[str]:
    return {mark.strip() for mark in os.environ.get(REQUIRE, "").split(",")} - {""}


def pytest_configure() -> None:
    unknown = required() - REQUIRABLE
    if unknown:
        raise pytest.UsageError(
            f"{REQUIRE} names {', '.join(sorted(unknown))}; it may name {', '.join(sorted(REQUIRABLE))}."
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    needs = required() & {mark.name for mark in item.iter_markers()}
    if report.skipped and needs and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        report.outcome = "failed"
        report.longrepr = f"{REQUIRE} requires {', '.join(sorted(needs))}, but the test was skipped. {reason}"
    return report
