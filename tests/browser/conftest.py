"""A Chromium of the machine's own, driven by Playwright. Nothing is ever downloaded."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.setup_chromium import MISSING, find_chromium
from tests.journeys.house import House
from tests.journeys.person import Person

expect.set_options(timeout=30_000)  # machines are noisy: what is expected is waited for
FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MAPPED = "--host-resolver-rules=MAP harbour.test 127.0.0.1"
"""A name that is no secure context: a page by plain http from elsewhere, as far as the browser can tell."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for a file of tests, and gone behind it.

    Playwright's synchronous face keeps an event loop running in this thread for as long as it is
    open; a test that wants a loop of its own finds none while it does.
    """
    executable = find_chromium()
    if executable is None:
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*FLAGS, MAPPED])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for a file of tests that leave it running."""
    with House(tmp_path_factory.mktemp("house") / "home") as house:
        house.start()
        yield house


@pytest.fixture
def own_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server for one test, which may do with it what it likes."""
    with House(tmp_path_factory.mktemp("house") / "home") as house:
        house.start()
        yield house


@pytest.fixture
def person(house: House) -> Person:
    return Person(house)
