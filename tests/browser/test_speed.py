"""What the page costs: how much it loads, how it bears a flood of words, a long session, and that nothing jumps.

Limits are those of the promise, counted in bytes, frames and shifts; nothing here depends on how fast a machine is.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, Seat, Theme, desk
from tests.browser.weight import weigh
from tests.browser.written import talk, write_session
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BUDGET = 150_000
FILES = 15
SHIFT = 0.02
WATCH = """
    window.shifts = []
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value)
    }).observe({type: 'layout-shift', buffered: true})
"""
COUNT = """() => {
    Object.assign(window, {above: 0, drawn: 0, frames: 0})
    const all = [...document.querySelectorAll('.said')]
    const watch = (node, name) =>
        new MutationObserver(() => (window[name] += 1))
            .observe(node, {subtree: true, childList: true, characterData: true})
    watch(all.at(0), 'above')
    watch(all.at(-1), 'drawn')
    const frame = () => ((window.frames += 1), requestAnimationFrame(frame))
    requestAnimationFrame(frame)
}"""


WHOLE = """!thinkstream 20 10
!plan one; two
!tool read {"path":"a.txt"} 100 ok
!stream 200 5
!tool execute {"command":"make"} 200 made
!say \\n\\n| tide | height |\\n|---|---|\\n| ebb | 1 m |\\n| flood | 4 m |\\n\\n
!say ```python\\ndef tide(hour):\\n    return hour % 12\\n```\\n\\n$$\\frac{a}{b}$$\\n\\n
!approve make
!stream 100 5"""


def test_what_is_loaded_until_the_first_code_block_is_small(chromium: Browser, house: House) -> None:
    weight = weigh(chromium, house)
    assert weight.scripts >= 3
    assert weight.script <= BUDGET
    assert len([address for address in weight.requests if not address.startswith("/api/")]) <= FILES, weight.requests
    assert weight.elsewhere == []


@pytest.mark.parametrize(("screen", "theme"), [("desk", "light"), ("phone", "dark")])
def test_nothing_jumps_over_a_whole_turn(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    """One's own message, thoughts, steps, a table, code with its colours, a formula, a card and its answer."""
    session = person.begin()
    with desk(chromium, house, script=WATCH, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        seat.field.fill(WHOLE)
        seat.page.wait_for_timeout(300)
        seat.page.evaluate("window.shifts = []")
        seat.field.press("Control+Enter")
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        [ask] = person.asks(session)
        person.answer(session, ask["ask"], choice="once").raise_for_status()
        expect(seat.prose.last).to_contain_text("word100", timeout=PATIENCE_MS)
        seat.expect_idle()
        expect(seat.page.locator(".prose pre span").first).to_be_attached()
        expect(seat.page.locator(".prose math").first).to_be_attached()
        assert seat.page.evaluate("window.shifts.reduce((sum, value) => sum + value, 0)") <= SHIFT
        seat.expect_well()


def test_while_words_stream_only_their_own_block_is_drawn_and_once_a_frame(
    chromium: Browser, house: House, person: Person
) -> None:
    """Fifty kilobytes stand above two hundred words a second, and are left alone."""
    session = person.begin()
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        person.say(session, "!bytes 50000\n!stream 1000 5")
        expect(seat.prose.first).to_contain_text("0123456789", timeout=PATIENCE_MS)
        expect(seat.prose.last).to_contain_text("word100", timeout=PATIENCE_MS)
        seat.page.evaluate(COUNT)
        expect(seat.prose.last).to_contain_text("word900", timeout=PATIENCE_MS)
        above, drawn, frames = seat.page.evaluate("[window.above, window.drawn, window.frames]")
        assert above == 0
        assert 0 < drawn <= frames + 1
        seat.expect_well()


def test_a_session_of_twenty_thousand_messages_opens_at_its_end_and_is_read_backwards(
    chromium: Browser, tmp_path: Path
) -> None:
    session = SessionId("a-long-one")
    with House(tmp_path / "home") as house:
        write_session(house.home, session, talk(10_000))
        house.start()
        with desk(chromium, house) as place:
            read_backwards(place.tab(session))


def read_backwards(seat: Seat) -> None:
    seat.expect_text("answer 10000")
    assert seat.page.locator("section[aria-label^=Turn]").count() < 200
    scroller = seat.page.get_by_role("region", name="Conversation")
    scroller.hover()
    for _ in range(40):
        seat.page.mouse.wheel(0, -3000)
        seat.page.wait_for_timeout(50)
        if seat.page.get_by_text("question 9800", exact=True).count():
            break
    expect(seat.page.get_by_text("question 9800", exact=True)).to_be_attached(timeout=PATIENCE_MS)
    numbers = seat.page.evaluate(
        "[...document.querySelectorAll('section[aria-label^=Turn]')].map((n) => Number(n.ariaLabel.slice(5)))"
    )
    assert numbers == list(range(numbers[0], 10_001))
    seat.say("!say still here")
    expect(seat.prose.last).to_have_text("still here", timeout=PATIENCE_MS)
    seat.expect_well()
