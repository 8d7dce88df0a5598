"""Every state of the page, on a desk and on a phone, light and dark: readable, reachable, not wider than the screen."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.axe import COLOURS, serious
from tests.browser.desk import desk
from tests.browser.gate import Gate
from tests.browser.states import STATES, Scene
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_every_state_can_be_read_and_reached(chromium: Browser, own_house: House, tmp_path: Path, screen: str) -> None:
    """By daylight and in the dark: one state after the other is brought about, and looked at in both."""
    person = Person(own_house)
    wrong: dict[str, list[str]] = {}
    with (
        Gate(own_house.server.link) as gate,
        desk(chromium, own_house, link=gate.link, screen=screen) as place,
    ):
        for name, act in STATES.items():
            seat = act(Scene(place, person, gate, own_house, tmp_path))
            seat.expect_still()
            seat.expect_fits()
            seat.shot(f"{name}-{screen}-light")
            wrong[f"{name} by daylight"] = serious(seat)
            seat.page.emulate_media(color_scheme="dark")
            seat.expect_still()
            seat.shot(f"{name}-{screen}-dark")
            wrong[f"{name} in the dark"] = serious(seat, COLOURS)
            seat.page.close()
    assert {name: found for name, found in wrong.items() if found} == {}
