"""Messages that wait: moved by hand, by keys and by a button, edited, taken back, sent now."""

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.desk import PATIENCE_MS, Seat, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def chips(seat: Seat) -> Locator:
    return seat.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")


def expect_order(seat: Seat, *texts: str) -> None:
    expect(chips(seat).locator(".text")).to_have_text(list(texts))


def test_messages_change_places_in_every_tab_and_run_in_their_new_order(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    running = person.say(session, "!stream 3000 20")
    with desk(chromium, house) as place:
        seat, other = place.tab(session), place.tab(session)
        for text in ("!say one", "!say two", "!say three"):
            seat.say(text)
            expect(chips(seat).filter(has_text=text)).to_have_count(1)
        chips(seat).nth(2).get_by_role("button", name="Move up").click()
        expect_order(other, "!say one", "!say three", "!say two")
        expect_order(seat, "!say one", "!say three", "!say two")
        expect(chips(seat).nth(1).get_by_role("button", name="Move up")).to_be_focused()
        seat.page.keyboard.press("Alt+ArrowDown")
        expect_order(seat, "!say one", "!say two", "!say three")
        chips(seat).nth(0).drag_to(chips(seat).nth(2))
        expect_order(seat, "!say two", "!say three", "!say one")
        expect_order(other, "!say two", "!say three", "!say one")
        person.cancel(session, running).raise_for_status()
        expect(seat.prose.last).to_have_text("one", timeout=PATIENCE_MS)
        said = [text.strip() for text in seat.prose.all_text_contents() if "word" not in text]
        assert said == ["two", "three", "one"]
        seat.expect_well()


def test_a_message_is_edited_with_its_files_and_another_is_sent_now(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    person.say(session, "!stream 3000 20")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.page.get_by_label("Attach files").set_input_files(
            {"name": "tides.txt", "mimeType": "text/plain", "buffer": b"ebb"}
        )
        expect(seat.page.get_by_text("tides.txt")).to_be_visible()
        seat.say("!say with a file")
        seat.say("!say at once")
        expect(chips(seat)).to_have_count(2)
        chips(seat).first.get_by_role("button", name="Edit").click()
        expect(seat.field).to_have_value("!say with a file")
        expect(seat.page.get_by_text("tides.txt")).to_be_visible()
        chips(seat).first.get_by_role("button", name="Send now").click()
        expect(seat.prose.last).to_have_text("at once", timeout=PATIENCE_MS)
        expect(chips(seat)).to_have_count(0)
        seat.expect_idle()
        seat.say("!say edited")
        expect(seat.prose.last).to_have_text("edited", timeout=PATIENCE_MS)
        (message,) = [item for item in person.look(session).items if item.get("text") == "!say edited"]
        assert [each["name"] for each in message["attachments"]] == ["tides.txt"]
        seat.expect_well()
