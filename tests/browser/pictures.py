"""The pictures of the documentation, taken from real runs: `python -m tests.browser.pictures`.

Every state of the page as well, if a folder is named: `python -m tests.browser.pictures FOLDER`.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser import desk as seats
from tests.browser.conftest import FLAGS
from tests.browser.desk import PATIENCE_MS, SCREENS, Seat, Theme, desk, press
from tests.browser.gate import Gate
from tests.browser.setup_chromium import MISSING, find_chromium
from tests.browser.states import STATES, Scene
from tests.journeys.house import House
from tests.journeys.person import Person

IMAGES = Path(__file__).parents[2] / "docs/img"
FOLDER = Path(tempfile.gettempdir()) / "harbour"
THEMES: tuple[Theme, ...] = ("light", "dark")


def tour_at_its_approval(chromium: Browser, house: House, screen: str, theme: Theme) -> None:
    person = Person(house)
    with desk(chromium, house, screen=screen, theme=theme, locale="en-GB") as place:
        session = person.begin(workspace=str(FOLDER))
        person.say(session, "Start the tour")
        seat = place.tab(session)
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        seat.page.wait_for_timeout(1_500)
        seat.page.screenshot(path=IMAGES / f"approval-{screen}-{theme}.png")
        answered(seat)


def answered(seat: Seat) -> None:
    press(seat.page.get_by_role("button", name="Allow once"))
    choice = seat.page.get_by_role("button", name="Look around first")
    expect(choice).to_be_visible(timeout=PATIENCE_MS)
    seat.page.wait_for_timeout(700)
    choice.click()
    seat.expect_idle()


def every_state(chromium: Browser, house: House, folder: Path) -> None:
    seats.SHOTS = folder
    person = Person(house)
    for screen in SCREENS:
        for theme in THEMES:
            with (
                Gate(house.server.link) as gate,
                desk(chromium, house, link=gate.link, screen=screen, theme=theme) as place,
            ):
                for name, act in STATES.items():
                    seat = act(Scene(place, person, gate, house))
                    seat.page.wait_for_timeout(400)
                    seat.shot(f"{name}-{screen}-{theme}")
                    seat.page.close()


def main(arguments: list[str]) -> int:
    executable = find_chromium()
    if executable is None:
        sys.stderr.write(f"{MISSING}\n")
        return 1
    IMAGES.mkdir(exist_ok=True)
    FOLDER.mkdir(exist_ok=True)
    home = Path(tempfile.mkdtemp()) / "home"
    with House(home) as house, sync_playwright() as playwright:
        house.start()
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        tour_at_its_approval(chromium, house, "desk", "light")
        tour_at_its_approval(chromium, house, "phone", "dark")
        if arguments:
            every_state(chromium, house, Path(arguments[0]))
        chromium.close()
    shutil.rmtree(home.parent, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
