"""Words that are being written belong to who writes them: to their input method first, and to nothing that happens."""

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.desk import PATIENCE_MS, Seat, desk
from tests.browser.test_sessions import menu
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def compose(seat: Seat, field: Locator, order: str) -> None:
    """Write Japanese, and take a word by Enter: Safari tells of the key once the word is taken."""
    over = order == "Safari"
    field.focus()
    keys = seat.page.context.new_cdp_session(seat.page)
    keys.send("Input.imeSetComposition", {"text": "かな", "selectionStart": 2, "selectionEnd": 2})
    if over:
        keys.send("Input.insertText", {"text": "仮名"})
    for kind in ("keyDown", "keyUp"):
        event = {"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
        keys.send("Input.dispatchKeyEvent", event | ({"text": "\r"} if over and kind == "keyDown" else {}))
    if not over:
        keys.send("Input.insertText", {"text": "仮名"})


@pytest.mark.parametrize("order", ["Chromium", "Safari"])
def test_an_enter_that_takes_a_word_of_an_input_method_sends_names_and_answers_nothing(
    chromium: Browser, house: House, person: Person, order: str
) -> None:
    session, asked = person.begin(title=f"Plain {order}"), person.begin(title="Asked")
    person.say(asked, "!ask Which tide? | ebb | flood")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible(timeout=PATIENCE_MS)
        compose(seat, seat.field, order)
        expect(seat.field).to_have_value(re.compile("^仮名"))
        assert person.look(session).items == []

        menu(seat, f"Plain {order}", "Rename")
        in_list = seat.page.locator("nav").get_by_role("textbox", name="Title")
        compose(seat, in_list, order)
        expect(in_list).to_have_value("仮名")
        in_list.press("Escape")
        seat.page.get_by_role("heading", level=1).get_by_role("button").click()
        above = seat.page.locator("header").get_by_role("textbox", name="Title")
        compose(seat, above, order)
        expect(above).to_have_value("仮名")
        above.press("Escape")
        expect(seat.page.get_by_role("heading", level=1)).to_have_text(f"Plain {order}")

        seat.open(asked)
        answer = seat.cards.get_by_role("textbox")
        expect(answer).to_be_visible(timeout=PATIENCE_MS)
        seat.rest()
        compose(seat, answer, order)
        expect(answer).to_have_value("仮名")
        assert len(person.asks(asked)) == 1
        answer.press("Enter")
        expect(seat.cards).to_have_count(0, timeout=PATIENCE_MS)
        seat.expect_well()


def test_who_renames_a_session_goes_on_writing_whatever_becomes_of_it_meanwhile(
    chromium: Browser, own_house: House
) -> None:
    """It begins to run, asks and ends, and so do others: rows change their places afterwards; words and caret stay."""
    person = Person(own_house)
    session = person.begin(title="Old name")
    others = [person.begin(title=f"Other {number}") for number in range(3)]
    with desk(chromium, own_house) as place:
        seat = place.tab()
        menu(seat, "Old name", "Rename")
        field = seat.page.locator("nav").get_by_role("textbox", name="Title")
        field.fill("A name")
        field.press("ArrowLeft")
        seat.page.keyboard.type("x")
        turn = person.say(session, "!approve make")
        rail = seat.page.locator("nav")
        expect(seat.page).to_have_title(re.compile(r"^\(1\)"), timeout=PATIENCE_MS)
        seat.page.keyboard.type("y")
        [ask] = person.wait_for_ask(session)
        person.answer(session, ask["ask"], choice="once").raise_for_status()
        for each in [*others, session]:
            turn = person.say(each, "!say done")
            person.wait_for_end(each, turn)
        expect(seat.page).not_to_have_title(re.compile(r"^\("), timeout=PATIENCE_MS)
        seat.page.keyboard.type("z")
        expect(field).to_have_value("A namxyze")
        assert person.look(session).session["title"] == "Old name"
        seat.page.keyboard.press("Enter")
        expect(rail.get_by_role("region", name="Finished, not yet seen").get_by_role("link")).to_have_count(4)
        expect(rail.get_by_role("link", name="A namxyze")).to_be_visible(timeout=PATIENCE_MS)
        seat.expect_well()


COUNT = """
    window.measured = 0
    const asked = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollHeight').get
    Object.defineProperty(HTMLTextAreaElement.prototype, 'scrollHeight', {
        get() { if (this.value.length > 10000) window.measured += 1; return asked.call(this) }
    })
"""


def test_a_long_text_is_not_measured_anew_with_every_letter(chromium: Browser, house: House, person: Person) -> None:
    """What is longer than a field can show is as high as a field may be; what is short is as high as it needs."""
    session = person.begin()
    with desk(chromium, house, script=COUNT) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible(timeout=PATIENCE_MS)
        height = "node => node.offsetHeight"
        low = seat.field.evaluate(height)
        seat.field.fill("short\n" * 300)
        high = seat.field.evaluate(height)
        seat.field.fill(f"{'A line of a log. ' * 40}\n" * 40)
        seat.field.press("End")
        seat.page.keyboard.type("More words.")
        expect(seat.field).to_have_value(re.compile("More words.$"))
        assert seat.page.evaluate("window.measured") == 0
        assert seat.field.evaluate(height) == high > low
        seat.field.fill("")
        assert seat.field.evaluate(height) == low
        seat.expect_well()
