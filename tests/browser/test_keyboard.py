"""Everything without a mouse: what is pressed is a key, and nothing is focused but by keys."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, Seat, Theme, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FOCUSED = """() => {
    const node = document.activeElement
    const name = node.getAttribute('aria-label') ?? node.innerText ?? ''
    return {role: node.getAttribute('role') ?? node.tagName.toLowerCase(), name: name.trim()}
}"""
RINGED = """() => {
    const ringed = (node) => ['outlineStyle', 'boxShadow'].some((name) => getComputedStyle(node)[name] !== 'none')
    const node = document.activeElement
    return [node, node.parentElement, node.closest('form, label')].some((each) => each !== null && ringed(each))
}"""
BORDERED = ("body", "textarea", "separator")
"""What shows the focus by its border, or by that of what it stands in."""
MOST = 80


def tab_to(seat: Seat, name: str, *, back: bool = False) -> None:
    """Press Tab until what has this name is reached. Whatever is on the way can be seen to have the focus."""
    passed: list[str] = []
    for _ in range(MOST):
        seat.page.keyboard.press("Shift+Tab" if back else "Tab")
        focused = seat.page.evaluate(FOCUSED)
        assert seat.page.evaluate(RINGED) or focused["role"] in BORDERED, focused
        passed.append(focused["name"])
        if focused["name"].startswith(name):
            return
    raise AssertionError(f"{name} is not among {passed}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_keyboard_alone_is_enough(chromium: Browser, house: House, person: Person, theme: Theme) -> None:
    """Begin, allow, answer, stop, rename, search and move without a mouse."""
    person.begin(title="Elsewhere")
    with desk(chromium, house, theme=theme) as place:
        seat = place.tab()
        keys = seat.page.keyboard
        expect(seat.field).to_be_focused()
        keys.type("!approve make")
        keys.press("Shift+Enter")
        keys.type("!ask Which tide? | ebb | flood")
        keys.press("Shift+Enter")
        keys.type("!stream 3000 20")
        keys.press("Enter")
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        seat.rest()
        keys.press("Alt+a")
        keys.press("a")
        expect(seat.page.get_by_role("button", name="flood")).to_be_visible(timeout=PATIENCE_MS)
        seat.rest()
        keys.press("Alt+a")
        tab_to(seat, "B")
        keys.press("Enter")
        expect(seat.prose.last).to_contain_text("word5", timeout=PATIENCE_MS)
        tab_to(seat, "Stop")
        keys.press("Enter")
        seat.expect_text("You stopped this at")
        expect(seat.prose.first).to_contain_text("approved:once")
        assert "answer:flood" in seat.words()
        rename(seat)
        move(seat)


def rename(seat: Seat) -> None:
    keys = seat.page.keyboard
    keys.press("Escape")
    tab_to(seat, "Untitled", back=True)
    keys.press("Enter")
    expect(seat.page.get_by_role("textbox", name="Title")).to_be_focused()
    keys.press("Control+a")
    keys.type("By keys alone")
    keys.press("Enter")
    expect(seat.page.get_by_role("heading", level=1)).to_have_text("By keys alone")


def move(seat: Seat) -> None:
    keys = seat.page.keyboard
    keys.press("j")
    keys.press("k")
    keys.press("j")
    address = seat.page.evaluate("document.activeElement.getAttribute('href')")
    keys.press("Enter")
    seat.page.wait_for_url(f"**{address}")
    keys.press("Escape")
    tab_to(seat, "New session", back=True)
    keys.press("/")
    expect(seat.page.get_by_role("searchbox", name="Search sessions")).to_be_focused()
    keys.type("Elsewhere")
    expect(seat.page.locator("nav").get_by_role("link", name="Elsewhere").first).to_be_visible()
    keys.press("Escape")
    tab_to(seat, "New session", back=True)
    keys.press("Enter")
    expect(seat.page.get_by_role("heading", name="What should be done?")).to_be_visible()
    tab_to(seat, "New session", back=True)
    keys.press("[")
    expect(seat.page.get_by_role("button", name="New session")).to_have_count(0)
    keys.press("[")
    expect(seat.page.get_by_role("button", name="New session")).to_be_visible()
    seat.expect_well()
