"""Where the system chooses the colours, what is chosen is told from what is not."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import Theme, desk
from tests.journeys.house import House

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BOXES = """(kind) => {
    const row = document.createElement('p')
    row.id = 'boxes'
    for (const checked of [true, false]) {
        const box = document.createElement('input')
        Object.assign(box, { type: kind, checked, id: `box-${checked}` })
        row.append(box)
    }
    document.querySelector('main').prepend(row)
}"""


@pytest.mark.parametrize("kind", ["checkbox", "radio"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_ticked_box_is_told_from_an_empty_one(chromium: Browser, house: House, kind: str, theme: Theme) -> None:
    with desk(chromium, house, theme=theme, forced_colors="active") as place:
        seat = place.tab()
        expect(seat.field).to_be_visible()
        seat.page.evaluate(BOXES, kind)
        ticked, empty = (seat.page.locator(f"#box-{state}").screenshot() for state in ("true", "false"))
        assert ticked != empty
