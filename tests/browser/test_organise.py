"""Projects, tags, the filter, and several sessions in one hand: by mouse, by finger and by keyboard."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, Desk, Seat, Theme, desk
from tests.browser.test_sessions import menu, row
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]
RESTS = """node => node.dispatchEvent(
    new PointerEvent('contextmenu', {pointerType: 'touch', bubbles: true, cancelable: true}))"""


def chip(seat: Seat, name: str) -> Locator:
    return seat.page.get_by_role("dialog").get_by_role("button", name=re.compile(rf"^{name}( \d+)?$"))


def pick(seat: Seat, title: str) -> Locator:
    return seat.page.locator("nav").get_by_role("checkbox", name=re.compile(f"^{title}"))


def hand(seat: Seat) -> Locator:
    return seat.page.get_by_role("toolbar", name="Selected sessions")


def save(seat: Seat) -> None:
    seat.page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(seat.page.get_by_role("dialog")).to_have_count(0)


def narrow(seat: Seat, *names: str) -> None:
    seat.page.get_by_role("button", name="Filter the list").click()
    for name in names:
        chip(seat, name).click()
    seat.page.get_by_role("button", name="Done").click()


def down(seat: Seat) -> None:
    seat.page.locator("nav").evaluate("node => node.scrollTo(0, node.scrollHeight)")


def take(seat: Seat, *titles: str) -> None:
    seat.page.get_by_role("button", name="Select sessions").click()
    for title in titles:
        pick(seat, title).click()
    expect(hand(seat).get_by_role("status")).to_have_text(f"{len(titles)} selected")


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_sessions_are_sorted_and_the_list_is_narrowed(chromium: Browser, own_house: House, screen: str) -> None:
    person = Person(own_house)
    _, roof, _ = (person.begin(title=title) for title in ("Mend the wall", "Tar the roof", "Feed the gulls"))
    with desk(chromium, own_house, screen=screen) as place:
        seat = place.tab()
        menu(seat, "Mend the wall", "Project and tags…")
        seat.page.get_by_role("textbox", name="Project").fill("Harbour")
        tags = seat.page.get_by_role("textbox", name="Tags")
        tags.fill("stone")
        tags.press("Enter")
        tags.fill("#sea")
        tags.press("Enter")
        tags.fill("typed last")
        save(seat)
        expect(row(seat, "Mend the wall")).to_contain_text("Harbour #stone #sea #typed last")

        menu(seat, "Tar the roof", "Project and tags…")
        chip(seat, "Harbour").click()
        tags.fill("ST")
        chip(seat, "#stone").click()
        save(seat)
        expect(row(seat, "Tar the roof")).to_contain_text("Harbour #stone")

        narrow(seat, "Harbour")
        expect(seat.rows).to_have_count(2)
        expect(row(seat, "Tar the roof")).not_to_contain_text("Harbour")  # all are in it
        narrow(seat, "#stone", "#sea")
        expect(seat.rows).to_have_count(1)
        seat.page.reload()
        expect(row(seat, "Mend the wall")).to_be_visible()
        expect(seat.rows).to_have_count(1)
        assert any("project=Harbour&tag=stone&tag=sea" in address for address in seat.addresses)

        person.patch(f"/api/sessions/{roof}", {"add_tags": ["sea"]})  # elsewhere
        expect(seat.rows).to_have_count(2)
        person.patch(f"/api/sessions/{roof}", {"project": ""})
        expect(seat.rows).to_have_count(1)
        seat.page.get_by_role("button", name="Without #stone").click()
        seat.page.get_by_role("button", name="Without #sea").click()
        seat.page.get_by_role("button", name="Without Harbour").click()
        expect(seat.rows).to_have_count(3)
        seat.expect_well()


def test_a_filtered_list_is_loaded_page_by_page(chromium: Browser, own_house: House) -> None:
    """What fits lies among what does not, deeper than the first page of all reaches."""
    person = Person(own_house)
    for number in range(60):
        person.begin(title=f"Deep {number}", project="Deep")
    for number in range(70):
        person.begin(title=f"Other {number}")
    with desk(chromium, own_house) as place:
        seat = place.tab()
        expect(row(seat, "Other 69")).to_be_visible()
        narrow(seat, "Deep")
        expect(row(seat, "Deep 59")).to_be_visible()
        expect(seat.page.get_by_text("Other")).to_have_count(0)
        down(seat)
        expect(row(seat, "Deep 0")).to_be_visible(timeout=PATIENCE_MS)
        seat.page.get_by_role("button", name="Without Deep").click()
        down(seat)
        expect(row(seat, "Other 0")).to_be_visible(timeout=PATIENCE_MS)
        down(seat)
        expect(row(seat, "Deep 0")).to_be_visible(timeout=PATIENCE_MS)
        seat.expect_well()


def test_what_nothing_fits_is_said_and_can_be_let_go(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    session = person.begin(title="Mend the wall", project="Harbour")
    with desk(chromium, own_house) as place:
        seat = place.tab()
        narrow(seat, "Harbour")
        person.patch(f"/api/sessions/{session}", {"project": ""})
        seat.expect_text("No session fits.")
        seat.page.get_by_role("button", name="Filter the list").click()
        expect(chip(seat, "Harbour")).to_have_attribute("aria-pressed", "true")
        seat.page.get_by_role("dialog").get_by_role("button", name="All sessions").click()
        seat.page.keyboard.press("Escape")
        expect(row(seat, "Mend the wall")).to_be_visible()
        seat.expect_well()


def test_several_sessions_are_pinned_sorted_exported_archived_and_deleted_together(
    chromium: Browser, own_house: House
) -> None:
    person = Person(own_house)
    for number in range(6):
        person.begin(title=f"Plank {number}", tags=["oak", "wet"] if number == 0 else ["oak"])
    with desk(chromium, own_house) as place:
        seat = place.tab()
        take(seat, "Plank 4")
        pick(seat, "Plank 1").click(modifiers=["Shift"])  # from there to here
        expect(hand(seat).get_by_role("status")).to_have_text("4 selected")
        pick(seat, "Plank 2").click()
        expect(hand(seat).get_by_role("status")).to_have_text("3 selected")
        hand(seat).get_by_role("button", name="Pin").click()
        expect(seat.page.get_by_role("region", name="Pinned").get_by_role("listitem")).to_have_count(3)
        expect(hand(seat)).to_have_count(0)

        take(seat, "Plank 0", "Plank 2")
        hand(seat).get_by_role("button", name="Project and tags").click()
        expect(chip(seat, "#oak")).to_have_attribute("aria-pressed", "true")
        expect(chip(seat, "#wet")).to_have_attribute("aria-pressed", "mixed")
        chip(seat, "#oak").click()
        seat.page.get_by_role("textbox", name="Tags").fill("dry")
        seat.page.get_by_role("textbox", name="Project").fill("Deck")
        save(seat)
        expect(row(seat, "Plank 0")).to_contain_text("Deck #wet #dry")
        expect(row(seat, "Plank 2")).to_contain_text("Deck #dry")
        expect(hand(seat)).to_have_count(0)

        take(seat, "Plank 0", "Plank 2")
        hand(seat).get_by_role("button", name="Export").click()
        with seat.page.expect_download() as download:
            hand(seat).get_by_role("button", name="Markdown").click()
        assert download.value.suggested_filename == "holdfast-md.zip"

        take(seat, "Plank 5")
        hand(seat).get_by_role("button", name="Archive").click()
        expect(row(seat, "Plank 5")).to_have_count(0)
        expect(hand(seat)).to_have_count(0)

        seat.page.get_by_role("button", name="Select sessions").click()
        hand(seat).get_by_role("button", name="All", exact=True).click()
        hand(seat).get_by_role("button", name="Delete").click()
        seat.expect_text("5 sessions are deleted.")
        expect(seat.rows).to_have_count(0)
        seat.page.get_by_role("button", name="Undo").click()
        expect(seat.rows).to_have_count(5)
        seat.expect_well()


def test_what_fails_is_named_and_stays_selected(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    first = person.begin(title="Plank 1")
    person.begin(title="Plank 2")

    def refuse(route: Route) -> None:
        route.fulfill(status=409, json={"error": "The plank is stuck.", "code": "Stuck"})

    with desk(chromium, own_house) as place:
        seat = place.tab()
        seat.page.route(f"**/api/sessions/{first}", refuse)
        take(seat, "Plank 1", "Plank 2")
        hand(seat).get_by_role("button", name="Archive").click()
        expect(hand(seat).get_by_role("alert").first).to_contain_text("Not done with 1 session.")
        seat.expect_text("The plank is stuck.")
        expect(pick(seat, "Plank 1")).to_be_checked()
        expect(pick(seat, "Plank 2")).to_have_count(0)
        hand(seat).get_by_role("button", name="Project and tags").click()
        seat.page.get_by_role("textbox", name="Project").fill("Deck")
        seat.page.get_by_role("button", name="Save").click()
        expect(seat.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Plank 1: The plank is stuck.")
        seat.page.unroute_all()
        save(seat)
        expect(row(seat, "Plank 1")).to_contain_text("Deck")


def test_the_keyboard_takes_several_in_hand(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    for number in range(4):
        person.begin(title=f"Plank {number}")
    with desk(chromium, own_house) as place:
        seat = place.tab()
        expect(row(seat, "Plank 3")).to_be_visible()
        seat.page.keyboard.press("Tab")  # out of the field
        seat.page.locator("body").click(position={"x": 900, "y": 5})
        seat.page.keyboard.press("s")
        expect(pick(seat, "Plank 3")).to_be_focused()
        seat.page.keyboard.press("ArrowDown")
        seat.page.keyboard.press("Space")
        expect(pick(seat, "Plank 2")).to_be_checked()
        seat.page.keyboard.press("Shift+ArrowDown")
        expect(pick(seat, "Plank 1")).to_be_focused()
        expect(hand(seat).get_by_role("status")).to_have_text("2 selected")
        seat.page.keyboard.press("Escape")
        expect(hand(seat)).to_have_count(0)
        expect(seat.page.get_by_role("button", name="Select sessions")).to_be_focused()
        seat.page.keyboard.press("f")
        expect(seat.page.get_by_role("dialog", name="Show only")).to_be_visible()
        seat.expect_text("Nothing is sorted yet.")
        seat.page.keyboard.press("Escape")
        expect(seat.page.get_by_role("dialog")).to_have_count(0)
        seat.expect_well()


def test_a_finger_that_rests_takes_a_session_in_hand(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    person.begin(title="Plank 1")
    person.begin(title="Plank 2")
    with desk(chromium, own_house, screen="phone") as place:
        seat = place.tab()
        row(seat, "Plank 1").evaluate(RESTS)
        expect(pick(seat, "Plank 1")).to_be_checked()
        pick(seat, "Plank 2").tap()
        expect(hand(seat).get_by_role("status")).to_have_text("2 selected")
        hand(seat).get_by_role("button", name="Done").tap()
        menu(seat, "Plank 2", "Select")
        expect(pick(seat, "Plank 2")).to_be_checked()
        seat.expect_well()


def look(seat: Seat, name: str) -> None:
    seat.page.wait_for_timeout(300)
    seat.shot(name)
    seat.expect_fits()
    assert serious(seat) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_all_of_it_can_be_read_and_reached(chromium: Browser, own_house: House, theme: Theme, screen: str) -> None:
    person = Person(own_house)
    person.begin(title="Mend the harbour wall before the storm comes", project="Harbour works", tags=["stone", "sea"])
    person.begin(title="Tar the roof", project="Harbour works", tags=["sea"])
    person.begin(title="Feed the gulls", tags=["birds"])
    with desk(chromium, own_house, screen=screen, theme=theme) as place:
        _looked_at(place, screen, theme)


def _looked_at(place: Desk, screen: str, theme: Theme) -> None:
    seat = place.tab()
    expect(row(seat, "Feed the gulls")).to_be_visible()
    look(seat, f"labelled-{screen}-{theme}")
    menu(seat, "Tar the roof", "Project and tags…")
    expect(chip(seat, "#birds")).to_be_visible()
    look(seat, f"labels-{screen}-{theme}")
    seat.page.get_by_role("button", name="Cancel").click()
    narrow(seat, "Harbour works", "#sea")
    expect(seat.rows).to_have_count(2)
    look(seat, f"filtered-{screen}-{theme}")
    take(seat, "Tar the roof")
    look(seat, f"selecting-{screen}-{theme}")
    hand(seat).get_by_role("button", name="Done").click()
    seat.page.get_by_role("button", name="Filter the list").click()
    expect(chip(seat, "#sea")).to_be_visible()
    look(seat, f"filtering-{screen}-{theme}")
