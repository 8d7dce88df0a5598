"""A session on paper: all that is loaded of it, black on white, and nothing that is there to be pressed."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, Seat, Theme, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LINES = "\\n\\n".join(f"Line {number} of the chart." for number in range(1, 151))
OUTPUT = "\\n".join(f"output {number}" for number in range(1, 101))
WIDE = "wide_name " * 40
CHOSEN = "localStorage.setItem('holdfast.theme', '\"dark\"');"
AT_END = "node => node.scrollHeight - node.clientHeight - node.scrollTop < 5"

SEEN = """(node) => {
    const box = node.getBoundingClientRect()
    const root = document.documentElement
    const cut = (each) =>
        each.tagName !== 'BODY' && (getComputedStyle(each).overflowY !== 'visible' || cut(each.parentElement))
    const inside = box.height > 0 && box.top + scrollY >= 0 && box.bottom + scrollY <= root.scrollHeight
    return inside && !cut(node.parentElement)
}"""
"""It lies on the sheets, and no box that would scroll holds it."""


def pages(seat: Seat) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", seat.page.pdf(format="A4")))


@pytest.mark.parametrize("script", ["", CHOSEN])
def test_a_session_is_printed_as_a_whole_black_on_white_and_without_what_is_pressed(
    chromium: Browser, house: House, person: Person, script: str
) -> None:
    theme: Theme = "light" if script else "dark"  # dark was chosen, or is the system's
    session = person.begin(title="On paper")
    person.wait_for_end(session, person.say(session, "!say short"))
    said = f'!tool execute {{"command":"make {WIDE}"}} 1 {OUTPUT}\n!say ```\\n{WIDE}\\n```\\n\\n{LINES}'
    person.wait_for_end(session, person.say(session, said))
    turn = person.say(session, f"!approve {'step ' * 400}")
    person.wait_for_ask(session)
    with desk(chromium, house, theme=theme, script=script) as place:
        seat = place.tab(session)
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        seat.page.get_by_role("button", name="Run").first.click()
        seat.page.get_by_role("button", name="Show all 100 lines").click()
        seat.page.emulate_media(media="print")
        seat.shot(f"print-{theme}")
        for text in ("short", "output 1", "output 100", "Line 1 of the chart.", "Line 150 of the chart."):
            shown = (
                seat.page.locator(".said, .step pre")
                .get_by_text(text)
                .or_(seat.page.locator(".step pre").filter(has_text=text))
                .first
            )
            assert shown.evaluate(SEEN), text
        for pre in seat.page.locator("main pre, .card .well").all():
            assert pre.evaluate("n => n.scrollHeight <= n.clientHeight + 2 && n.scrollWidth <= n.clientWidth + 1")
        expect(seat.page.get_by_role("heading", name="On paper")).to_be_visible()
        for gone in (
            seat.page.get_by_role("navigation"),
            seat.field,
            seat.page.get_by_role("button", name="Allow once"),
        ):
            expect(gone).to_have_count(0)
        colours = seat.page.evaluate(
            "() => [getComputedStyle(document.body)].flatMap((s) => [s.backgroundColor, s.color])"
        )
        assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
        seat.page.emulate_media(media="null")
        expect(seat.field).to_be_visible()
        [ask] = person.asks(session)
        person.answer(session, ask["ask"], choice="once").raise_for_status()
        person.wait_for_end(session, turn)
        seat.expect_idle()
        assert pages(seat) > 4
        seat.expect_well()


def test_who_prints_is_left_where_they_read(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    person.wait_for_end(session, person.say(session, f"!say {LINES}"))
    with desk(chromium, house) as place:
        seat = place.tab(session)
        line = seat.page.get_by_text("Line 60 of the chart.", exact=True)
        expect(line).to_be_attached(timeout=PATIENCE_MS)
        conversation = seat.page.get_by_role("region", name="Conversation")
        assert pages(seat) > 2
        assert conversation.evaluate(AT_END)
        conversation.hover()
        seat.page.mouse.wheel(0, -900)
        expect(seat.page.get_by_role("button", name="Newest")).to_be_visible()
        line.scroll_into_view_if_needed()
        seat.page.wait_for_timeout(300)
        before = line.evaluate("node => node.getBoundingClientRect().top")
        assert pages(seat) > 2
        seat.page.wait_for_timeout(300)
        assert line.evaluate("node => node.getBoundingClientRect().top") == before
        expect(seat.page.get_by_role("button", name="Newest")).to_be_visible()
