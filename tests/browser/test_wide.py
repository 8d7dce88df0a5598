"""What is wider than the column scrolls in its own place, wherever in an answer it stands; nothing is cut off."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, Theme, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CODE = "long_name = " + " + ".join(f"number_{n}" for n in range(30))
TABLE = ["| " + " | ".join(f"column_{n}" for n in range(12)) + " |", "|" + "---|" * 12]
FORMULA = " + ".join(f"x_{{{n}}}" for n in range(60))
ANSWER = "\n".join([
    "In a list:", "", "1. Write it:", "", "   ```python", f"   {CODE}", "   ```", "",
    "2. Look at it:", "", *(f"   {line}" for line in TABLE), "",
    "   - Deeper:", "", "     ```text", f"     {CODE}", "     ```", "",
    "In a quote:", "", "> ```sh", f"> {CODE}", "> ```", ">", *(f"> {line}" for line in TABLE), "",
    f"> $$ {FORMULA} $$", "",
    f"Among words ${FORMULA}$ too.", "", f"- And ${FORMULA}$", "", "Short is $x^2$.", "", "The end.",
])  # fmt: skip

CUT = """() => [...document.querySelectorAll('.prose')].flatMap((prose) => {
    const edge = prose.getBoundingClientRect().right + 1
    const scrolls = (node) =>
        node !== prose && (['auto', 'scroll'].includes(getComputedStyle(node).overflowX) || scrolls(node.parentElement))
    return [...prose.querySelectorAll('*')]
        .filter((node) => node.getBoundingClientRect().right > edge && !scrolls(node))
        .map((node) => node.tagName)
})"""
"""What reaches past the answer and can't be scrolled to."""


@pytest.mark.parametrize(("screen", "theme"), [("phone", "light"), ("desk", "dark")])
def test_what_is_wide_scrolls_in_its_own_place_in_lists_and_in_quotes_too(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    session = person.begin()
    person.wait_for_end(session, person.say(session, "!say " + ANSWER.replace("\n", "\\n")))
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        expect(seat.prose.last).to_contain_text("The end.", timeout=PATIENCE_MS)
        expect(seat.page.locator(".prose math")).to_have_count(4)
        expect(seat.page.locator(".prose .math[tabindex]")).to_have_count(3)  # those that scroll
        seat.shot(f"wide-{screen}-{theme}")
        assert seat.page.evaluate(CUT) == []
        seat.expect_fits()
        for block in [*seat.page.locator(".prose pre").all(), *seat.page.get_by_role("region", name="Table").all()]:
            assert block.evaluate("(node) => node.scrollWidth > node.clientWidth")
            block.focus()
            block.press("End")
        assert serious(seat) == []
        seat.expect_well()
