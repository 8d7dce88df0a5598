"""The list of sessions: found, renamed, pinned, put away, deleted and brought back, by hand and by keyboard."""

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.desk import Seat, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def row(seat: Seat, title: str) -> Locator:
    return seat.page.locator("nav").get_by_role("link", name=title)


def menu(seat: Seat, title: str, act: str) -> None:
    row(seat, title).hover()
    seat.page.get_by_role("button", name=f"More for {title}").click()
    seat.page.get_by_role("menuitem", name=act).click()


def test_a_session_is_renamed_pinned_archived_deleted_and_brought_back(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin(title="Tidy the shed")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        menu(seat, "Tidy the shed", "Rename")
        seat.page.locator("nav").get_by_role("textbox", name="Title").fill("Paint the shed")
        seat.page.keyboard.press("Enter")
        expect(seat.page.get_by_role("heading", level=1)).to_have_text("Paint the shed")
        menu(seat, "Paint the shed", "Pin")
        expect(seat.page.get_by_role("region", name="Pinned")).to_contain_text("Paint the shed")
        menu(seat, "Paint the shed", "Archive")
        expect(row(seat, "Paint the shed")).to_have_count(0)
        seat.page.get_by_role("button", name="Archived").click()
        menu(seat, "Paint the shed", "Bring back")
        seat.page.get_by_role("button", name="All sessions").click()
        menu(seat, "Paint the shed", "Delete")
        expect(row(seat, "Paint the shed")).to_have_count(0)
        seat.page.get_by_role("button", name="Undo").click()
        expect(row(seat, "Paint the shed")).to_be_visible()
        seat.expect_well()


def test_words_are_found_in_titles_and_in_what_was_said(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Harbour walls")
    turn = person.say(session, "!say The limpets hold fast to the granite.")
    person.wait_for_end(session, turn)
    other = person.begin(title="Granite prices")
    with desk(chromium, house) as place:
        seat = place.tab(other)
        seat.page.get_by_role("searchbox", name="Search sessions").fill("granite")
        expect(row(seat, "Granite prices")).to_be_visible()
        hit = seat.page.locator("nav a", has=seat.page.locator("mark")).first
        expect(hit.locator("mark")).to_have_text("granite")
        expect(hit).to_contain_text("Harbour walls")
        hit.click()
        seat.expect_text("The limpets hold fast")
        seat.page.get_by_role("searchbox", name="Search sessions").fill("nothing-like-this")
        seat.expect_text("Nothing holds these words.")
        seat.expect_well()


def test_ten_runs_at_once_are_seen_side_by_side(chromium: Browser, house: House, person: Person) -> None:
    sessions = [person.begin(title=f"Run number {number}") for number in range(10)]
    with desk(chromium, house) as place:
        seat = place.tab()
        for session in sessions:
            person.say(session, "!plan one; two; three\n!stream 3000 20")
        running = seat.page.get_by_role("region", name="Running")
        expect(running.get_by_role("listitem")).to_have_count(10, timeout=60_000)
        expect(running.get_by_text("0/3").first).to_be_visible()
        seat.shot("overview-ten-runs")
        for session in sessions:
            person.cancel(session, person.look(session).session["running"]).raise_for_status()
        expect(running).to_have_count(0, timeout=60_000)
        expect(seat.page.get_by_role("region", name="Finished, not yet seen")).to_be_visible()
        seat.expect_well()


def test_a_change_that_fails_is_said_and_costs_nothing_else(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Stays as it is")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.page.route(f"**/api/sessions/{session}", lambda route: route.abort())
        menu = seat.page.get_by_role("button", name="More for Stays as it is")
        row = seat.page.locator(f"nav a[href='/session/{session}']")
        said = seat.page.get_by_role("alert").filter(has_text="That did not work. The server does not answer.")
        for name in ("Pin", "Archive", "Delete"):
            row.hover()
            menu.click()
            seat.page.get_by_role("menuitem", name=name, exact=True).click()
            expect(said).to_be_visible()
            expect(row).to_be_visible()
        seat.page.get_by_role("heading", level=1).get_by_role("button").click()
        seat.page.get_by_role("textbox", name="Title").fill("Another name")
        seat.page.keyboard.press("Enter")
        expect(said).to_be_visible()
        seat.expect_well()


def test_escape_leaves_the_menu_of_a_row_and_brings_the_focus_back(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin(title="With a menu")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        menu = seat.page.get_by_role("button", name="More for With a menu")
        menu.focus()
        menu.press("Enter")
        expect(seat.page.get_by_role("menuitem", name="Rename")).to_be_focused()
        seat.page.keyboard.press("Escape")
        expect(seat.page.get_by_role("menu")).to_have_count(0)
        expect(menu).to_be_focused()


def test_the_list_is_as_wide_as_it_is_pulled_and_stays_so(chromium: Browser, house: House, person: Person) -> None:
    person.begin()
    with desk(chromium, house) as place:
        seat = place.tab()
        edge = seat.page.get_by_role("separator", name="Width of the list")
        list_ = seat.page.locator("aside")
        box = edge.bounding_box()
        assert box is not None
        seat.page.mouse.move(box["x"] + 4, 300)
        seat.page.mouse.down()
        seat.page.mouse.move(box["x"] + 64, 300)
        seat.page.mouse.up()
        expect(list_).to_have_css("width", "339px")
        edge.focus()
        seat.page.keyboard.press("ArrowLeft")
        expect(list_).to_have_css("width", "323px")
        seat.page.reload()
        expect(list_).to_have_css("width", "323px")
        edge.dblclick()
        expect(list_).to_have_css("width", "280px")
        seat.expect_well()


def test_where_nothing_waits_the_key_to_it_says_so(chromium: Browser, own_house: House) -> None:
    with desk(chromium, own_house) as place:
        seat = place.tab(Person(own_house).begin())
        expect(seat.page.get_by_role("heading", level=1)).to_be_visible()
        seat.page.keyboard.press("g")
        seat.page.keyboard.press("w")
        expect(seat.page.get_by_text("Nothing waits for you.")).to_be_visible()


def test_what_was_found_is_as_it_is_now(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Searchable heron")
    with desk(chromium, house) as place:
        seat = place.tab()
        seat.page.get_by_role("searchbox").fill("heron")
        row = seat.page.locator(f"nav a[href='/session/{session}']")
        expect(row).to_have_count(1)
        person.patch(f"/api/sessions/{session}", {"title": "Renamed heron"}).raise_for_status()
        expect(row).to_contain_text("Renamed heron")
        person.say(session, "!ask What colour?")
        expect(row).to_have_attribute("data-state", "waiting")
        person.delete(f"/api/sessions/{session}").raise_for_status()
        expect(row).to_have_count(0)
        person.post(f"/api/sessions/{session}/restore").raise_for_status()
        expect(row).to_contain_text("Renamed heron")
        seat.expect_well()


def test_what_was_put_away_is_as_it_is_now(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Old heron")
    person.patch(f"/api/sessions/{session}", {"archived": True}).raise_for_status()
    with desk(chromium, house) as place:
        seat = place.tab()
        seat.page.get_by_role("button", name="Archived").click()
        row = seat.page.locator(f"nav a[href='/session/{session}']")
        expect(row).to_contain_text("Old heron")
        person.patch(f"/api/sessions/{session}", {"title": "Older heron"}).raise_for_status()
        expect(row).to_contain_text("Older heron")
        person.delete(f"/api/sessions/{session}").raise_for_status()
        expect(row).to_have_count(0)
        seat.expect_well()


@pytest.mark.parametrize("key", ["Enter", "Escape"])
def test_who_has_named_a_session_by_the_keyboard_is_where_they_were(
    chromium: Browser, house: House, person: Person, key: str
) -> None:
    session = person.begin(title="Focus")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        title = seat.page.get_by_role("heading", level=1).get_by_role("button")
        title.click()
        seat.page.keyboard.type("Focus two")
        seat.page.keyboard.press(key)
        expect(title).to_be_focused()
        more = seat.page.locator(f"nav a[href='/session/{session}'] + button")
        more.click()
        seat.page.get_by_role("menuitem", name="Rename").click()
        seat.page.keyboard.type("Focus three")
        seat.page.keyboard.press(key)
        expect(more).to_be_focused()
        title.click()
        seat.field.click()
        expect(seat.field).to_be_focused()
        seat.expect_well()
