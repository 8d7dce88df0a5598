"""A link to a message leads there: at once, however far back it lies, again, and where the server has a path."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, Seat, desk
from tests.browser.written import talk, write_session
from tests.journeys.house import QUIET, House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = SessionId("long")


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    config = f'{QUIET}\n[server]\npath = "/tools/holdfast"\n'
    with House(tmp_path_factory.mktemp("house") / "home", config) as house:
        write_session(house.home, LONG, talk(6_000), "A long one")
        house.start()
        yield house


def pages(seat: Seat) -> int:
    """How many pages of the session were asked for."""
    return sum("/pages/" in address or "/page?" in address for address in seat.addresses)


def test_a_link_leads_far_back_at_once(chromium: Browser, mounted: House) -> None:
    with desk(chromium, mounted) as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/session/{LONG}#at=t5-0")
        expect(seat.page.locator("#at-t5-0")).to_be_in_viewport(timeout=PATIENCE_MS)
        assert pages(seat) < 5
        assert seat.troubles == []


def test_a_hit_of_a_search_leads_to_its_place_as_often_as_it_is_chosen(chromium: Browser, mounted: House) -> None:
    with desk(chromium, mounted) as place:
        seat = place.tab(LONG)
        seat.page.get_by_role("searchbox").fill("question 77")
        hit = seat.page.locator("nav").get_by_text("question 77", exact=True)
        for _ in range(2):
            hit.click()
            expect(seat.page.locator("#at-t77-0")).to_be_in_viewport(timeout=PATIENCE_MS)
            seat.page.get_by_role("button", name="Newest").click()
            expect(seat.page.locator("#at-t77-0")).not_to_be_in_viewport()


def test_the_link_of_a_message_has_the_path_of_the_server(chromium: Browser, mounted: House) -> None:
    with desk(chromium, mounted, permissions=["clipboard-read", "clipboard-write"]) as place:
        seat = place.tab(LONG)
        seat.page.locator("#at-t6000-0").hover()
        seat.page.locator("#at-t6000-0").get_by_role("button", name="Copy a link to this message").click()
        copied = seat.page.evaluate("navigator.clipboard.readText()")
        assert copied == f"{seat.link}/session/{LONG}#at=t6000-0"
        seat.page.goto(copied)
        expect(seat.page.locator("#at-t6000-0")).to_be_in_viewport(timeout=PATIENCE_MS)


HIDDEN = """
    window.hidden_ = true
    Object.defineProperty(document, 'visibilityState', {get: () => window.hidden_ ? 'hidden' : 'visible'})
"""


def test_what_ended_in_a_hidden_tab_is_seen_when_the_tab_is_looked_at(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()

    def unseen() -> bool:
        rows = person.get("/api/sessions").json()["sessions"]
        return next(row for row in rows if row["id"] == session)["unseen"]

    with desk(chromium, house, script=HIDDEN) as place:
        seat = place.tab(session)
        person.say(session, "!say done")
        expect(seat.prose.last).to_have_text("done", timeout=PATIENCE_MS)
        seat.expect_idle()
        assert unseen()
        seat.page.route("**/api/sessions/*", lambda route: route.abort())
        seat.page.evaluate("window.hidden_ = false; document.dispatchEvent(new Event('visibilitychange'))")
        seat.page.wait_for_timeout(500)
        assert unseen()
        seat.page.unroute_all()
        seat.page.evaluate("window.dispatchEvent(new Event('online'))")
        wait_until(lambda: not unseen(), "what was seen is told")
