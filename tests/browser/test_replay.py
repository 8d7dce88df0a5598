"""A turn is played again, event by event, and handed out as a file that needs nobody."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from holdfast.core.ids import SessionId
from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, SCREENS, SHOTS, Seat, Theme, desk
from tests.browser.test_sessions import menu
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BOTH = [("desk", "light"), ("desk", "dark"), ("phone", "light"), ("phone", "dark")]
KEY = "sk-proj-" + "A1b2" * 10
TURN = (
    '!think I look first.\n!tool execute {"command":"du -sh build"} 10 3.2G build\n!say First **words**.\n'
    "!approve rm -r build\n!say It is gone.\n!fail The disk is full."
)


def played(person: Person, title: str, text: str = TURN) -> tuple[SessionId, str]:
    """A session with one turn that asked, was allowed, and failed."""
    session = person.begin(title=title)
    turn = person.say(session, text)
    (ask,) = person.wait_for_ask(session)
    person.answer(session, ask["ask"], choice="once").raise_for_status()
    person.wait_for_end(session, turn)
    return session, turn


def line(seat: Seat) -> Locator:
    return seat.page.get_by_role("slider", name="Time line")


def at(seat: Seat) -> int:
    return int(line(seat).get_attribute("aria-valuenow") or 0)


@pytest.mark.parametrize(("screen", "theme"), BOTH)
def test_a_turn_is_played_again(chromium: Browser, house: House, person: Person, screen: str, theme: Theme) -> None:
    """From its message, by keys, pointer and marks; the moment of the ask shows the ask as it was, unanswerable."""
    session, turn = played(person, "Clean up")
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        expect(seat.prose.last).to_have_text("It is gone.", timeout=PATIENCE_MS)
        open_it = seat.page.get_by_role("button", name="Replay this turn")
        if screen == "phone":  # under a finger only the most frequent are there, the rest by its name
            seat.page.get_by_role("button", name="More for this message").click()
            open_it = seat.page.get_by_role("menuitem", name="Replay this turn")
        open_it.focus()
        open_it.press("Enter")
        expect(line(seat)).to_be_visible(timeout=PATIENCE_MS)
        assert seat.page.url.endswith(f"/session/{session}/replay/{turn}")
        all_of_it = int(line(seat).get_attribute("aria-valuemax") or 0)
        assert at(seat) == 1
        expect(seat.prose).to_have_count(0)
        seat.expect_fits()
        assert serious(seat) == []
        line(seat).focus()
        line(seat).press("End")
        expect(seat.prose).to_have_text(["First words.", "approved:once", "It is gone."])
        seat.expect_text("The disk is full.")
        assert at(seat) == all_of_it
        line(seat).press("Home")
        expect(seat.prose).to_have_count(0)
        line(seat).press("ArrowRight")
        line(seat).press("ArrowRight")
        assert at(seat) == 3
        seat.page.get_by_role("button", name="To the next ask or failure").click()
        seat.expect_text("waited for an answer" if screen == "desk" else "Waited for an answer")
        expect(seat.cards).to_have_count(0)
        expect(seat.prose).to_have_text(["First words."])
        expect(line(seat)).to_have_attribute(
            "aria-valuetext", re.compile(rf"^Event \d+ of {all_of_it}, \d+\.\d s of \d+\.\d s$")
        )
        if screen == "phone":
            seat.page.get_by_text("Who approved what").click()
        asked = seat.page.get_by_role("listitem").filter(has_text="Allowed once by you")
        expect(asked.get_by_text("rm -r build")).to_be_visible()
        assert serious(seat) == []
        seat.expect_fits()
        seat.shot(f"replay-{screen}-{theme}")
        seat.page.get_by_role("button", name="To the next ask or failure").click()
        seat.expect_text("The disk is full.")
        asked.get_by_role("button").click()
        expect(seat.prose).to_have_text(["First words."])
        box = line(seat).bounding_box()
        assert box is not None
        seat.page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
        expect(seat.prose).to_have_count(3)
        seat.page.reload()
        expect(line(seat)).to_be_visible(timeout=PATIENCE_MS)
        seat.page.get_by_role("link", name="Back to the session").click()
        expect(seat.field).to_be_visible()
        seat.expect_well()


def test_it_plays_by_itself_and_shortens_waits(chromium: Browser, house: House, person: Person) -> None:
    session, turn = played(person, "Play", "!say one\n!sleep 4000\n!approve make\n!say two")
    with desk(chromium, house) as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/session/{session}/replay/{turn}")
        expect(line(seat)).to_be_visible(timeout=PATIENCE_MS)
        seat.expect_text("Waits shortened by")
        seat.page.get_by_role("combobox", name="Speed").select_option("0.5")
        line(seat).focus()
        line(seat).press(" ")
        expect(seat.page.get_by_role("button", name="Pause")).to_be_visible()
        seat.expect_text("A wait of")
        expect(seat.prose).to_have_text(["one"])
        seat.page.get_by_role("combobox", name="Speed").select_option("16")
        expect(seat.page.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=PATIENCE_MS)
        expect(seat.prose).to_have_text(["one", "approved:once", "two"])
        seat.page.get_by_role("button", name="Play", exact=True).click()  # from the beginning again
        expect(seat.prose).to_have_text(["one", "approved:once", "two"], timeout=PATIENCE_MS)
        seat.expect_well()


def test_it_plays_in_steps_for_whoever_wants_no_motion(chromium: Browser, house: House, person: Person) -> None:
    session, turn = played(person, "Calm", "!stream 60 10\n!approve make\n!say two")
    with desk(chromium, house, reduced_motion="reduce") as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/session/{session}/replay/{turn}")
        expect(line(seat)).to_be_visible(timeout=PATIENCE_MS)
        seat.page.evaluate(
            """() => {
                window.times = []
                new MutationObserver(() => window.times.push(performance.now()))
                    .observe(document.querySelector('[role=slider]'), {attributeFilter: ['aria-valuenow']})
            }"""
        )
        seat.page.get_by_role("button", name="Play", exact=True).click()
        expect(seat.prose.last).to_have_text("two", timeout=PATIENCE_MS)
        times: list[float] = seat.page.evaluate("window.times")
        assert all(later - before >= 400 for before, later in pairwise(times))
        seat.expect_well()


def test_one_that_is_not_there_is_said(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    with desk(chromium, house) as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/session/{session}/replay/none")
        seat.expect_text("There is no such turn.")
        assert serious(seat) == []
        seat.expect_well()


@pytest.mark.parametrize(("screen", "theme"), BOTH)
def test_it_is_shared_as_a_file_that_asks_nobody(
    chromium: Browser, house: House, person: Person, tmp_path: Path, screen: str, theme: Theme
) -> None:
    """Opened from the disk, with no script allowed and every request counted."""
    evil = "https://evil.example/a"
    hostile = f"<script src={evil}></script><img src={evil}.png onerror=alert(1)> ![p]({evil}.png) {KEY}"
    session, turn = played(
        person, f"Share {screen} {theme}", f"!say {hostile}\n!approve rm -r build\n!say Done, see ```x```."
    )
    person.wait_for_end(session, person.say(session, "!say the second turn"))
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab()
        seat.page.goto(f"{seat.link}/session/{session}/replay/{turn}")
        with seat.page.expect_download() as download:
            seat.page.get_by_role("button", name="Share this turn as a file").click()
        alone = tmp_path / "turn.html"
        download.value.save_as(alone)
        seat.page.goto(seat.link)
        with seat.page.expect_download() as download:
            menu(seat, f"Share {screen} {theme}", "Share as a file")
        whole = tmp_path / "session.html"
        download.value.save_as(whole)
        seat.expect_well()
    asked: list[str] = []
    troubles: list[str] = []
    with chromium.new_context(
        viewport=SCREENS[screen], color_scheme=theme, java_script_enabled=True, offline=True
    ) as context:
        for file in (alone, whole):
            page = context.new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.on("console", lambda message: troubles.append(message.text))
            page.goto(file.as_uri())
            expect(page.get_by_text("onerror=alert(1)").first).to_be_visible()
            expect(page.get_by_text(KEY)).to_have_count(0)
            expect(page.get_by_text("Allowed once by a person,").first).to_be_visible()
            expect(page.get_by_role("heading", name="Who approved what")).to_be_visible()
            expect(page.get_by_text("the second turn")).to_have_count(0 if file is alone else 2)
            expect(page.locator("script, iframe, link, base, form")).to_have_count(0)
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert ground == ("rgb(246, 247, 245)" if theme == "light" else "rgb(16, 22, 20)")  # its own style counts
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert serious(Seat(page, "file:")) == []
            if SHOTS:
                page.screenshot(path=Path(SHOTS) / f"shared-{file.stem}-{screen}-{theme}.png", full_page=True)
    assert asked == [alone.as_uri(), whole.as_uri()]
    assert troubles == []
