"""The settings page: colours, the language, what Enter does, notifications, and the rules that answer by themselves."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, SCREENS, Theme, desk, press
from tests.browser.test_asks import steady
from tests.browser.test_signing_in import GROUND
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_colours_are_chosen_and_kept(chromium: Browser, house: House) -> None:
    """By the page, and by the browser around it."""
    ground = "getComputedStyle(document.body).backgroundColor"
    token = "getComputedStyle(document.documentElement).getPropertyValue('--ground')"
    with desk(chromium, house, theme="light") as place:
        seat = place.tab()
        around = seat.page.locator("meta[name=theme-color]")
        seat.page.get_by_role("link", name="Settings").click()
        expect(seat.page.get_by_role("heading", name="Appearance")).to_be_visible()
        seat.page.get_by_role("radio", name="Dark").check()
        assert seat.page.evaluate(ground) == GROUND["dark"]
        expect(around).to_have_attribute("content", seat.page.evaluate(token))
        assert serious(seat) == []
        seat.page.reload()
        expect(seat.page.get_by_role("radio", name="Dark")).to_be_checked()
        assert seat.page.evaluate(ground) == GROUND["dark"]
        expect(around).to_have_attribute("content", seat.page.evaluate(token))
        seat.page.get_by_role("radio", name="As the system has it").check()
        assert seat.page.evaluate(ground) == GROUND["light"]
        expect(around).to_have_attribute("content", seat.page.evaluate(token))
        seat.page.emulate_media(color_scheme="dark")
        assert seat.page.evaluate(ground) == GROUND["dark"]
        expect(around).to_have_attribute("content", seat.page.evaluate(token))
        seat.page.get_by_role("radio", name="Light").check()
        assert seat.page.evaluate(ground) == GROUND["light"]
        expect(around).to_have_attribute("content", seat.page.evaluate(token))
        seat.expect_fits()
        seat.expect_well()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", list(SCREENS))
def test_a_language_is_chosen_kept_and_given_back(chromium: Browser, house: House, screen: str, theme: Theme) -> None:
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/settings#appearance")
        languages = seat.page.get_by_role("group", name="Language")
        expect(languages.get_by_role("radio", name="As the browser has it")).to_be_checked()
        languages.get_by_role("radio", name="Deutsch").click()
        expect(seat.page.get_by_role("heading", name="Darstellung")).to_be_visible()
        expect(seat.page.get_by_role("radio", name="Deutsch")).to_be_checked()
        assert seat.page.evaluate("document.documentElement.lang") == "de"
        assert serious(seat) == []
        seat.expect_fits()
        seat.shot(f"settings-german-{screen}-{theme}")
        fresh = place.tab()
        fresh.page.goto(f"{fresh.link}/settings#appearance")
        expect(fresh.page.get_by_role("heading", name="Freigaberegeln")).to_be_visible()
        fresh.page.get_by_role("radio", name="Wie im Browser").click()
        expect(fresh.page.get_by_role("heading", name="Approval rules")).to_be_visible()
        expect(fresh.page.get_by_role("radio", name="As the browser has it")).to_be_checked()
        fresh.expect_well()


def test_the_page_speaks_as_the_browser_does(chromium: Browser, house: House) -> None:
    """Also if the browser's own country is one of several with that language."""
    with desk(chromium, house, locale="de-AT") as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/insights")
        expect(seat.page.get_by_role("heading", name="Einblicke")).to_be_visible()
        expect(seat.page.get_by_role("button", name="30 Tage")).to_be_visible()
        assert seat.page.evaluate("document.documentElement.lang") == "de"
        assert serious(seat) == []
        seat.expect_fits()
        seat.expect_well()


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_what_enter_does_is_chosen(chromium: Browser, house: House, person: Person, screen: str) -> None:
    """It sends where there is a keyboard and breaks the line where there is none, until somebody says otherwise."""
    session = person.begin()
    with desk(chromium, house, screen=screen) as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/settings#behaviour")
        choice = "Enter begins a new line Ctrl" if screen == "desk" else "Enter sends Shift"
        radio = seat.page.get_by_role("radio", name=choice)
        expect(radio).not_to_be_checked()
        radio.check()
        seat.open(session)
        seat.field.fill("!say one")
        seat.field.press("Enter")
        if screen == "desk":
            expect(seat.field).to_have_value("!say one\n")
            seat.field.press("Control+Enter")
        expect(seat.prose.first).to_have_text("one", timeout=PATIENCE_MS)
        seat.expect_well()


@pytest.mark.contract("A8")
def test_a_rule_is_listed_with_what_it_matches_and_revoked(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Clean up")
    person.say(session, '!approve "rm -r build" "recursive delete"')
    with desk(chromium, house) as place:
        seat = place.tab(session)
        steady(seat, 1)
        seat.page.get_by_role("button", name="Allow more…").click()
        seat.page.get_by_role("radio", name="Always, here").check()
        press(seat.page.get_by_role("button", name="Allow always, here"))
        expect(seat.prose.first).to_contain_text("approved", timeout=PATIENCE_MS)
        seat.page.get_by_role("link", name="Settings").click()
        rules = seat.page.get_by_role("region", name="Approval rules").get_by_role("listitem")
        expect(rules).to_contain_text("Any recursive delete, in ")
        expect(rules).to_contain_text("Clean up")
        expect(rules).to_contain_text("No use is known")
        person.wait_for_end(session, person.say(session, '!approve "rm -r more" "recursive delete"'))
        seat.page.reload()
        expect(rules).to_contain_text("Last used on ")
        seat.shot("settings-rules")
        rules.get_by_role("button", name="Revoke").click()
        expect(rules.get_by_role("button", name="Keep")).to_be_focused()
        press(rules.get_by_role("button", name="Ask me again from now on"))
        seat.expect_text("Nothing is allowed for good.")
        person.say(session, '!approve "rm -r other" "recursive delete"')
        assert len(person.wait_for_ask(session)) == 1
        seat.expect_well()
