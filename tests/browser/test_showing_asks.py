"""Cards show all of what was asked: every place of an edit, a path and a size, every line before it is allowed."""

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
        expect(seat.cards).to_contain_text("wants to change a file")
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


@pytest.mark.contract("A10")
def test_a_change_is_shown_with_its_path_its_size_and_all_it_came_with(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    person.say(session, "!write notes\u202etxt.md 2048")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.cards).to_contain_text("wants to write a file", timeout=PATIENCE_MS)
        expect(seat.cards.locator("figcaption")).to_contain_text("notesU+202Etxt.md")
        expect(seat.cards.locator("figcaption")).to_contain_text("2 kB")
        expect(seat.cards).to_contain_text("write notesU+202Etxt.md")
        assert "\u202e" not in seat.cards.inner_text()
        press(seat.cards.get_by_role("button", name="Deny", exact=True))
        expect(seat.prose.last).to_have_text("denied", timeout=PATIENCE_MS)


@pytest.mark.parametrize("size", ["normal", "larger"])
def test_the_lines_that_were_not_in_view_are_counted_whatever_their_size(
    chromium: Browser, house: House, person: Person, size: str
) -> None:
    """A command of 42 lines shows twelve."""
    session = person.begin()
    lines = "\\n".join(f"line {number}" for number in range(1, 43))
    person.say(session, f"!edit a.txt | x | {lines}")
    command = "; ".join(["true"] * 400)
    other = person.begin()
    person.say(other, f"!approve {command}")
    with desk(chromium, house, script=f"localStorage.setItem('holdfast.size', '\"{size}\"');") as place:
        seat = place.tab(other)
        expect(seat.cards).to_be_visible(timeout=PATIENCE_MS)
        well = seat.cards.get_by_role("region", name="What would run")
        line = "parseFloat(getComputedStyle(node).lineHeight)"
        hidden = well.evaluate(f"(node) => Math.round((node.scrollHeight - node.clientHeight) / {line})")
        expect(seat.cards).to_contain_text(f"{hidden} more lines")
        well.evaluate("(node) => node.scrollTo(0, node.scrollHeight)")
        expect(seat.cards).not_to_contain_text("more line")
        seat.open(session)
        expect(seat.cards).to_contain_text(re.compile("3[0-9] more lines"))


def test_a_countdown_is_not_shown_before_the_last_minute(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    person.say(session, "!ask Which tide? | ebb | flood | timeout=66")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.cards).to_contain_text("waiting 0:0", timeout=PATIENCE_MS)
        assert "left" not in seat.cards.inner_text()
        expect(seat.cards).to_contain_text("left", timeout=PATIENCE_MS)


def test_a_refusal_can_say_why_and_the_agent_hears_it(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    person.say(session, "!approve deploy")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.cards.get_by_role("button", name="Allow more").click()
        expect(seat.cards.get_by_role("radio").first).to_be_visible()
        press(seat.cards.get_by_role("button", name="Deny and say why"))
        expect(seat.cards.get_by_role("radio")).to_have_count(0)  # one thing at a time: both would not fit a phone
        expect(seat.cards.get_by_role("textbox", name="Why not")).to_be_focused()
        assert "A allows once" not in seat.cards.inner_text()
        seat.page.keyboard.type("not on a Friday")
        press(seat.cards.locator("form").get_by_role("button", name="Deny", exact=True))
        expect(seat.prose.last).to_have_text("denied:not on a Friday", timeout=PATIENCE_MS)
        (asked,) = [item for item in person.look(session).items if item["type"] == "approval"]
        assert (asked["choice"], asked["reason"]) == ("deny", "not on a Friday")
