"""Finding something in a conversation: by the keyboard, on a phone, while it grows, and far back in a long one."""

import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import Browser, Locator, expect

from holdfast.core.ids import SessionId, TurnId
from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, Seat, Theme, desk
from tests.browser.written import EVERYTHING, Written, talk, write_session
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MARKED = """(words) => {
    const found = [...(CSS.highlights.get('found-now') ?? [])].map((range) => range.toString())
    return JSON.stringify(found) === JSON.stringify(words)
}"""
PLACE = """(text) => {
    const view = document.querySelector('.scroller').getBoundingClientRect()
    const inside = ({ top, bottom }) => top >= view.top && bottom <= view.bottom
    const ranges = [...(CSS.highlights.get('found-now') ?? [])].filter((range) => range.toString() === text)
    return ranges.some((range) => inside(range.getBoundingClientRect()))
}"""
AGAIN = """() => document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }))"""
"""True if nobody has prevented what the browser does by this stroke."""


def field(seat: Seat) -> Locator:
    return seat.page.get_by_role("textbox", name="Find in this session")


def standing(seat: Seat, words: str | re.Pattern[str]) -> None:
    status = seat.page.get_by_role("search", name="Find in this session").get_by_role("status")
    expect(status).to_have_text(words, timeout=PATIENCE_MS)


def marked(seat: Seat, *words: str) -> None:
    """These and no others are marked as the place that the reader is at. It is drawn a frame after it was counted."""
    seat.page.wait_for_function(MARKED, arg=words)


def in_sight(seat: Seat, text: str) -> None:
    """This is marked as the place that the reader is at, and can be seen."""
    seat.page.wait_for_function(PLACE, arg=text)


def test_the_keyboard_alone_finds_goes_on_and_comes_back(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Mend the harbour wall")
    for text in ("!say The **mortar** wants seawater.", "!say Nothing.", "!say Tomorrow: Mortar, again Mörtar."):
        person.wait_for_end(session, person.say(session, text))
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.prose).to_have_count(3, timeout=PATIENCE_MS)
        seat.field.fill("half a thought")
        seat.page.keyboard.press("Control+f")
        expect(field(seat)).to_be_focused()
        seat.page.keyboard.type("THE MORTAR wants")
        standing(seat, "1 of 2")  # in the message and in the answer, the first of which is in sight already
        field(seat).fill("mortar")
        standing(seat, "1 of 6")  # as many as there are words that are marked
        seat.page.wait_for_function("CSS.highlights.get('found')?.size === 6")
        seat.page.keyboard.press("Shift+Enter")
        standing(seat, "6 of 6")
        in_sight(seat, "Mörtar")
        marked(seat, "Mörtar")
        seat.page.keyboard.press("ArrowUp")
        standing(seat, "5 of 6")
        marked(seat, "Mortar")
        seat.page.keyboard.press("Enter")
        seat.page.keyboard.press("Enter")
        standing(seat, "1 of 6")
        seat.page.keyboard.press("Enter")
        standing(seat, "2 of 6")
        in_sight(seat, "mortar")
        assert seat.page.locator(".prose [data-found], .prose mark").count() == 0
        field(seat).fill("granite")
        standing(seat, "Not found")
        marked(seat)
        field(seat).focus()
        assert seat.page.evaluate(AGAIN)  # it is the browser's now
        seat.page.keyboard.press("Escape")
        expect(field(seat)).to_have_count(0)
        expect(seat.field).to_be_focused()
        expect(seat.field).to_have_value("half a thought")
        seat.page.wait_for_function("CSS.highlights.size === 0")
        seat.page.keyboard.press("Control+k")
        seat.page.keyboard.type("find in this")
        seat.page.keyboard.press("Enter")
        expect(field(seat)).to_be_focused()
        seat.expect_fits()
        seat.expect_well()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_it_is_offered_where_a_session_is_listed(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    session = person.begin(title="Where the kelp grows")
    person.wait_for_end(session, person.say(session, "!say The kelp grows by the wall."))
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab()
        row = seat.page.locator("li", has=seat.page.locator(f"a[href='/session/{session}']"))
        row.get_by_role("button", name="More").click()
        seat.page.get_by_role("menuitem", name="Find in it").click()
        expect(field(seat)).to_be_focused(timeout=PATIENCE_MS)
        field(seat).fill("kelp")
        standing(seat, "1 of 2")
        in_sight(seat, "kelp")
        seat.page.get_by_role("button", name="The next one").click()
        standing(seat, "2 of 2")
        seat.expect_fits()
        assert serious(seat) == []
        seat.page.get_by_role("button", name="Close the search").click()
        expect(field(seat)).to_have_count(0)
        seat.expect_well()


def test_what_is_being_said_is_found_while_it_is(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Grows")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible(timeout=PATIENCE_MS)
        seat.page.keyboard.press("Control+f")
        field(seat).fill("limpet")
        standing(seat, "Not found")
        turn = person.say(session, "!stream 400 20 limpet")
        standing(seat, re.compile("^1 of [1-9]"))
        expect(seat.page.get_by_role("button", name="Stop")).to_be_visible()
        person.wait_for_end(session, turn)
        person.wait_for_end(session, person.say(session, "!say The last limpet."))
        standing(seat, "1 of 403")  # both messages hold it, too
        seat.expect_well()


def long(count: int) -> Iterable[Written]:
    """Short turns, of which the first did everything that a turn can do."""
    yield "Port it.", EVERYTHING
    yield from list(talk(count))[1:]


def test_a_long_session_is_searched_whole_and_loaded_in_pieces(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Twenty thousand messages: what is found is reached at once, with what lies around it and nothing between."""
    with House(tmp_path_factory.mktemp("house") / "home") as house:
        session = SessionId("long")
        write_session(house.home, session, long(10_000), "Long")
        house.start()
        with desk(chromium, house) as place:
            seat = place.tab(session)
            expect(seat.prose.last).to_have_text("answer 10000", timeout=PATIENCE_MS)
            seat.page.keyboard.press("Control+f")
            field(seat).fill("answer 123")
            standing(seat, "11 of 11")  # 123, 1230 to 1239
            in_sight(seat, "answer 123")
            seat.page.keyboard.press("Enter")
            standing(seat, "1 of 11")
            expect(seat.page.locator(f"#at-{TurnId('t123')}-1")).to_be_in_viewport(timeout=PATIENCE_MS)
            in_sight(seat, "answer 123")
            assert seat.page.locator("section[aria-label^='Turn ']").count() < 1_000
            reached_by_reading_on(seat)
            field(seat).fill("faster")
            standing(seat, "1 of 1")
            in_sight(seat, "faster")
            seat.page.get_by_role("button", name="Newest").click()
            expect(seat.prose.last).to_be_in_viewport()
            seat.expect_well()


def reached_by_reading_on(seat: Seat) -> None:
    """Below what was reached comes what follows it, and not what happened to be on the page before."""
    numbers = "[...document.querySelectorAll('section[aria-label^=\"Turn \"]')].map((turn) => +turn.ariaLabel.slice(5))"
    seat.page.locator(".scroller").focus()
    for _ in range(40):
        seat.page.keyboard.press("PageDown")
        seat.page.wait_for_timeout(50)
    there: list[int] = seat.page.evaluate(numbers)
    at = there.index(123)
    assert there[at : at + 100] == list(range(123, 223))
    assert there == sorted(there)
