"""What the page fetches until the first answer with its code block is drawn."""

import gzip
from pathlib import Path

import msgspec
from playwright.sync_api import Browser, expect

import holdfast
from tests.browser.desk import PATIENCE_MS, desk
from tests.journeys.house import House

STATIC = Path(holdfast.__file__).parent / "static"
BESIDE = ("languages", "bash", "worker")
"""The colours of code come when a block is closed; they count as well, with one language. So does the worker that has
the live connection: a browser does not say when it fetches that."""


class Weight(msgspec.Struct, frozen=True, kw_only=True):
    """`script` is what all scripts weigh, packed. `elsewhere` are addresses that are not the server's."""

    scripts: int
    script: int
    requests: list[str]
    elsewhere: list[str]


def weigh(chromium: Browser, house: House) -> Weight:
    """Open the page in a browser that knows nothing, and start the tour."""
    with desk(chromium, house) as place:
        seat = place.tab()
        seat.page.get_by_role("button", name="Start the tour").click()
        expect(seat.page.get_by_role("heading", name="Welcome to Holdfast")).to_be_visible(timeout=PATIENCE_MS)
        fetched = list(seat.addresses)
        link = seat.link
    names = {address.removeprefix(f"{link}/") for address in fetched if address.endswith(".js")}
    names |= {f"assets/{path.name}" for name in BESIDE for path in STATIC.glob(f"assets/{name}-*.js")}
    found = [STATIC / name for name in names if (STATIC / name).is_file()]
    return Weight(
        scripts=len(found),
        script=sum(len(gzip.compress(path.read_bytes(), 6)) for path in found),
        requests=[address.removeprefix(link) for address in fetched],
        elsewhere=[address for address in fetched if not address.startswith((link, "data:", "blob:"))],
    )
