"""The page in another language, and written from right to left."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, STEADY_MS, Desk, Seat, desk
from tests.browser.gate import Gate
from tests.browser.languages import cut_off, in_sight, pattern, words
from tests.browser.states import STATES, Scene
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TITLE = "Bauordner leeren"
WORK = (
    "Bitte den Bauordner leeren.\n"
    "!think Vielleicht wird noch etwas gebraucht.\n"
    '!tool list_files {"path":"./build"} 40 objects.o\n'
    '!tool execute {"command":"du -sh build"} 60 3.2G build\n'
    "!usage 1200 300\n"
    "!approve rm -rf ./build\n"
    "!ask Wohin damit? | hierhin | dorthin\n"
    "!say Erledigt."
)
MIRRORED = [
    "first-run-nothing",
    "prose",
    "approval",
    "question",
    "queued",
    "stopped",
    "interrupted",
    "commands",
    "overview",
]


def german(path: str) -> str:
    return words("de")[path]


def button(seat: Seat, path: str) -> Locator:
    return seat.page.get_by_role("button", name=german(path), exact=True)


def expect_german(seat: Seat, name: str) -> None:
    """Everything is German, has room, and can be reached."""
    seat.page.wait_for_timeout(STEADY_MS)
    seat.shot(f"german-{name}")
    assert in_sight(seat, "en", "de") == [], name
    assert cut_off(seat) == [], name
    assert serious(seat) == [], name
    seat.expect_fits()


def field(seat: Seat) -> Locator:
    return seat.page.get_by_role("textbox", name=german("composer.field"), exact=True)


def opened(place: Desk, session: str | None = None) -> Seat:
    seat = place.tab(session)
    expect(seat.page.locator("html")).to_have_attribute("lang", "de", timeout=PATIENCE_MS)
    return seat


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_a_turn_with_an_approval_and_a_question_is_all_german(
    chromium: Browser, house: House, person: Person, screen: str
) -> None:
    session = person.begin(title=TITLE)
    with desk(chromium, house, screen=screen, locale="de-DE") as place:
        seat = opened(place, session)
        field(seat).fill(WORK)
        field(seat).press("Control+Enter")
        expect(button(seat, "asks.allow")).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"approval-{screen}")
        button(seat, "asks.more").click()
        expect(seat.page.get_by_role("radio").first).to_be_visible()
        button(seat, "asks.denyWhy").click()
        expect_german(seat, f"approval-more-{screen}")
        button(seat, "asks.allow").click()
        expect(seat.page.get_by_role("button", name="hierhin")).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"question-{screen}")
        seat.page.get_by_role("button", name="hierhin").click()
        expect(seat.prose.last).to_have_text("Erledigt.", timeout=PATIENCE_MS)
        expect(button(seat, "composer.stop")).to_have_count(0, timeout=PATIENCE_MS)
        expect_german(seat, f"done-{screen}")
        field(seat).fill("/")
        expect(seat.page.get_by_role("option").first).to_be_visible()
        expect_german(seat, f"commands-{screen}")
        field(seat).fill("!stream 3000 30")
        field(seat).press("Control+Enter")
        expect(button(seat, "composer.stop")).to_be_visible(timeout=PATIENCE_MS)
        for said in ("!say Aufgeschrieben.", "!say Die Flut kommt."):
            field(seat).fill(said)
            field(seat).press("Control+Enter")
        expect(seat.page.get_by_role("listitem").filter(has_text="Flut")).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"queued-{screen}")
        button(seat, "composer.stop").click()
        expect(seat.page.get_by_role("note")).to_have_text(pattern(german("session.end.stopped")), timeout=PATIENCE_MS)
        expect_german(seat, f"stopped-{screen}")
        seat.expect_well()


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_the_list_and_the_menu_of_a_row_are_all_german(chromium: Browser, own_house: House, screen: str) -> None:
    person = Person(own_house)
    with desk(chromium, own_house, screen=screen, locale="de-DE") as place:
        seat = opened(place)
        expect(seat.page.get_by_text(german("sessions.none"))).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"first-{screen}")
        waits = person.begin(title=TITLE)
        person.say(waits, "!approve rm -rf ./build")
        runs = person.begin(title="Parser umstellen")
        person.say(runs, "!plan Lesen; Umstellen\n!stream 6000 30")
        done = person.begin(title="Warum so langsam?")
        person.wait_for_end(done, person.say(done, "!say Darum."))
        for path in ("waits", "running", "unseen"):
            region = seat.page.get_by_role("region", name=german(f"sessions.groups.{path}"))
            expect(region).to_be_visible(timeout=PATIENCE_MS)
        expect(seat.page.get_by_text(german("sessions.row.writing")).first).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"list-{screen}")
        answer = german("sessions.row.answerTo").replace("¤", TITLE)
        seat.page.get_by_role("button", name=answer).click()
        expect(button(seat, "asks.allow")).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"answering-{screen}")
        seat.page.locator("nav").get_by_role("link", name=TITLE).hover()
        seat.page.get_by_role("button", name=german("sessions.row.more").replace("¤", TITLE)).click()
        expect_german(seat, f"menu-{screen}")
        seat.page.get_by_role("menuitem", name=german("sessions.menu.export")).click()
        expect_german(seat, f"export-{screen}")
        seat.page.keyboard.press("Escape")
        seat.page.get_by_role("searchbox").fill("Darum")
        expect(seat.page.locator("nav mark").first).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"found-{screen}")
        seat.page.get_by_role("searchbox").fill("")
        button(seat, "sessions.archived").click()
        expect(seat.page.get_by_text(german("sessions.noneArchived"))).to_be_visible(timeout=PATIENCE_MS)
        expect_german(seat, f"archive-{screen}")
        seat.expect_well()


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_the_page_fits_from_right_to_left(chromium: Browser, own_house: House, tmp_path: Path, screen: str) -> None:
    person = Person(own_house)
    with (
        Gate(own_house.server.link) as gate,
        desk(chromium, own_house, link=gate.link, screen=screen) as place,
    ):
        for name in MIRRORED:
            seat = STATES[name](Scene(place, person, gate, own_house, tmp_path))
            seat.page.evaluate("() => (document.documentElement.dir = 'rtl')")
            seat.page.wait_for_timeout(STEADY_MS)
            seat.shot(f"mirrored-{name}-{screen}")
            seat.expect_fits()
            assert cut_off(seat) == [], name
            seat.page.close()
