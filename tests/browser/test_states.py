"""Every state of the page, on a desk and on a phone, light and dark: readable, reachable, not wider than the screen."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.desk import Seat, Theme, desk
from tests.browser.gate import Gate
from tests.browser.states import STATES, Scene
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"


def serious(seat: Seat) -> list[str]:
    """What would keep somebody out, as axe-core sees it."""
    seat.page.evaluate(AXE.read_text("utf-8"))
    found = seat.page.evaluate(
        """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
            .filter(({impact}) => impact === 'serious' || impact === 'critical')
            .map(({id, nodes}) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)"""
    )
    return list(found)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_every_state_can_be_read_and_reached(chromium: Browser, own_house: House, theme: Theme, screen: str) -> None:
    person = Person(own_house)
    wrong: dict[str, list[str]] = {}
    with (
        Gate(own_house.server.link) as gate,
        desk(chromium, own_house, link=gate.link, screen=screen, theme=theme) as place,
    ):
        for name, act in STATES.items():
            seat = act(Scene(place, person, gate, own_house))
            seat.page.wait_for_timeout(400)  # a card rises for a moment
            seat.shot(f"{name}-{screen}-{theme}")
            seat.expect_fits()
            wrong[name] = serious(seat)
            seat.page.close()
    assert {name: found for name, found in wrong.items() if found} == {}
