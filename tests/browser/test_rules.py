"""Allowing more than once: what it would mean is said first, and a second press is needed (A8)."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import desk, press
from tests.browser.test_asks import steady
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.contract("A8")]


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_allowing_more_says_what_it_would_match_and_needs_a_second_press(
    chromium: Browser, house: House, person: Person, screen: str
) -> None:
    session = person.begin(title="Clean up")
    with desk(chromium, house, screen=screen) as place:
        seat = place.tab(session)
        person.say(session, '!approve "rm -r build" "recursive delete"\n!approve "rm -r other" "recursive delete"')
        steady(seat, 1)
        seat.page.get_by_role("button", name="Allow more…").click()
        seat.expect_text("Any recursive delete, in ")
        expect(seat.page.get_by_text("until this session ends")).to_be_visible()
        seat.page.get_by_role("radio", name="For this session").check()
        assert len(person.asks(session)) == 1, "nothing is allowed by the first press"
        seat.rest()
        seat.shot(f"allow-more-{screen}")
        press(seat.page.get_by_role("button", name="Allow for this session"))
        seat.expect_text("Allowed for this session by you")
        seat.expect_text("Allowed once by a rule")
        seat.expect_idle()
        assert seat.page.get_by_text("approved:once").count() == 2
        seat.expect_well()
        seat.expect_fits()
