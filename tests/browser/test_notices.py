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


def test_a_notification_leads_to_its_card(chromium: Browser, house: House, person: Person) -> None:
    waits = person.begin(title="Far away")
    with desk(chromium, house, script=PRETEND) as place:
        seat = place.tab()
        seat.page.get_by_role("button", name="Notify me when something waits").click()
        person.say(waits, "!approve far")
        wait_until(lambda: "far" in [notice["body"] for notice in open_notices(seat)], "a notification")
        seat.page.evaluate("window.notices.find(({body}) => body === 'far').onclick()")
        expect(seat.cards.filter(has_text="far")).to_be_visible(timeout=PATIENCE_MS)
        assert len(person.asks(waits)) == 1
        seat.expect_well()
