"""Work with what was said: say it anew, go another way from there."""

import pytest
from playwright.sync_api import Browser, Locator, expect

from holdfast.core.ids import SessionId
from tests.browser.axe import serious
from tests.browser.desk import PATIENCE_MS, Seat, Theme, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BOTH = [("desk", "light"), ("desk", "dark"), ("phone", "light"), ("phone", "dark")]


def talked(person: Person, *words: str) -> SessionId:
    """A session in which all this was said and answered."""
    session = person.begin()
    for said in words:
        person.wait_for_end(session, person.say(session, f"!say {said}"))
    return session


def message(seat: Seat, text: str) -> Locator:
    return seat.page.get_by_role("article", name="You").filter(has_text=text)


@pytest.mark.parametrize(("screen", "theme"), BOTH)
def test_a_message_is_edited_and_sent_again(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    """With the keyboard alone: what followed leaves the conversation, the words are said anew, and a line says where
    the rest is."""
    session = talked(person, "one red fish", "two blue fish", "three grey fish")
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        edit = message(seat, "two blue").get_by_role("button", name="Edit and send again")
        edit.focus()
        edit.press("Enter")
        field = seat.page.get_by_role("textbox", name="Edit your message")
        expect(field).to_be_focused()
        expect(field).to_have_value("!say two blue fish")
        assert serious(seat) == []
        seat.expect_fits()
        seat.shot(f"rewrite-{screen}-{theme}")
        field.press("Escape")
        expect(edit).to_be_focused()
        edit.press("Enter")
        field.fill("!say two green fish")
        field.press("Control+Enter")
        seat.expect_text("What was here before is kept in the log.")
        expect(seat.prose).to_have_text(["one red fish", "two green fish"], timeout=PATIENCE_MS)
        seat.expect_idle()
        assert serious(seat) == []
        seat.expect_fits()
        seat.shot(f"rewritten-{screen}-{theme}")
        seat.page.reload()
        expect(seat.prose).to_have_text(["one red fish", "two green fish"], timeout=PATIENCE_MS)
        seat.expect_well()


def test_a_message_is_tried_again_and_every_tab_follows(chromium: Browser, house: House, person: Person) -> None:
    """The same words once more, in the same place; while a run goes on, the past can't be changed."""
    session = talked(person, "one red fish", "two blue fish")
    with desk(chromium, house) as place:
        seat, other = place.tab(session), place.tab(session)
        expect(other.prose).to_have_count(2, timeout=PATIENCE_MS)
        message(seat, "one red").get_by_role("button", name="Try again from here").click()
        for each in (seat, other):
            expect(each.prose).to_have_text(["one red fish"], timeout=PATIENCE_MS)
            each.expect_text("What was here before is kept in the log.")
        seat.expect_idle()
        seat.say("!approve rm -r build")
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        expect(seat.page.get_by_role("button", name="Try again from here")).to_have_count(0)
        seat.expect_well()


@pytest.mark.parametrize(("screen", "theme"), BOTH)
def test_a_session_is_forked_from_a_message(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    """The new one opens with what was said up to there and goes on by itself; the old one stays as it was."""
    session = talked(person, "one red fish", "two blue fish", "three grey fish")
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        expect(seat.prose).to_have_count(3, timeout=PATIENCE_MS)
        tool = message(seat, "two blue").get_by_role("button", name="Go on after this in a new session")
        if screen == "phone":
            message(seat, "two blue").get_by_role("button", name="More for this message").click()
            tool = seat.page.get_by_role("menuitem", name="Go on after this in a new session")
            seat.shot(f"message-menu-{screen}-{theme}")
            seat.expect_fits()
        tool.focus()
        tool.press("Enter")
        expect(seat.prose).to_have_text(["one red fish", "two blue fish"], timeout=PATIENCE_MS)
        assert not seat.page.url.endswith(session)
        seat.say("!say four pink fish")
        expect(seat.prose).to_have_count(3, timeout=PATIENCE_MS)
        seat.expect_idle()
        seat.expect_text("four pink fish")
        assert serious(seat) == []
        seat.expect_fits()
        seat.shot(f"forked-{screen}-{theme}")
        seat.open(session)
        expect(seat.prose).to_have_text(["one red fish", "two blue fish", "three grey fish"], timeout=PATIENCE_MS)
        seat.expect_well()
