"""What would keep somebody out of a page, as axe-core sees it."""

from pathlib import Path

from tests.browser.desk import Seat

SOURCE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"

ALL = "{resultTypes: ['violations']}"
COLOURS = "{resultTypes: ['violations'], runOnly: ['color-contrast']}"
"""All that changes with the light, beside the pictures that a person looks at."""


def serious(seat: Seat, options: str = ALL) -> list[str]:
    """What is wrong with the page as it is now, and where."""
    seat.page.evaluate(SOURCE.read_text("utf-8"))
    found = seat.page.evaluate(
        f"""async () => (await axe.run(document, {options})).violations
            .filter(({{impact}}) => impact === 'serious' || impact === 'critical')
            .map(({{id, nodes}}) => `${{id}}: ${{nodes.map((node) => node.target.join(' ')).join(', ')}}`)"""
    )
    return list(found)
