"""What lies beside the sessions, in German and from right to left: settings, insights, palette, and signing in."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, STEADY_MS, desk
from tests.browser.languages import cut_off
from tests.browser.test_words import button, expect_german, german, opened
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SECTIONS = ["agents", "models", "appearance", "behaviour", "notifications", "rules", "moving", "signIn"]
CHIP = {"desk": "[data-part=workspace]", "phone": "[data-part=all]"}


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_the_settings_are_all_german(chromium: Browser, house: House, screen: str) -> None:
    """The built-in agent has a model here: why an agent is not ready, the server says."""
    with house.server.client() as client:
        client.put(
            "/api/endpoints/hafen", json={"base_url": "http://127.0.0.1:9/v1", "models": ["anker"]}
        ).raise_for_status()
    with desk(chromium, house, screen=screen, locale="de-DE") as place:
        seat = opened(place)
        for section in SECTIONS:
            seat.page.goto(f"{seat.link}/settings#{'sign-in' if section == 'signIn' else section}")
            seat.page.reload()
            heading = seat.page.get_by_role("heading", name=german(f"settings.{section}.title"), exact=True)
            expect(heading).to_be_in_viewport(timeout=PATIENCE_MS)
            expect(seat.page.get_by_text(german("ui.asking"))).to_have_count(0)
            if section == "models":
                button(seat, "settings.models.add").click()
            if section == "signIn":
                button(seat, "settings.signIn.connect").click()
                expect(seat.page.get_by_role("img", name=german("settings.signIn.code"))).to_be_visible()
                button(seat, "settings.password.set").click()
            expect_german(seat, f"settings-{section}-{screen}")
        seat.expect_well()


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_insights_palette_and_keys_are_all_german(chromium: Browser, house: House, person: Person, screen: str) -> None:
    session = person.begin(title="Hafenmauer ausbessern")
    person.wait_for_end(session, person.say(session, "!usage 12400 3100\n!say Erledigt."))
    with desk(chromium, house, screen=screen, locale="de-DE") as place:
        seat = opened(place, session)
        seat.page.keyboard.press("Control+k")
        expect(seat.page.get_by_role("dialog", name=german("palette.title"))).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"palette-{screen}")
        seat.page.get_by_role("combobox").fill("qqqq")
        expect(seat.page.get_by_text(german("palette.nothing"))).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"palette-nothing-{screen}")
        seat.page.keyboard.press("Escape")
        seat.page.goto(f"{seat.link}/insights")
        expect(seat.page.get_by_role("heading", name=german("insights.disk.title"))).to_be_visible(timeout=PATIENCE_MS)
        expect(seat.page.get_by_role("figure", name=german("insights.tokens"))).to_contain_text(re.compile(r"\d Tsd\."))
        seat.page.get_by_text(german("insights.table")).first.click()
        expect_german(seat, f"insights-{screen}")
        seat.page.keyboard.press("?")
        expect(seat.page.get_by_role("dialog", name=german("palette.keys"))).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"keys-{screen}")
        seat.expect_well()


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_choosing_and_signing_in_are_all_german(chromium: Browser, house: House, person: Person, screen: str) -> None:
    session = person.begin(title="Hafenmauer ausbessern")
    with desk(chromium, house, screen=screen, locale="de-DE") as place:
        seat = opened(place, session)
        seat.page.locator(CHIP[screen]).click()
        expect(seat.page.get_by_role("dialog")).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"choosing-{screen}")
    with desk(chromium, house, screen=screen, locale="de-DE", script="localStorage.clear()") as place:
        seat = opened(place)
        expect(seat.page.get_by_text(german("account.link"))).to_be_visible(timeout=PATIENCE_MS)
        seat.page.get_by_role("textbox").fill("geraten")
        button(seat, "account.signIn").click()
        expect(seat.page.get_by_role("alert")).to_have_text(german("api.refused.NoPassword"), timeout=PATIENCE_MS)
        expect_german(seat, f"sign-in-{screen}")


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_what_lies_aside_fits_from_right_to_left(chromium: Browser, house: House, person: Person, screen: str) -> None:
    session = person.begin(title="Mend the wall")
    person.wait_for_end(session, person.say(session, "!usage 12400 3100\n!say Done."))
    with desk(chromium, house, screen=screen) as place:
        seat = place.tab()
        for path in ("settings#models", "settings#moving", "insights", f"session/{session}"):
            seat.page.goto(f"{seat.link}/{path}")
            seat.page.reload()
            expect(seat.page.locator("main h1, main textarea").first).to_be_visible(timeout=PATIENCE_MS)
            seat.page.evaluate("() => (document.documentElement.dir = 'rtl')")
            if path.startswith("session"):
                seat.page.locator(CHIP[screen]).click()
                expect(seat.page.get_by_role("dialog")).to_be_visible(timeout=PATIENCE_MS)
            seat.page.wait_for_timeout(STEADY_MS)
            seat.shot(f"mirrored-{path.split('/')[0].replace('#', '-')}-{screen}")
            seat.expect_fits()
            assert cut_off(seat) == [], path
