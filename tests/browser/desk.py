"""Somebody at a browser: opens pages, says things, looks, and notices when something goes wrong or goes out."""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from holdfast.core.ids import SessionId
from tests.journeys.house import House
from tests.journeys.person import Person
from tests.journeys.transcript import Transcript

PATIENCE_MS = 30_000
STEADY_MS = 700
"""A little more than what a card that has just come wants to have stood still."""
SHOTS = os.environ.get("HOLDFAST_TEST_SHOTS", "")
"""A folder for pictures of what the tests see, if a person wants to look at them. Hundreds of them take minutes."""
Theme = Literal["light", "dark"]
SCREENS: dict[str, ViewportSize] = {
    "desk": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
# What a browser says by itself when a connection breaks, or when a page comes by plain http; such a test expects it.
NETWORK = (
    "Failed to load resource",
    "net::ERR_",
    "An unknown error occurred when fetching the script",  # the service worker's, of a server that is away
    "The Cross-Origin-Opener-Policy header has been ignored",
)
FAULT = re.compile("the server responded with a status of 5(?!03|07)")
"""But never that the server failed. It may say that it can't be reached (503), or that its disk is full (507)."""


REST = """() => new Promise((done) => {
    const places = () =>
        JSON.stringify([...document.querySelectorAll('[data-ask]')].map((card) => card.getBoundingClientRect()))
    let [last, since] = [places(), performance.now()]
    const look = () => {
        const now = places()
        if (now !== last) [last, since] = [now, performance.now()]
        if (performance.now() - since > 700) done()
        else setTimeout(look, 30) // frames come only to a tab that is seen
    }
    look()
})"""

STILL = """() => {
    const ends = (motion) => Number.isFinite(motion.effect?.getComputedTiming().endTime)
    return !document.getAnimations().some((motion) => motion.playState === 'running' && ends(motion))
}"""


@dataclass
class Seat:
    """One tab, and what was said in its console and asked of the network."""

    page: Page
    link: str
    troubles: list[str] = field(default_factory=list[str])
    addresses: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", lambda request: self.addresses.append(request.url))

    def _said(self, message: Any) -> None:
        expected = message.text.startswith(NETWORK) and not FAULT.search(message.text)
        if message.type in ("error", "warning") and not expected:
            self.troubles.append(message.text)

    # Going somewhere.

    def open(self, session: str | None = None) -> None:
        self.page.goto(self.link if session is None else f"{self.link}/session/{session}")

    # Doing something.

    def say(self, text: str) -> None:
        self.field.fill(text)
        self.field.press("Control+Enter")  # Enter alone is a new line on a touch screen

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message")

    @property
    def cards(self) -> Locator:
        return self.page.locator("[data-ask]")

    @property
    def prose(self) -> Locator:
        return self.page.locator(".said .prose")

    @property
    def rows(self) -> Locator:
        return self.page.locator("nav a[href^='/session/']")

    # Seeing something.

    def expect_text(self, text: str) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible(timeout=PATIENCE_MS)

    def expect_idle(self) -> None:
        """The run is over, as far as this tab can tell."""
        expect(self.page.get_by_role("button", name="Stop")).to_have_count(0, timeout=PATIENCE_MS)

    def words(self) -> str:
        """All that the agent said, as it is on screen."""
        return "\n".join(self.prose.all_inner_texts())

    def rest(self) -> None:
        """Wait until every card has stood still for longer than it ignores what is pressed."""
        self.page.evaluate(REST)

    def expect_still(self) -> None:
        """Nothing rises, folds or changes its colour any more. What turns for as long as a run goes on turns on."""
        self.page.wait_for_function(STILL)

    def expect_well(self) -> None:
        """Nothing went wrong, and nothing left the house."""
        assert self.troubles == [], self.troubles
        here = (f"{self.link}/", "blob:", "data:")
        assert [address for address in self.addresses if not address.startswith(here)] == []

    def expect_fits(self) -> None:
        """Nothing is wider than the screen, and the page itself never scrolls: its parts do."""
        wide = self.page.evaluate(
            """() => {
                const root = document.documentElement
                const scroller = document.querySelector('.scroller')
                const over = (node) => node !== null && node.scrollWidth > node.clientWidth
                const size = (node) => [node.className, node.scrollWidth, node.clientWidth]
                const long = root.scrollHeight > root.clientHeight ? [[root.scrollHeight, root.clientHeight]] : []
                return [...[root, scroller].filter(over).map(size), ...long]
            }"""
        )
        assert wide == []

    def shot(self, name: str) -> None:
        """Keep a picture, if a person wants to look at it."""
        if SHOTS:
            self.page.screenshot(path=Path(SHOTS) / f"{name}.png")


def press(button: Locator) -> None:
    """Answer as a person does, who waits until a card stands still, and presses again if it says that it had moved."""
    for _ in range(30):
        button.page.wait_for_timeout(STEADY_MS)
        button.click()
        if not button.page.get_by_text("This had just moved.").first.is_visible():
            return


class Desk:
    """A browser profile that is signed in: its tabs share a live connection."""

    def __init__(self, context: BrowserContext, link: str) -> None:
        self.context = context
        self.link = link

    def tab(self, session: str | None = None) -> Seat:
        seat = Seat(self.context.new_page(), self.link)
        seat.open(session)
        return seat


@contextmanager
def desk(
    chromium: Browser,
    house: House,
    *,
    link: str | None = None,
    screen: str = "desk",
    theme: Theme = "light",
    script: str = "",
    **options: Any,
) -> Generator[Desk]:
    """Sit down at a browser. `script` runs in every page before the page's own."""
    touch = {"has_touch": True, "is_mobile": True} if screen == "phone" else {}
    with chromium.new_context(viewport=SCREENS[screen], color_scheme=theme, **touch, **options) as context:
        token = house.server.token.strip()
        context.add_init_script(f"localStorage.setItem('holdfast.token', {token!r}); {script}")
        yield Desk(context, link or house.server.link)


def stored_words(person: Person, session: SessionId) -> str:
    """All that the agent said, as it is stored."""
    seen: Transcript = person.look(session)
    return "\n".join(item["text"] for item in seen.items if item["type"] == "text")
