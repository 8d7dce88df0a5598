"""Cards show, unabridged, what was asked: every place of an edit, a path and its size, every line before it is allowed."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, desk, press
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_two_places_of_one_file_are_two_diffs_on_one_card(chromium: Browser, house: House, person: Person) -> None:
    """An agent may change a file in two places at once; both are shown, before and after the answer."""
    session = person.begin()
    person.say(session, "!edit notes.txt | one | two | three | four\n!say done")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        expect(seat.cards).to_contain_text("wants to change files")
        for text in ("one", "two", "three", "four"):
            expect(seat.cards.get_by_text(text, exact=True)).to_be_visible()
        press(seat.cards.get_by_role("button", name="Allow once"))
        expect(seat.prose.last).to_have_text("done", timeout=PATIENCE_MS)
        expect(seat.page.get_by_role("region", name=re.compile("Changes in .*notes.txt"))).to_have_count(2)
        seat.expect_well()


BREAKS = """
const Whole = Blob
window.Blob = class extends Whole {
    constructor(parts, options) {
        if (String(parts?.[0]).includes('unbearable')) throw new Error('unbearable')
        super(parts, options)
    }
}
"""


def test_an_item_that_cannot_be_shown_says_so_and_the_rest_goes_on(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    person.say(session, "!say before\n!edit notes.txt | one | unbearable\n!say after")
    with desk(chromium, house, script=BREAKS) as place:
        seat = place.tab(session)
        seat.expect_text("This can’t be shown.")
        expect(seat.prose.first).to_have_text("before")
        (ask,) = person.asks(session)
        person.answer(session, ask["ask"], choice="once")
        expect(seat.prose.last).to_have_text("after", timeout=PATIENCE_MS)
        expect(seat.field).to_be_enabled()
