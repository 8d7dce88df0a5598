"""What the settings say of this server: how large the words are, what is kept, what may go, and what it stands on."""

import tarfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from holdfast.core import events as e
from holdfast.core.ids import SessionId
from holdfast.store.backup import restore
from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, STEADY_MS, Seat, Theme, desk, press
from tests.browser.states import FOUND, LOOK, MARKDOWN
from tests.browser.written import write_lying
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PROSE = "parseFloat(getComputedStyle(document.querySelector('.prose')).fontSize)"


def section(seat: Seat, name: str) -> Locator:
    return seat.page.get_by_role("region", name=name, exact=True)


def settings(seat: Seat, name: str) -> Locator:
    seat.page.goto(f"{seat.link}/settings#{name.lower()}")
    expect(section(seat, name)).to_be_visible(timeout=PATIENCE_MS)
    return section(seat, name)


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_the_size_of_the_words_is_chosen_kept_and_fits(
    chromium: Browser, house: House, person: Person, screen: str
) -> None:
    session = person.begin(title="Port the parser to msgspec and keep what it does not know")
    said = MARKDOWN.replace("\n", "\\n")
    person.wait_for_end(session, person.say(session, f"{LOOK}\n{FOUND}\n!say {said}"))
    person.say(session, '!approve "rm -rf build && docker system prune --all" "recursive delete"')
    person.wait_for_ask(session)
    with desk(chromium, house, screen=screen) as place:
        seat = place.tab(session)
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        before = seat.page.evaluate(PROSE)
        settings(seat, "Appearance").get_by_role("radio", name="Larger").check()
        seat.expect_fits()
        assert serious(seat) == []
        seat.open(session)
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        assert seat.page.evaluate(PROSE) == pytest.approx(before * 1.3)
        expect(seat.page.get_by_role("button", name="Allow once")).to_be_in_viewport()
        seat.expect_fits()
        seat.shot(f"larger-{screen}")
        seat.open()
        expect(seat.rows.first).to_be_visible()
        seat.expect_fits()
        settings(seat, "Appearance").get_by_role("radio", name="Normal").check()
        seat.open(session)
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        assert seat.page.evaluate(PROSE) == before
        seat.expect_well()


def test_a_backup_is_saved_and_can_be_restored(chromium: Browser, house: House, person: Person, tmp_path: Path) -> None:
    session = person.begin(title="Kept")
    person.wait_for_end(session, person.say(session, "!say Every word."))
    with desk(chromium, house) as place:
        seat = place.tab()
        with seat.page.expect_download() as download:
            settings(seat, "Storage").get_by_role("button", name="Back up now").click()
        assert download.value.suggested_filename.startswith("holdfast-")
        download.value.save_as(tmp_path / "backup.tar")
        seat.expect_well()
    with tarfile.open(tmp_path / "backup.tar") as archive:
        assert "store/store.db" in archive.getnames()
    restore(tmp_path / "backup.tar", tmp_path / "home")
    with House(tmp_path / "home") as again:
        again.start()
        there = Person(again).look(session)
        assert [item.get("text") for item in there.items] == [item.get("text") for item in person.look(session).items]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_what_may_go_is_told_first_and_goes_by_a_second_press(
    chromium: Browser, tmp_path: Path, screen: str, theme: Theme
) -> None:
    """Only that: what is listed stays, and so does what was deleted or archived a moment ago."""
    with House(tmp_path / "home") as house:
        write_lying(house.home, SessionId("old-deleted"), "Gone", e.SessionDeleted())
        write_lying(house.home, SessionId("old-archived"), "Put away", e.SessionChanged(archived=True))
        house.start()
        person = Person(house)
        kept, young, undone = (person.begin(title=title) for title in ("Listed", "Archived now", "Deleted now"))
        person.patch(f"/api/sessions/{young}", {"archived": True})
        person.delete(f"/api/sessions/{undone}")
        with desk(chromium, house, screen=screen, theme=theme) as place:
            seat = place.tab()
            purged(seat)
            seat.expect_well()
        assert [person.get(f"/api/sessions/{name}").status_code for name in (kept, young)] == [200, 200]
        assert person.post(f"/api/sessions/{undone}/restore").status_code == 200
        assert person.get("/api/sessions/old-archived").status_code == 404
        assert person.post("/api/sessions/old-deleted/restore").status_code == 404


def purged(seat: Seat) -> None:
    """By the keyboard, where there is one; not by a double click, and not by who presses before he can have read."""
    storage = settings(seat, "Storage")
    rows = storage.get_by_role("list", name="What may go").get_by_role("listitem")
    expect(rows.nth(0)).to_contain_text("1 session", timeout=PATIENCE_MS)
    expect(rows.nth(2).get_by_role("button", name="Remove…")).to_be_disabled()
    rows.nth(0).get_by_role("button", name="Remove…").dblclick()
    expect(rows.nth(0)).to_contain_text("1 session")
    seat.page.keyboard.press("Escape")  # where the row has two lines now, the second click met nothing
    at_once(rows.nth(0))
    rows.nth(0).get_by_role("button", name="Remove…").press("Enter")
    expect(rows.nth(0).get_by_role("button", name="Keep")).to_be_focused()  # a second Enter takes nothing away
    seat.page.keyboard.press("Escape")
    expect(rows.nth(0).get_by_role("button", name="Remove…")).to_be_focused()
    seat.page.keyboard.press("Enter")
    seat.expect_fits()
    assert serious(seat) == []
    seat.page.keyboard.press("Shift+Tab")
    expect(rows.nth(0).get_by_role("button", name="Remove 1 session")).to_be_focused()
    seat.page.wait_for_timeout(STEADY_MS)
    seat.page.keyboard.press("Enter")
    expect(storage.get_by_role("status")).to_have_text("1 session is gone for good.", timeout=PATIENCE_MS)
    expect(rows.nth(0)).to_contain_text("Nothing")
    storage.get_by_role("combobox").select_option("365")
    expect(rows.nth(1)).to_contain_text("Nothing")
    storage.get_by_role("combobox").select_option("30")
    expect(rows.nth(1)).to_contain_text("1 session")
    rows.nth(1).get_by_role("button", name="Remove…").click()
    press(rows.nth(1).get_by_role("button", name="for good"))
    expect(rows.nth(1)).to_contain_text("Nothing")


def at_once(row: Locator) -> None:
    """Press what confirms in the moment in which it appears: nothing goes."""
    row.evaluate(
        """async (row) => {
            row.querySelector('button').click()
            await new Promise(requestAnimationFrame)
            row.querySelector('.sure').click()
        }"""
    )
    row.get_by_role("button", name="Keep").click()
    expect(row).to_contain_text("1 session")


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_it_says_what_it_is_and_whether_it_is_well(chromium: Browser, house: House, screen: str) -> None:
    with desk(chromium, house, screen=screen) as place:
        seat = place.tab()
        about = settings(seat, "About")
        expect(about).to_contain_text(str(house.home), timeout=PATIENCE_MS)
        expect(about).to_contain_text("Tour")
        about.get_by_role("button", name="Look at everything it stands on").click()
        expect(about.get_by_role("status")).to_contain_text("The store is sound", timeout=PATIENCE_MS)
        expect(about.get_by_role("listitem").first).to_contain_text("SQLite")
        seat.expect_fits()
        assert serious(seat) == []
        seat.expect_well()
