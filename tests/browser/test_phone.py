"""The page on a phone: also by plain http, where a browser withholds half of what a page may use."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, Desk, Seat, desk, press
from tests.browser.gate import Gate
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NO_WORKER = "delete window.SharedWorker;"


def journey(place: Desk, person: Person) -> None:
    """Begin a session, answer what it asks, add a message, stop it, find it again."""
    other = person.begin(title="Another one")
    seat = place.tab()
    seat.page.get_by_role("button", name="New session").click()
    seat.field.fill("!approve make\n!ask Which tide? | ebb | flood\n!stream 3000 20")
    seat.page.get_by_role("button", name="Send").click()
    expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
    seat.rest()
    seat.expect_fits()
    for name in ("Allow once", "Deny"):
        box = seat.page.get_by_role("button", name=name, exact=True).bounding_box()
        assert box is not None
        assert box["height"] >= 44
    seat.page.get_by_role("button", name="Put this away for now").tap()
    expect(seat.cards).to_have_count(0)
    seat.page.get_by_role("button", name="Waits for you make").tap()
    expect(seat.cards).to_have_count(1)
    seat.rest()
    press(seat.page.get_by_role("button", name="Allow once"))
    expect(seat.page.get_by_role("button", name="flood")).to_be_visible(timeout=PATIENCE_MS)
    seat.rest()
    press(seat.page.get_by_role("button", name="flood"))
    expect(seat.prose.last).to_contain_text("word20", timeout=PATIENCE_MS)
    seat.page.get_by_role("button", name="Stop").tap()
    seat.expect_text("You stopped this at")
    seat.page.get_by_role("link", name="All sessions").first.tap()
    expect(seat.page.locator(f"nav a[href='/session/{other}']")).to_be_visible()
    seat.page.locator(f"nav a[href='/session/{other}']").tap()
    expect(seat.page.get_by_role("heading", level=1)).to_have_text("Another one")
    sizes = seat.page.evaluate(
        """[...document.querySelectorAll('input:not([type=file]), textarea, select')]
            .map((node) => getComputedStyle(node).fontSize)"""
    )
    assert all(float(size.removesuffix("px")) >= 16 for size in sizes)
    seat.expect_fits()
    seat.expect_well()


@pytest.mark.parametrize("script", ["", NO_WORKER], ids=["shared worker", "no shared worker"])
@pytest.mark.parametrize("host", ["127.0.0.1", "harbour.test"])
def test_a_day_on_the_phone(chromium: Browser, house: House, person: Person, host: str, script: str) -> None:
    with Gate(house.server.link) as gate:
        link = gate.link.replace("127.0.0.1", host)
        with desk(chromium, house, link=link, screen="phone", script=script) as place:
            journey(place, person)


def test_what_plain_http_takes_away_is_said(chromium: Browser, house: House) -> None:
    with Gate(house.server.link) as gate:
        link = gate.link.replace("127.0.0.1", "harbour.test")
        with desk(chromium, house, link=link, screen="phone") as place:
            seat = place.tab()
            assert not seat.page.evaluate("isSecureContext")
            seat.expect_text("only over https or on localhost")
            seat.expect_well()


@pytest.mark.contract("A1")
def test_any_of_several_asks_can_be_answered_first(chromium: Browser, house: House, person: Person) -> None:
    """The sheet shows one at a time, and can be turned to any."""
    session = person.begin()
    person.say(session, "!approvemany 4")
    asks = person.wait_for_ask(session, 4)
    with desk(chromium, house, screen="phone") as place:
        seat = place.tab(session)
        expect(seat.cards).to_contain_text("1 of 4")
        for number in (2, 3):
            seat.page.get_by_role("button", name="What was asked after this").tap()
            expect(seat.cards).to_contain_text(f"{number} of 4")
        for name in ("What was asked before this", "What was asked after this"):
            box = seat.page.get_by_role("button", name=name).bounding_box()
            assert box is not None
            assert min(box["height"], box["width"]) >= 44
        expect(seat.cards).to_contain_text("command-3")
        press(seat.page.get_by_role("button", name="Deny", exact=True))
        expect(seat.cards).to_contain_text("of 3", timeout=PATIENCE_MS)
        assert [ask["ask"] for ask in person.asks(session)] == [asks[number]["ask"] for number in (0, 1, 3)]
        seat.expect_fits()
        seat.expect_well()


def test_a_notification_turns_the_sheet_to_its_ask_and_leads_nowhere_later(
    chromium: Browser, house: House, person: Person
) -> None:
    session, other = person.begin(), person.begin(title="Another one")
    person.say(session, "!approvemany 3")
    asks = person.wait_for_ask(session, 3)
    with desk(chromium, house, screen="phone") as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/session/{session}#ask={asks[2]['ask']}")
        expect(seat.cards).to_contain_text("command-3")
        expect(seat.cards).to_be_focused()
        seat.page.goto(f"{seat.link}/session/{other}#ask={asks[1]['ask']}")  # it does not wait here
        expect(seat.field).to_be_visible()
        seat.page.get_by_role("link", name="All sessions").first.tap()
        seat.page.locator(f"nav a[href='/session/{session}']").tap()
        expect(seat.cards).to_contain_text("command-1")
        expect(seat.cards).not_to_be_focused()


def test_of_a_long_path_the_name_of_the_file_is_seen(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    path = f"/home/somebody/{'deep/' * 20}settings.py"
    person.wait_for_end(session, person.say(session, f'!tool read {{"path":"{path}"}} 10 ok'))
    with desk(chromium, house, screen="phone") as place:
        seat = place.tab(session)
        name = seat.page.get_by_text("/settings.py", exact=True)
        expect(name).to_be_in_viewport(ratio=1, timeout=PATIENCE_MS)
        assert name.evaluate("(node) => node.scrollWidth <= node.clientWidth")
        seat.expect_fits()


def test_what_can_be_done_with_a_message_is_said_in_one_line_each(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    person.wait_for_end(session, person.say(session, "!say yes"))
    with desk(chromium, house, screen="phone") as place:
        seat = place.tab(session)
        seat.page.get_by_role("region", name="Conversation").get_by_role("button", name="More").tap()
        items = seat.page.get_by_role("menuitem")
        expect(items.last).to_be_in_viewport(ratio=1, timeout=PATIENCE_MS)
        assert set(items.evaluate_all("(nodes) => nodes.map((node) => node.getBoundingClientRect().height)")) == {44}
        seat.expect_fits()


SMALL = """() => {
    const own = (node) => node.closest('.prose') === null && !node.classList.contains('hidden-text')
    const labelled = 'input[type=file], input[type=radio], input[type=checkbox]'
    const target = (node) => (node.matches(labelled) && node.closest('label')) || node
    return [...document.querySelectorAll('button, a[href], input, select, textarea, summary')]
        .filter((node) => own(node) && node.checkVisibility({opacityProperty: true, visibilityProperty: true}))
        .map((node) => [target(node).getBoundingClientRect(), node])
        .filter(([box]) => box.width > 0 && box.height < 43.5)
        .map(([box, node]) => `${node.outerHTML.slice(0, 90)} ${box.height}`)
}"""


def test_everything_can_be_met_with_a_finger_and_no_field_makes_the_page_zoom(
    chromium: Browser, house: House, person: Person
) -> None:
    """Controls are at least 44 px high, fields at least 16 px, also where the words are small."""
    session, other, third = person.begin(title="Cards"), person.begin(title="A question"), person.begin(title="Done")
    person.say(session, "!approve deploy")
    person.say(other, "!ask Which tide? | ebb | flood")
    turn = person.say(third, "!say done")
    person.wait_for_end(third, turn)
    small = "localStorage.setItem('holdfast.size', '\"small\"');"

    def expect_large(seat: Seat, where: str) -> None:
        assert (where, seat.page.evaluate(SMALL)) == (where, [])
        sizes = seat.page.evaluate(
            """[...document.querySelectorAll('input:not([type=file]), textarea, select')]
                .map((node) => parseFloat(getComputedStyle(node).fontSize))"""
        )
        assert (where, [size for size in sizes if size < 16]) == (where, [])

    with desk(chromium, house, screen="phone", script=small) as place:
        seat = place.tab()
        expect(seat.page.get_by_role("button", name="New session")).to_be_visible()
        expect_large(seat, "the list")
        seat.open(session)
        seat.cards.get_by_role("button", name="Deny and say why").click()
        expect_large(seat, "an approval")
        seat.open(other)
        expect(seat.page.get_by_role("button", name="flood")).to_be_visible()
        expect_large(seat, "a question")
        seat.open(third)
        expect(seat.page.get_by_role("button", name="Copy answer")).to_be_visible()
        with seat.page.expect_file_chooser() as chosen:
            seat.page.get_by_text("Attach files").click(force=True)
        chosen.value.set_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"x"})
        expect(seat.page.get_by_role("button", name="Remove notes.txt")).to_be_visible()
        seat.page.get_by_role("heading", level=1).get_by_role("button").click()
        expect(seat.page.get_by_role("textbox", name="Title")).to_be_visible()
        expect_large(seat, "a session")
        seat.expect_fits()
