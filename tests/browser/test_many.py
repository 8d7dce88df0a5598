"""Ten thousand sessions in the list: what wants something stands on top, and the rest is scrolled to its end."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.desk import PATIENCE_MS, Seat, desk, press
from tests.browser.written import write_list
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

COUNT = 10_000


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("house") / "home") as house:
        write_list(house.home, COUNT)
        house.start()
        yield house


def row(seat: Seat, number: int) -> Locator:
    return seat.page.locator(f"nav a[href='/session/session-{number}']")


def test_the_list_is_scrolled_to_its_end(chromium: Browser, full: House) -> None:
    with desk(chromium, full) as place:
        seat = place.tab()
        expect(row(seat, COUNT)).to_be_visible(timeout=PATIENCE_MS)
        assert seat.rows.count() < 500
        nav = seat.page.get_by_role("navigation", name="Sessions")
        for _ in range(400):
            nav.evaluate("(node) => node.scrollTo(0, node.scrollHeight)")
            if row(seat, 1).count():
                break
            seat.page.wait_for_timeout(20)
        expect(row(seat, 1)).to_be_in_viewport(timeout=PATIENCE_MS)
        assert seat.rows.count() < 500, "what is far away is not there"
        row(seat, 1).click()
        expect(seat.page.get_by_role("heading", level=1)).to_have_text("Number 1")
        seat.expect_well()


def test_keys_move_through_the_list_and_find_what_waits_far_down(chromium: Browser, full: House) -> None:
    person = Person(full)
    oldest = person.begin(title="Asked long ago")
    person.say(oldest, "!approve make")
    person.wait_for_ask(oldest)
    for _ in range(60):
        person.begin(title="Newer")
    with desk(chromium, full) as place:
        seat = place.tab()
        waits = seat.page.get_by_role("region", name="Waits for you")
        expect(waits).to_contain_text("Asked long ago", timeout=PATIENCE_MS)
        seat.page.get_by_role("button", name="New session").focus()
        for _ in range(120):  # more than the first page holds
            seat.page.keyboard.press("j")
        focused = seat.page.evaluate("document.activeElement.getAttribute('href')")
        seat.page.keyboard.press("k")
        assert seat.page.evaluate("document.activeElement.getAttribute('href')") != focused
        seat.page.keyboard.press("j")
        seat.page.keyboard.press("Enter")
        seat.page.wait_for_url(f"**{focused}")
        expect(seat.field).to_be_visible()
        seat.page.get_by_role("region", name="Conversation").focus()
        seat.page.keyboard.press("g")
        seat.page.keyboard.press("w")
        seat.page.wait_for_url(f"**/session/{oldest}")
        press(seat.page.get_by_role("button", name="Deny", exact=True))
        expect(waits).to_have_count(0, timeout=PATIENCE_MS)
        seat.expect_well()
