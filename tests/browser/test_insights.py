"""Insights on the page: plots of what was used, where the disk goes, how the server is; and words where nothing was."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import serious
from tests.browser.desk import Seat, Theme, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def look(seat: Seat) -> None:
    seat.page.get_by_role("link", name="Insights").click()
    expect(seat.page.get_by_role("heading", name="How the server is")).to_be_visible()


def test_where_nothing_ran_words_say_so(chromium: Browser, own_house: House) -> None:
    with desk(chromium, own_house) as place:
        seat = place.tab()
        look(seat)
        seat.expect_text("Nothing has run in these days.")
        seat.expect_text("nothing waits for a place")
        seat.expect_fits()
        assert serious(seat) == []
        seat.page.get_by_role("link", name="Begin a session").click()
        seat.expect_text("What should be done?")
        seat.expect_well()


def test_how_the_server_is_stays_true_while_somebody_looks(chromium: Browser, own_house: House) -> None:
    """Without a press: a run that begins meanwhile is seen."""
    person = Person(own_house)
    with desk(chromium, own_house) as place:
        seat = place.tab()
        look(seat)
        seat.expect_text("0 runners, nothing waits for a place")
        person.say(person.begin(title="Meanwhile"), "!approve make")
        seat.expect_text("1 runner, nothing waits for a place")
        seat.expect_well()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_what_was_used_can_be_seen_and_read(chromium: Browser, house: House, theme: Theme, screen: str) -> None:
    """Every plot says the same in words and as a table."""
    person = Person(house)
    session = person.begin(title="Count the boats")
    person.wait_for_end(session, person.say(session, "!usage 12000 3400\n!say done"))
    person.wait_for_end(session, person.say(session, "!fail No luck."))
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab()
        look(seat)
        seat.page.wait_for_timeout(200)
        seat.shot(f"insights-{screen}-{theme}")
        plot = seat.page.get_by_role("img", name="Failed or interrupted per day")
        expect(plot).to_be_visible()
        tokens = seat.page.locator("figure").filter(has_text="Tokens")
        tokens.get_by_text("As a table").click()
        expect(tokens.get_by_role("columnheader")).to_have_text(["Day", "written", "read"])
        expect(tokens.get_by_role("row")).to_have_count(2)  # the head, and today
        expect(seat.page.get_by_role("region", name="By agent").get_by_role("rowheader")).to_contain_text("Tour")
        heads = seat.page.get_by_role("region", name="By agent").get_by_role("columnheader")
        expect(heads).to_have_text(["Agent", "Tokens", "Cost", "Run time", "Approvals", "Failed"])
        seat.page.get_by_text("The largest sessions").click()
        seat.expect_fits()
        assert serious(seat) == []
        seat.page.get_by_role("button", name="7 days").click()
        expect(seat.page.get_by_role("button", name="7 days")).to_have_attribute("aria-pressed", "true")
        expect(plot).to_be_visible()
        seat.page.get_by_text("The largest sessions").click()
        seat.page.get_by_role("link", name="Count the boats").last.click()
        expect(seat.page.get_by_role("heading", name="Count the boats")).to_be_visible()
        seat.expect_well()
