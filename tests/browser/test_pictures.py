"""The pictures of the documentation are those of the states that there are, and of no others."""

from tests.browser.desk import SCREENS
from tests.browser.pictures import IMAGES, THEMES
from tests.browser.states import STATES


def test_every_state_has_its_pictures_and_every_picture_its_state() -> None:
    """By their names: on each screen and in each theme, once."""
    wanted = {f"{name}-{screen}-{theme}.png" for name in STATES for screen in SCREENS for theme in THEMES}
    assert {path.name for path in (IMAGES / "states").iterdir()} == wanted
