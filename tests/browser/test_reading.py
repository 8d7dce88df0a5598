"""Who reads is left where they read: whatever arrives, settles or breaks, the line they look at stays."""

import pytest
from playwright.sync_api import Browser, Locator, expect

from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, Desk, Seat, Theme, desk
from tests.browser.gate import Gate
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LINE = "Line 40 of the chart."
LINES = "\\n\\n".join(f"Line {number} of the chart." for number in range(1, 81))
AT_END = "node => node.scrollHeight - node.clientHeight - node.scrollTop < 5"
PULL = """(node) => {
    const touch = (y) => new Touch({identifier: 1, target: node, clientX: 100, clientY: y})
    const move = (kind, y) => node.dispatchEvent(new TouchEvent(kind, {touches: [touch(y)], bubbles: true}))
    move('touchstart', 300)
    move('touchmove', 360)
}"""
SELECT = """(node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
}"""


def conversation(seat: Seat) -> Locator:
    return seat.page.get_by_role("region", name="Conversation")


def reading(place: Desk, session: SessionId) -> tuple[Seat, Locator]:
    """Somebody in the middle of a long answer, and the line that they look at."""
    seat = place.tab(session)
    line = seat.page.get_by_text(LINE, exact=True)
    expect(line).to_be_attached(timeout=PATIENCE_MS)
    conversation(seat).hover()
    seat.page.mouse.wheel(0, -900)
    expect(seat.page.get_by_role("button", name="Newest")).to_be_visible()
    line.scroll_into_view_if_needed()
    seat.page.wait_for_timeout(300)
    return seat, line


def place_of(line: Locator) -> float:
    return line.evaluate("node => node.getBoundingClientRect().top")


@pytest.mark.parametrize(("screen", "theme"), [("desk", "light"), ("phone", "dark")])
def test_the_line_one_reads_stays_when_words_come_a_card_arrives_the_run_settles_and_the_connection_breaks(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    session = person.begin()
    person.wait_for_end(session, person.say(session, f"!say {LINES}"))
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link, screen=screen, theme=theme) as place:
        seat, line = reading(place, session)
        before = place_of(line)
        turn = person.say(session, "!stream 60 10\n!approve make\n!stream 60 10")
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        assert place_of(line) == before
        opened = gate.opened
        gate.cut_streams()
        wait_until(lambda: gate.opened > opened and gate.streams == 1, "the page's return to the stream")
        assert place_of(line) == before
        [ask] = person.asks(session)
        person.answer(session, ask["ask"], choice="once").raise_for_status()
        person.wait_for_end(session, turn)
        seat.expect_idle()
        assert place_of(line) == before
        assert seat.troubles == []


@pytest.mark.parametrize("gesture", ["wheel", "PageUp", "ArrowUp", "touch", "selection"])
def test_any_upward_gesture_and_a_selection_let_go(
    chromium: Browser, house: House, person: Person, gesture: str
) -> None:
    session = person.begin()
    person.wait_for_end(session, person.say(session, f"!say {LINES}"))
    with desk(chromium, house, has_touch=True) as place:
        seat = place.tab(session)
        whole = conversation(seat)
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        person.say(session, "!stream 2000 10 more")
        expect(seat.prose.last).to_contain_text("more20", timeout=PATIENCE_MS)
        assert whole.evaluate(AT_END)
        match gesture:
            case "wheel":
                whole.hover()
                seat.page.mouse.wheel(0, -60)
            case "touch":
                whole.evaluate(PULL)
            case "selection":
                seat.prose.last.evaluate(SELECT)
            case key:
                whole.focus()
                seat.page.keyboard.press(key)
        expect(seat.page.get_by_role("button", name="Newest")).to_be_visible()
        person.cancel(session, person.look(session).session["running"]).raise_for_status()
        seat.expect_idle()
        seat.expect_well()
