"""Diagrams: drawn when they come into view, in a frame of their own, as a picture; what can't be drawn stays code."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Frame, expect

from holdfast.core import events as e
from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, Seat, Theme, desk
from tests.browser.written import Written, say, write_session
from tests.journeys.house import House

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FLOW = "```mermaid\nflowchart LR\n  A[Ebb] -->|moon| B(Flood)\n  B --> C{Ashore?}\n```"
TALK = "```mermaid\nsequenceDiagram\n  You->>Agent: Do it\n  Agent-->>You: May I?\n```"
STATES = "```mermaid\nstateDiagram-v2\n  [*] --> Waits\n  Waits --> Runs\n```"
WRONG = "```mermaid\nflowchart LR\n  A[[[ -->\n```"
HOSTILE = (
    '```mermaid\nflowchart LR\n  A["<img src=x onerror=alert(1)>"] --> B["<script>alert(2)</script>"]\n'
    '  click A href "javascript:alert(3)"\n  style A fill:url(https://example.invalid/x.svg)\n```'
)
FILLER = "\n\n".join(f"Paragraph {number}." for number in range(200))


def written(*texts: str) -> list[Written]:
    """One turn that says these."""
    facts: list[e.AnyFact] = [say("\n\n".join(texts))]
    return [("Draw it.", facts)]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("house") / "home") as house:
        write_session(house.home, SessionId("drawn"), written(FLOW, TALK, STATES), "Drawn")
        write_session(house.home, SessionId("wrong"), written(WRONG), "Wrong")
        write_session(house.home, SessionId("hostile"), written(HOSTILE), "Hostile")
        write_session(house.home, SessionId("far"), written(FLOW, FILLER), "Far up")
        house.start()
        yield house


def frames(seat: Seat) -> list[Frame]:
    return [frame for frame in seat.page.frames if frame.url.endswith("/diagram.html")]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_a_diagram_is_a_picture_in_the_colours_of_the_page(
    chromium: Browser, shown: House, theme: Theme, screen: str
) -> None:
    with desk(chromium, shown, screen=screen, theme=theme) as place:
        seat = place.tab("drawn")
        pictures = seat.page.locator(".prose .diagram img")
        expect(pictures).to_have_count(3, timeout=PATIENCE_MS)
        sizes = pictures.evaluate_all("(all) => all.map((each) => [each.naturalWidth, each.naturalHeight])")
        assert all(width > 60 and height > 60 for width, height in sizes)
        seat.page.get_by_role("button", name="Show the code").first.click()
        expect(seat.page.get_by_text("A[Ebb]")).to_be_visible()
        seat.expect_fits()
        seat.shot(f"diagrams-{screen}-{theme}")
        seat.expect_well()


def test_what_can_not_be_drawn_is_its_code_and_a_line_that_says_why(chromium: Browser, shown: House) -> None:
    with desk(chromium, shown) as place:
        seat = place.tab("wrong")
        seat.expect_text("This diagram can’t be drawn.")
        expect(seat.page.get_by_text("A[[[ -->")).to_be_visible()
        seat.expect_well()


def test_a_diagram_can_do_no_harm(chromium: Browser, shown: House) -> None:
    with desk(chromium, shown) as place:
        seat = place.tab("hostile")
        expect(seat.page.locator(".prose .diagram :is(img, p.meta)").first).to_be_visible(timeout=PATIENCE_MS)
        assert seat.page.locator(".prose svg[id^=diagram], .prose script, .prose [href^=javascript]").count() == 0
        # What it tried, the frame's own policy has refused, aloud.
        assert [words for words in seat.troubles if "Content Security Policy" not in words] == []
        seat.troubles.clear()
        seat.expect_well()


def test_what_draws_is_loaded_when_a_diagram_comes_into_view(chromium: Browser, shown: House) -> None:
    with desk(chromium, shown) as place:
        seat = place.tab("far")
        seat.expect_text("Paragraph 199.")
        seat.page.wait_for_timeout(500)
        assert not frames(seat)
        assert not [address for address in seat.addresses if "mermaid" in address]
        seat.page.get_by_role("region", name="Conversation").evaluate("(node) => node.scrollTo(0, 0)")
        expect(seat.page.locator(".prose .diagram img")).to_have_count(1, timeout=PATIENCE_MS)
        assert len(frames(seat)) == 1
        seat.expect_well()
