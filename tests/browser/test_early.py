"""What is typed for a field that is still on its way is typed there, and nowhere else.

Without a service worker: what that keeps is here before it can be held.
"""

import time

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.desk import PATIENCE_MS, Desk, Seat, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WITHOUT = "delete Navigator.prototype.serviceWorker"


class Held:
    """Parts of the page that don't arrive until they are let go."""

    def __init__(self, place: Desk, *parts: str) -> None:
        self._routes: list[Route] = []
        for part in parts:
            place.context.route(f"**/assets/{part}-*.js", self._hold)

    def _hold(self, route: Route) -> None:
        self._routes.append(route)

    def until_asked(self, seat: Seat) -> None:
        deadline = time.monotonic() + PATIENCE_MS / 1_000
        while not self._routes:
            assert time.monotonic() < deadline, "it was never asked for"
            seat.page.wait_for_timeout(10)

    def let_go(self, seat: Seat) -> None:
        self.until_asked(seat)
        for route in self._routes:
            route.continue_()
        self._routes.clear()


def test_what_is_typed_early_waits_for_its_field(chromium: Browser, house: House, person: Person) -> None:
    """Not in the composer, where Enter would send it; not as a shortcut, which would lead away."""
    session = person.begin(title="Mend the harbour wall")
    person.wait_for_end(session, person.say(session, "!say The mortar wants seawater."))
    with desk(chromium, house, script=WITHOUT) as place:
        held = Held(place, "Layers", "FindBar", "Rewrite")
        seat = place.tab(session)
        expect(seat.prose).to_have_count(1, timeout=PATIENCE_MS)
        seat.field.fill("half a thought")
        keys = seat.page.keyboard
        keys.press("Control+k")
        keys.type("find in thos")
        keys.press("Backspace")
        keys.press("Backspace")
        keys.type("is")
        keys.press("Enter")
        held.let_go(seat)  # the palette, whose first entry is taken, which is another field
        held.until_asked(seat)
        keys.type("mort")
        held.let_go(seat)
        field = seat.page.get_by_role("textbox", name="Find in this session")
        expect(field).to_be_focused(timeout=PATIENCE_MS)
        keys.type("ar")
        expect(field).to_have_value("mortar")
        keys.press("Escape")
        expect(seat.field).to_be_focused()
        expect(seat.field).to_have_value("half a thought")

        seat.page.get_by_role("button", name="Edit and send again").first.focus()
        keys.press("Enter")
        keys.type(" Nothing else.")
        held.let_go(seat)
        again = seat.page.get_by_role("textbox", name="Edit your message")
        expect(again).to_have_value("!say The mortar wants seawater. Nothing else.", timeout=PATIENCE_MS)
        assert seat.page.get_by_role("region", name="Turn 2").count() == 0, "nothing of it was sent"
        seat.expect_well()


def test_what_nothing_took_is_given_to_nobody_else(chromium: Browser, house: House, person: Person) -> None:
    """The help has no field: what was typed while it was fetched is not typed into what is opened next."""
    session = person.begin(title="Caulk the boat")
    with desk(chromium, house, script=WITHOUT) as place:
        held = Held(place, "Layers")
        seat = place.tab(session)
        seat.page.get_by_role("heading", name="Caulk the boat").wait_for()
        seat.page.locator("body").evaluate("document.activeElement.blur()")
        seat.page.keyboard.press("?")
        held.until_asked(seat)
        seat.page.keyboard.type("abc")
        held.let_go(seat)
        expect(seat.page.get_by_role("dialog")).to_be_visible(timeout=PATIENCE_MS)
        seat.page.keyboard.press("Escape")
        expect(seat.page.get_by_role("dialog")).to_have_count(0)
        seat.page.keyboard.press("Control+k")
        expect(seat.page.get_by_role("combobox")).to_be_focused(timeout=PATIENCE_MS)
        expect(seat.page.get_by_role("combobox")).to_have_value("")
        seat.expect_well()


def test_who_thinks_better_of_it_before_it_is_there_sees_nothing_of_it(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin(title="Tar the roof")
    with desk(chromium, house, script=WITHOUT) as place:
        held = Held(place, "Layers")
        seat = place.tab(session)
        seat.field.fill("half a thought")
        seat.page.keyboard.press("Control+k")
        seat.page.keyboard.press("Escape")
        held.let_go(seat)
        seat.page.keyboard.press("Control+k")  # fetched now
        expect(seat.page.get_by_role("combobox")).to_be_focused(timeout=PATIENCE_MS)
        seat.page.keyboard.press("Escape")
        expect(seat.page.get_by_role("dialog")).to_have_count(0)
        expect(seat.field).to_be_focused()
        expect(seat.field).to_have_value("half a thought")
        seat.expect_well()
