"""`HOLDFAST_TEST_REQUIRE` does what the conftest says, shown by running pytest on a small suite of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a pytest inside pytest

SUITE = """
import pytest

@pytest.mark.browser
def test_that_needs_a_browser():
    pytest.skip("No Chromium was found.")

def test_that_skips_for_another_reason():
    pytest.skip("Not on this system.")
"""
SETTINGS = "[pytest]\nmarkers = browser\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "test_suite.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "conftest.py").write_text((Path(__file__).parent / "conftest.py").read_text())
    return tmp_path


def run(suite: Path, require: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOLDFAST_TEST_REQUIRE": require}
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", str(suite)]
    return subprocess.run(command, cwd=suite, env=environment, capture_output=True, text=True, check=False)


def test_a_skip_of_what_is_not_required_stays_a_skip_with_its_reason(suite: Path) -> None:
    done = run(suite, require="")
    assert done.returncode == 0, done.stdout
    assert "2 skipped" in done.stdout
    assert "No Chromium was found." in done.stdout


def test_a_skip_of_what_is_required_fails_with_its_reason(suite: Path) -> None:
    done = run(suite, require="browser,agents")
    assert done.returncode == 1, done.stdout
    assert "1 failed, 1 skipped" in done.stdout
    assert "requires browser, but the test was skipped. Skipped: No Chromium was found." in done.stdout


def test_an_unknown_requirement_is_refused(suite: Path) -> None:
    done = run(suite, require="brwoser")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "HOLDFAST_TEST_REQUIRE names brwoser; it may name agents, browser." in done.stderr
