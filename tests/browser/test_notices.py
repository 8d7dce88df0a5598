"""Notifications: asked for by a button, one for what waits, none for what is looked at, gone when it is answered."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, Seat, desk
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# A browser without a screen shows none; this one writes them down instead.
PRETEND = """
    window.notices = []
    window.asked = 0
    window.Notification = class {
        static get permission() { return localStorage.getItem('pretended') ?? 'default' }
        static requestPermission() {
            window.asked += 1
            localStorage.setItem('pretended', 'granted')
            return Promise.resolve('granted')
        }
        constructor(title, options) {
            Object.assign(this, {title, tag: options.tag, body: options.body, open: true})
            window.notices.push(this)
        }
        close() { this.open = false }
    }
"""

HIDDEN = "Object.defineProperty(document, 'visibilityState', {get: () => 'hidden'});"


def open_notices(seat: Seat) -> list[dict[str, Any]]:
    return seat.page.evaluate(
        "window.notices.filter((each) => each.open).map(({title, tag, body}) => ({title, tag, body}))"
    )


def test_what_waits_elsewhere_is_told_once_and_taken_back_when_it_is_answered(
    chromium: Browser, house: House, person: Person
) -> None:
    waits, looked_at = person.begin(title="Far away"), person.begin(title="Before the eyes")
    with desk(chromium, house, script=PRETEND) as place:
        seat = place.tab(looked_at)
        expect(seat.field).to_be_visible()
        assert seat.page.evaluate("window.asked") == 0
        seat.page.get_by_role("button", name="Notify me when something waits").click()
        person.say(looked_at, "!approve near")
        person.say(waits, "!approve far")
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        wait_until(lambda: open_notices(seat), "a notification")
        (notice,) = open_notices(seat)
        assert (notice["title"], notice["body"]) == ("Far away waits for you", "far")
        (ask,) = person.asks(waits)
        person.answer(waits, ask["ask"], choice="deny").raise_for_status()
        wait_until(lambda: open_notices(seat) == [], "the end of the notification")
        seat.expect_well()


def test_each_ask_is_told_once_in_a_browser_and_by_the_tab_that_has_it_open(
    chromium: Browser, own_house: House
) -> None:
    person = Person(own_house)
    waits, elsewhere = person.begin(title="Four at once"), person.begin(title="Elsewhere")
    with desk(chromium, own_house, script=PRETEND + HIDDEN) as place:
        first, second = place.tab(elsewhere), place.tab(waits)
        for seat in (first, second):
            expect(seat.field).to_be_visible()
            seat.page.get_by_role("button", name="Notify me when something waits").click()
        person.say(waits, "!approvemany 4")
        person.say(elsewhere, "!ask Which tide? | ebb | flood")
        wait_until(lambda: len(open_notices(second)) == 4, "a notification for each ask")
        wait_until(lambda: len(open_notices(first)) == 1, "a notification in the other tab")
        assert len({notice["tag"] for notice in open_notices(second)}) == 4
        ask = person.asks(waits)[1]["ask"]
        person.answer(waits, ask, choice="deny").raise_for_status()
        wait_until(lambda: len(open_notices(second)) == 3, "the end of one notification")
        assert f"holdfast-{ask}" not in [notice["tag"] for notice in open_notices(second)]
        assert len(open_notices(first)) == 1
        # A third tab knows nothing of what was told, and need not.
        third = place.tab()
        expect(third.page.get_by_role("region", name="Waits for you")).to_contain_text("Four at once")
        third.page.wait_for_timeout(500)
        assert open_notices(third) == []
        second.expect_well()


def test_a_notification_leads_to_its_card(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    waits = person.begin(title="Far away")
    with desk(chromium, own_house, script=PRETEND) as place:
        seat = place.tab()
        seat.page.get_by_role("button", name="Notify me when something waits").click()
        person.say(waits, "!approvemany 3")
        wait_until(lambda: len(open_notices(seat)) >= 3, "notifications")
        ask = person.asks(waits)[2]["ask"]
        seat.page.evaluate("(tag) => window.notices.find((each) => each.tag === tag).onclick()", f"holdfast-{ask}")
        expect(seat.page.locator(f"[data-ask='{ask}']")).to_be_focused(timeout=PATIENCE_MS)
        expect(seat.page.locator(f"[data-ask='{ask}']")).to_be_in_viewport()
        seat.rest()
        seat.page.keyboard.press("a")  # it was a click that led here: no letter is meant
        assert len(person.asks(waits)) == 3
        seat.expect_well()
