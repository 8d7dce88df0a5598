"""The pictures of the documentation, taken from real runs: `python -m tests.browser.pictures`.

Those of the README, and every state of the page on a desk and on a phone, light and dark. Names of states, if any are
given, leave out the others.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.conftest import FLAGS
from tests.browser.desk import PATIENCE_MS, SCREENS, Seat, Theme, desk, press
from tests.browser.gate import Gate
from tests.browser.paint import small
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
        keep(seat, IMAGES / f"approval-{screen}-{theme}.png")
        answered(seat)


def keep(seat: Seat, path: Path) -> None:
    """A picture of what is seen, made small in a tab of its own."""
    picture = seat.page.screenshot()
    with seat.page.context.browser.new_context() as context:  # pyright: ignore[reportOptionalMemberAccess]  it has one
        path.write_bytes(small(context.new_page(), picture))


def answered(seat: Seat) -> None:
    press(seat.page.get_by_role("button", name="Allow once"))
    choice = seat.page.get_by_role("button", name="Look around first")
    expect(choice).to_be_visible(timeout=PATIENCE_MS)
    seat.page.wait_for_timeout(700)
    choice.click()
    seat.expect_idle()


def every_state(chromium: Browser, folder: Path, names: list[str]) -> None:
    """Each size in a home of its own: they look as they would to whoever comes first.

    A picture in the dark shows the same run as the one by daylight.
    """
    folder.mkdir(exist_ok=True)
    for screen in SCREENS:
        with (
            House(Path(tempfile.mkdtemp()) / "home") as house,
            Gate(house.start().link) as gate,
            desk(chromium, house, link=gate.link, screen=screen, locale="en-GB") as place,
        ):
            person = Person(house)
            for name, act in STATES.items():
                if names and name not in names:
                    continue
                seat = act(Scene(place, person, gate, house))
                for theme in THEMES:
                    seat.page.emulate_media(color_scheme=theme)
                    seat.page.wait_for_timeout(700)
                    keep(seat, folder / f"{name}-{screen}-{theme}.png")
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
        every_state(chromium, IMAGES / "states", arguments)
        chromium.close()
    shutil.rmtree(home.parent, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
