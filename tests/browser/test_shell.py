"""The page in a real browser, served by a real `holdfast serve`, in both themes, on a desk and on a phone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from holdfast import __version__
from tests.served import Served, served

pytestmark = pytest.mark.browser

PATIENCE_MS = 60_000
SHOTS = Path(__file__).parent / "shots"

Theme = Literal["light", "dark"]
GROUND: dict[Theme, str] = {"light": "rgb(246, 247, 245)", "dark": "rgb(16, 22, 20)"}
SCREENS: dict[str, ViewportSize] = {
    "desk": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}


@dataclass
class Watched:
    """A page, and what went wrong or went out while it was open."""

    page: Page
    troubles: list[str] = field(default_factory=list[str])
    addresses: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", lambda request: self.addresses.append(request.url))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("home")) as server:
        yield server


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> Theme:
    return request.param


@pytest.fixture(params=["desk", "phone"])
def screen(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def watched(chromium: Browser, theme: Theme, screen: str) -> Iterator[Watched]:
    with chromium.new_context(viewport=SCREENS[screen], color_scheme=theme) as context:
        yield Watched(context.new_page())


def test_the_page_says_that_the_server_runs_and_which_version(
    watched: Watched, server: Served, theme: Theme, screen: str
) -> None:
    page = watched.page
    page.goto(server.link)
    expect(page.get_by_role("heading", name="The server is running")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_role("link", name="Holdfast")).to_be_visible()
    expect(page.get_by_text(f"Version {__version__}")).to_be_visible()
    keep_shot(page, f"running-{screen}-{theme}")
    assert page.title() == "Holdfast"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == GROUND[theme]
    assert_fits(page)
    assert watched.troubles == []
    assert [address for address in watched.addresses if not address.startswith(f"{server.link}/")] == []


def test_a_server_that_goes_is_noticed_and_found_again(
    watched: Watched, tmp_path: Path, theme: Theme, screen: str
) -> None:
    page = watched.page
    with served(tmp_path) as first:
        link = first.link
        page.goto(link)
        expect(page.get_by_role("heading", name="The server is running")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_role("heading", name="Can’t reach the server")).to_be_visible(timeout=PATIENCE_MS)
    keep_shot(page, f"lost-{screen}-{theme}")
    assert_fits(page)
    with served(tmp_path, options=["--port", link.rsplit(":", 1)[1]]):
        expect(page.get_by_role("heading", name="The server is running")).to_be_visible(timeout=PATIENCE_MS)


def test_a_session_address_opens_the_page(chromium: Browser, server: Served) -> None:
    with chromium.new_context() as context:
        watched = Watched(context.new_page())
        watched.page.goto(f"{server.link}/session/some-session")
        expect(watched.page.get_by_role("heading", name="The server is running")).to_be_visible(timeout=PATIENCE_MS)
        assert watched.troubles == []


def test_the_keyboard_reaches_the_name_and_shows_where_it_is(chromium: Browser, server: Served) -> None:
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(server.link)
        expect(page.get_by_role("heading", name="The server is running")).to_be_visible(timeout=PATIENCE_MS)
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Holdfast")).to_be_focused()
        outline = page.evaluate("getComputedStyle(document.activeElement).outline")
        assert "2px" in outline


def assert_fits(page: Page) -> None:
    """Nothing is wider than the screen."""
    widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert widths[0] == widths[1]


def keep_shot(page: Page, name: str) -> None:
    """Keep a picture, for a person to look at."""
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")
