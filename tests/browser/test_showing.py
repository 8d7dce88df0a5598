"""Everything that a transcript can hold, as it looks when a session is opened later."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from holdfast.core.ids import SessionId
from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, STEADY_MS, Theme, desk
from tests.browser.written import EVERYTHING, write_session
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SESSION = SessionId("everything")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("house") / "home") as house:
        write_session(house.home, SESSION, [("Port the parser to msgspec.", EVERYTHING)], "Port the parser")
        house.start()
        yield house


def test_a_formula_stands_there_once_however_often_it_is_drawn(chromium: Browser, house: House) -> None:
    """An answer is drawn again when it is over, and what sets its formulas may still be on its way then."""
    person = Person(house)
    session = person.begin(title="What it costs")
    with desk(chromium, house, service_workers="block") as place:
        held: list[Route] = []
        place.context.route("**/assets/katex-*.js", lambda route: held.append(route))  # noqa: PLW0108  a lambda is what it takes
        seat = place.tab(session)
        seat.say("!speak 100 It costs $O(n^2)$ steps.\\n\\nMore of them come later.")
        expect(seat.prose).to_contain_text("later.", timeout=PATIENCE_MS)
        seat.expect_idle()
        seat.page.wait_for_timeout(STEADY_MS)
        assert held != []
        for route in held:
            route.continue_()
        expect(seat.page.locator(".prose math")).to_have_count(1, timeout=PATIENCE_MS)
        seat.page.wait_for_timeout(STEADY_MS)
        assert seat.page.locator(".prose math").count() == 1
        assert seat.page.locator(".prose annotation").all_text_contents() == ["O(n^2)"]
        seat.expect_well()


PLACES = """(boxes) => boxes.map((box) => {
    const line = document.createRange()
    line.selectNodeContents(box.parentElement)
    return Math.round(box.getBoundingClientRect().top - line.getBoundingClientRect().top)
})"""
"""How far below the top of its line each box stands."""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_everything_that_a_run_can_show(chromium: Browser, shown: House, theme: Theme, screen: str) -> None:
    with desk(chromium, shown, screen=screen, theme=theme) as place:
        seat = place.tab(SESSION)
        page = seat.page
        expect(page.locator("pre .hljs-keyword").first).to_be_attached(timeout=PATIENCE_MS)
        expect(page.locator(".prose math").first).to_be_attached(timeout=PATIENCE_MS)
        expect(page.locator(".prose math mspace").first).to_be_attached()  # n log n, not nlogn
        boxes = page.locator(".prose input[type=checkbox]").evaluate_all(PLACES)
        assert len(set(boxes)) == 1, "a ticked box stands where an empty one does"
        expect(page.get_by_role("table")).to_contain_text("35,000")
        expect(page.get_by_text("There are three callers.")).to_be_attached()
        expect(page.locator(".prose input[type=checkbox]:checked")).to_have_count(1)
        expect(page.get_by_text("2 failed, 40 passed")).to_be_attached()
        assert serious(seat) == []
        seat.expect_fits()
        seat.shot(f"everything-end-{screen}-{theme}")
        page.get_by_role("region", name="Conversation").evaluate("(node) => node.scrollTo(0, 0)")
        page.wait_for_timeout(200)
        seat.shot(f"everything-{screen}-{theme}")
        seat.expect_well()


def test_steps_are_folded_when_they_are_opened_later_but_edits_and_failures_are_not(
    chromium: Browser, shown: House
) -> None:
    with desk(chromium, shown) as place:
        page = place.tab(SESSION).page
        summary = page.get_by_role("button", name="6 steps")
        expect(summary).to_have_text("6 steps · 1 edit · 1 failed", timeout=PATIENCE_MS)
        expect(page.get_by_text("src/holdfast/core/events.py")).to_have_count(0)
        expect(page.get_by_text("pytest tests/codec -q")).to_be_attached()
        summary.click()
        expect(page.get_by_text("src/holdfast/core/events.py")).to_be_attached()


def test_a_message_has_an_address_of_its_own(chromium: Browser, shown: House) -> None:
    with desk(chromium, shown) as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/session/{SESSION}#at=t1-0")
        expect(seat.page.locator("#at-t1-0")).to_be_in_viewport(timeout=PATIENCE_MS)


def test_the_context_meter_says_what_is_known(chromium: Browser, shown: House) -> None:
    with desk(chromium, shown) as place:
        seat = place.tab(SESSION)
        expect(seat.page.get_by_text("12.4 k of 128 k")).to_be_visible(timeout=PATIENCE_MS)
        expect(seat.page.get_by_text("$0.04").first).to_be_visible()
