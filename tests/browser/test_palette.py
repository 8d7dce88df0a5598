"""The palette and the help of the keys: everything by its name, without a mouse, and back to where one was."""

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, SCREENS, Seat, Theme, desk
from tests.browser.test_signing_in import GROUND
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GROUND_NOW = "getComputedStyle(document.body).backgroundColor"


def palette(seat: Seat) -> Locator:
    return seat.page.get_by_role("combobox", name="Find a session or a command")


def chosen(seat: Seat) -> Locator:
    return seat.page.get_by_role("dialog").get_by_role("option", selected=True)


def call(seat: Seat, words: str, entry: str) -> None:
    """Open the palette by its keys, type, see what is chosen."""
    seat.page.keyboard.press("Control+k")
    expect(palette(seat)).to_be_focused()
    palette(seat).fill(words)
    expect(chosen(seat)).to_contain_text(entry)


def test_the_keyboard_alone_does_everything(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    wall, roof = person.begin(title="Mend the harbour wall"), person.begin(title="Tar the roof")
    person.say(wall, "!say The mortar wants seawater.")
    with desk(chromium, own_house, theme="light") as place:
        seat = place.tab(roof)
        seat.field.fill("half a thought")
        call(seat, "hwall", "Mend the harbour wall")
        seat.page.keyboard.press("Escape")
        expect(palette(seat)).to_have_count(0)
        expect(seat.field).to_be_focused()  # in the middle of what was written there
        call(seat, "hwall", "Mend the harbour wall")
        seat.page.keyboard.press("Control+k")
        expect(palette(seat)).to_have_count(0)
        expect(seat.field).to_be_focused()
        call(seat, "hwall", "Mend the harbour wall")
        seat.page.keyboard.press("Enter")
        expect(seat.page).to_have_url(f"{seat.link}/session/{wall}")
        expect(seat.prose.first).to_have_text("The mortar wants seawater.", timeout=PATIENCE_MS)

        call(seat, "rename", "Rename this session…")
        seat.page.keyboard.press("Enter")
        expect(seat.page.get_by_role("textbox", name="New title")).to_be_focused()
        seat.page.keyboard.type("Point the wall")
        seat.page.keyboard.press("Enter")
        expect(seat.page.get_by_role("heading", name="Point the wall")).to_be_visible()
        call(seat, "pin this", "Pin this session")
        seat.page.keyboard.press("Enter")
        expect(seat.page.get_by_role("region", name="Pinned").get_by_text("Point the wall")).to_be_visible()
        call(seat, "dark", "Dark colours")
        seat.page.keyboard.press("Enter")
        assert seat.page.evaluate(GROUND_NOW) == GROUND["dark"]
        call(seat, "export mark", "Markdown")
        with seat.page.expect_download():
            seat.page.keyboard.press("Enter")

        call(seat, "approval rules", "Approval rules")
        seat.page.keyboard.press("Enter")
        rules = seat.page.get_by_role("heading", name="Approval rules")
        expect(rules).to_be_in_viewport()
        call(seat, "models", "Models")
        seat.page.keyboard.press("Enter")
        expect(seat.page).to_have_url(f"{seat.link}/settings#models")
        seat.open(wall)
        expect(seat.field).to_be_visible()
        call(seat, "settings", "Settings")
        seat.page.keyboard.press("Enter")
        expect(seat.page).to_have_url(f"{seat.link}/settings")

        call(seat, "newses", "New session")
        seat.page.keyboard.press("ArrowUp")  # from the first to the last
        expect(seat.page.get_by_role("dialog").get_by_role("option").last).to_have_attribute("aria-selected", "true")
        seat.page.keyboard.press("ArrowDown")
        expect(chosen(seat)).to_contain_text("New session")
        seat.page.keyboard.press("Enter")
        seat.expect_text("What should be done?")
        seat.expect_well()


def test_what_was_said_is_found_and_a_run_is_stopped(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    wall, roof = person.begin(title="Mend the harbour wall"), person.begin(title="Tar the roof")
    person.wait_for_end(wall, person.say(wall, "!say The mortar wants seawater."))
    person.say(roof, "!sleep 600000")
    with desk(chromium, own_house) as place:
        seat = place.tab(roof)
        expect(seat.page.get_by_role("button", name="Stop")).to_be_visible(timeout=PATIENCE_MS)
        call(seat, "stop", "Stop the run")
        seat.page.keyboard.press("Enter")
        seat.expect_idle()
        call(seat, "seawater", "The mortar wants seawater.")
        expect(chosen(seat)).to_contain_text("Mend the harbour wall")
        seat.page.keyboard.press("Enter")
        expect(seat.prose.first).to_be_in_viewport(timeout=PATIENCE_MS)
        seat.page.keyboard.press("Control+k")
        palette(seat).fill("zzyzx qqq")
        seat.expect_text("Nothing is called this, and nothing said holds these words.")
        seat.expect_well()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_both_can_be_read_and_reached(chromium: Browser, house: House, theme: Theme, screen: str) -> None:
    person = Person(house)
    person.begin(title="Mend the harbour wall")
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab()
        seat.page.get_by_role("button", name="Commands").click()
        expect(seat.page.get_by_role("option").first).to_be_visible()
        seat.shot(f"palette-{screen}-{theme}")
        seat.expect_fits()
        assert serious(seat) == []
        seat.page.get_by_role("option", name="Keyboard shortcuts").click()
        expect(seat.page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Next session that waits")
        expect(seat.page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("What you said before")
        send = seat.page.get_by_role("dialog").locator("dl div").filter(has=seat.page.get_by_text("Send", exact=True))
        expect(send.locator("kbd")).to_have_text(["Enter"] if screen == "desk" else ["Ctrl", "Enter"])
        if screen == "phone":  # a sheet, from one edge to the other
            box = seat.page.get_by_role("dialog", name="Keyboard shortcuts").bounding_box()
            assert box is not None
            assert (box["x"], box["width"]) == (0, SCREENS["phone"]["width"])
        seat.shot(f"help-{screen}-{theme}")
        seat.expect_fits()
        assert serious(seat) == []
        seat.page.get_by_role("button", name="Close").click()
        expect(seat.page.get_by_role("dialog")).to_have_count(0)
        seat.expect_well()


def test_letters_do_nothing_behind_the_help(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Stay here")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        seat.page.get_by_role("region", name="Conversation").focus()
        seat.page.keyboard.press("?")
        expect(seat.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        seat.page.keyboard.press("n")
        seat.page.keyboard.press("Control+k")
        expect(palette(seat)).to_be_focused()
        seat.page.keyboard.press("Escape")
        expect(seat.page.get_by_role("region", name="Conversation")).to_be_focused()
        assert seat.page.url.endswith(session)
        seat.expect_well()


def test_what_has_just_closed_opens_again_at_once(chromium: Browser, house: House, person: Person) -> None:
    """A dialog says only later that it is closed: that must not close the next one."""
    with desk(chromium, house) as place:
        seat = place.tab(person.begin())
        seat.page.keyboard.press("Control+k")
        expect(palette(seat)).to_be_visible()
        seat.page.evaluate(
            """() => {
                document.querySelector('dialog[open]').close()
                window.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', code: 'KeyK', ctrlKey: true}))
                return new Promise((done) => setTimeout(done, 100))
            }"""
        )
        expect(palette(seat)).to_be_visible()
        expect(palette(seat)).to_have_count(1)
