"""Signing in, in a real browser: by a link, and what is said to somebody who has none."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from holdfast import __version__
from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, SCREENS, Seat, Theme, desk
from tests.browser.written import say, write_session
from tests.journeys.house import House
from tests.served import served

pytestmark = pytest.mark.browser

GROUND: dict[Theme, str] = {"light": "rgb(246, 247, 245)", "dark": "rgb(16, 22, 20)"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_who_has_no_link_is_told_how_to_get_one(chromium: Browser, house: House, theme: Theme, screen: str) -> None:
    with chromium.new_context(viewport=SCREENS[screen], color_scheme=theme) as context:
        seat = Seat(context.new_page(), house.server.link)
        seat.open()
        seat.expect_text("holdfast link")
        expect(seat.page.get_by_text(f"Version {__version__}")).to_be_visible()
        assert seat.page.evaluate("getComputedStyle(document.body).backgroundColor") == GROUND[theme]
        seat.shot(f"sign-in-{screen}-{theme}")
        seat.expect_fits()
        seat.expect_well()


def test_a_link_signs_in_once_and_its_code_leaves_the_address(chromium: Browser, own_house: House) -> None:
    server = own_house.server
    with chromium.new_context() as context:
        seat = Seat(context.new_page(), server.link)
        seat.page.goto(f"{server.link}/#code={server.code}")
        expect(seat.page.get_by_role("heading", name="What should be done?")).to_be_visible()
        assert "code" not in seat.page.url
        seat.page.reload()
        expect(seat.page.get_by_role("heading", name="What should be done?")).to_be_visible()
        seat.expect_well()
    with chromium.new_context() as context:
        late = Seat(context.new_page(), server.link)
        late.page.goto(f"{server.link}/#code={server.code}")
        late.expect_text("not valid any more")


def test_a_token_that_has_lost_its_power_is_noticed(chromium: Browser, own_house: House) -> None:
    with desk(chromium, own_house) as place:
        seat = place.tab()
        expect(seat.page.get_by_role("heading", name="What should be done?")).to_be_visible()
        seat.page.evaluate("localStorage.setItem('holdfast.token', 'x')")
        place.context.add_init_script("localStorage.setItem('holdfast.token', 'x')")
        seat.page.reload()
        seat.expect_text("not valid any more")


def test_the_page_works_under_a_path(chromium: Browser, tmp_path: Path) -> None:
    """Its scripts, its stream and its addresses: a session is begun, and its address opens it again. Diagrams too."""
    (tmp_path / "config.toml").write_text('[server]\npath = "/tools/holdfast"\n')
    write_session(
        tmp_path, SessionId("drawn"), [("Draw it.", [say("```mermaid\nflowchart LR\n  A --> B\n```")])], "Drawn"
    )
    with served(tmp_path) as server, chromium.new_context() as context:
        seat = Seat(context.new_page(), server.link)
        seat.page.goto(f"{server.link}/#code={server.code}")
        expect(seat.page.get_by_role("heading", name="What should be done?")).to_be_visible()
        with server.client() as client:
            session = client.post("/api/sessions", json={"title": "Under a path"}).json()["id"]
        seat.page.get_by_role("link", name="Under a path").click()
        expect(seat.page).to_have_url(f"{server.link}/session/{session}")
        seat.page.reload()
        expect(seat.page.get_by_role("heading", name="Under a path")).to_be_visible()
        seat.page.get_by_role("region", name="Conversation").focus()
        seat.page.keyboard.press("j")
        expect(seat.page.get_by_role("link", name="Under a path")).to_be_focused()
        seat.page.get_by_role("link", name="Drawn").click()
        expect(seat.page.locator(".prose .diagram img")).to_have_count(1, timeout=PATIENCE_MS)
        seat.expect_well()
