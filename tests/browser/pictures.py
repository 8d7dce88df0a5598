"""The pictures of the documentation, taken from real runs: `python -m tests.browser.pictures`.

Those of the README, and every state of the page on a desk and on a phone, light and dark. Names of states, if any are
given, leave out the others.
"""

import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import FLAGS
from tests.browser.desk import SCREENS, Seat, Theme, desk
from tests.browser.gate import Gate
from tests.browser.paint import small
from tests.browser.setup_chromium import MISSING, find_chromium
from tests.browser.states import STATES, Scene, first_sight
from tests.journeys.house import House
from tests.journeys.person import Person

IMAGES = Path(__file__).parents[2] / "docs/img"
HOME = Path(tempfile.gettempdir()) / "holdfast"
FOLDER = Path(tempfile.gettempdir()) / "harbour"
"""They are seen in pictures, so nothing in their names tells of a machine."""
THEMES: tuple[Theme, ...] = ("light", "dark")


def keep(seat: Seat, path: Path) -> None:
    """A picture of what is seen, made small in a tab of its own."""
    picture = seat.page.screenshot()
    with seat.page.context.browser.new_context() as context:  # pyright: ignore[reportOptionalMemberAccess]  it has one
        path.write_bytes(small(context.new_page(), picture))


@contextmanager
def scene(chromium: Browser, screen: str) -> Generator[Scene]:
    """A home, and a folder to work in, that are new and are called the same on every machine."""
    for folder in (HOME, FOLDER):
        if folder.exists():
            sys.exit(f"{folder} is in the way. It is seen in pictures, so it has to be new: move it, or remove it.")
    for folder in (HOME, FOLDER):
        folder.mkdir()
    try:
        with (
            House(HOME / "home") as house,
            Gate(house.start().link) as gate,
            desk(chromium, house, link=gate.link, screen=screen, locale="en-GB") as place,
        ):
            yield Scene(place, Person(house), gate, house, FOLDER)
    finally:
        shutil.rmtree(HOME, ignore_errors=True)
        shutil.rmtree(FOLDER, ignore_errors=True)


def first_seen(chromium: Browser, screen: str, theme: Theme) -> None:
    """The picture at the top of the README."""
    with scene(chromium, screen) as seen:
        seat = first_sight(seen)
        seat.page.emulate_media(color_scheme=theme)
        seat.page.wait_for_timeout(1_500)
        keep(seat, IMAGES / f"approval-{screen}-{theme}.png")


def every_state(chromium: Browser, folder: Path, names: list[str]) -> None:
    """Each size in a home of its own: they look as they would to whoever comes first.

    A picture in the dark shows the same run as the one by daylight.
    """
    folder.mkdir(exist_ok=True)
    for screen in SCREENS:
        with scene(chromium, screen) as seen:
            for name, act in STATES.items():
                if names and name not in names:
                    continue
                seat = act(seen)
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
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        first_seen(chromium, "desk", "light")
        first_seen(chromium, "phone", "dark")
        every_state(chromium, IMAGES / "states", arguments)
        chromium.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
