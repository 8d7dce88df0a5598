"""A Chromium of the machine's own, driven by Playwright. Nothing is ever downloaded."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.setup_chromium import MISSING, find_chromium

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
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()
