"""What is written belongs to what it was written for, whatever else is opened, ends or is deleted meanwhile."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from holdfast.core.ids import SessionId
from tests.browser.desk import STEADY_MS, Desk, Seat, desk, press
from tests.browser.gate import Gate
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def turn_to(seat: Seat, session: str, title: str) -> None:
    seat.page.locator(f"nav a[href='/session/{session}']").click()
    expect(seat.page.get_by_role("heading", level=1)).to_have_text(title)


def titled(person: Person) -> dict[str, str]:
    return {row["id"]: row["title"] for row in person.get("/api/sessions").json()["sessions"]}


def answering(seat: Seat) -> Locator:
    return seat.page.get_by_text("Answering: ").first


@contextmanager
def held(seat: Seat, address: str, *, status: int = 0, answer: dict[str, str] | None = None) -> Generator[list[Route]]:
    """Requests to this address go nowhere until this is over, and then to the server, or are answered with this."""
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    seat.page.route(address, hold)
    yield routes
    for route in routes:
        if answer is None:
            route.continue_()
        else:
            route.fulfill(status=status, content_type="application/json", body=json.dumps(answer))
    seat.page.unroute(address)


def wait_for(seat: Seat, routes: list[Route]) -> None:
    """Until a request is held."""
    for _ in range(200):
        if routes:
            return
        seat.page.wait_for_timeout(50)
    raise AssertionError("nothing was asked for")


def test_a_title_that_is_half_written_is_that_of_its_own_session(
    chromium: Browser, house: House, person: Person
) -> None:
    one, other = person.begin(title="Name one"), person.begin(title="Name other")
    with desk(chromium, house) as place:
        seat = place.tab(other)
        expect(seat.page.get_by_role("heading", level=1)).to_have_text("Name other")
        turn_to(seat, one, "Name one")
        seat.page.get_by_role("heading", level=1).get_by_role("button").click()
        seat.page.keyboard.type("Written for one")
        seat.page.go_back()
        expect(seat.page.get_by_role("heading", level=1)).to_have_text("Name other")
        expect(seat.page.locator(f"nav a[href='/session/{one}']")).to_contain_text("Written for one")
        assert titled(person)[one] == "Written for one"
        assert titled(person)[other] == "Name other"
        seat.expect_well()


def test_an_answer_that_is_heard_elsewhere_leaves_no_draft_and_takes_none(
    chromium: Browser, house: House, person: Person
) -> None:
    asking, other = person.begin(title="It asks"), person.begin(title="Another")
    with desk(chromium, house) as place:
        seat = place.tab(other)
        seat.field.fill("a long draft")
        turn_to(seat, asking, "It asks")
        turn = person.say(asking, "!ask What colour?")
        expect(seat.cards).to_have_count(1)
        seat.field.press_sequentially("deep green")
        expect(answering(seat)).to_be_visible()
        with held(seat, "**/asks/*") as routes:
            seat.field.press("Enter")
            wait_for(seat, routes)
            turn_to(seat, other, "Another")
            expect(seat.field).to_have_value("a long draft")
        person.wait_for_end(asking, turn)
        seat.page.wait_for_timeout(500)
        expect(seat.field).to_have_value("a long draft")
        turn_to(seat, asking, "It asks")
        expect(seat.field).to_have_value("")
        turn_to(seat, other, "Another")
        expect(seat.field).to_have_value("a long draft")


def test_an_answer_is_still_one_when_its_session_is_opened_again(
    chromium: Browser, house: House, person: Person
) -> None:
    asking, other = person.begin(title="It asks again"), person.begin(title="Another again")
    with desk(chromium, house) as place:
        seat = place.tab(asking)
        expect(seat.field).to_be_visible()
        person.say(asking, "!ask What colour?")
        expect(seat.cards).to_have_count(1)
        seat.field.press_sequentially("deep blue")
        turn_to(seat, other, "Another again")
        turn_to(seat, asking, "It asks again")
        expect(seat.field).to_have_value("deep blue")
        expect(answering(seat)).to_be_visible()
        seat.field.press("Enter")
        expect(seat.cards).to_have_count(0)
        expect(seat.field).to_have_value("")
        assert [item["answer"] for item in person.look(asking).items if item["type"] == "question"] == ["deep blue"]
        assert sum(item["type"] == "user" for item in person.look(asking).items) == 1


def test_an_answer_to_a_question_that_is_over_is_no_message_until_it_is_meant_as_one(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin(title="It gives up")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        person.say(session, "!ask What colour? | timeout=4\n!stream 100 50")
        expect(seat.cards).to_have_count(1)
        seat.field.press_sequentially("deep green")
        expect(answering(seat)).to_be_visible()
        expect(seat.cards).to_have_count(0)
        expect(seat.page.get_by_text("The question is over")).to_be_visible()
        seat.field.press("Enter")
        seat.page.wait_for_timeout(STEADY_MS)
        waiting = waiting_messages(seat)
        expect(waiting).to_have_count(0)
        expect(seat.field).to_have_value("deep green")
        expect(seat.page.get_by_text("The question is over")).to_be_visible()
        seat.field.press("Enter")
        expect(seat.field).to_have_value("")
        expect(waiting.first).to_contain_text("deep green")
        seat.expect_well()


def test_a_first_message_that_is_tried_again_shows_its_session(chromium: Browser, house: House) -> None:
    with desk(chromium, house) as place:
        seat = place.tab(None)
        expect(seat.field).to_be_visible()
        refusals = [507]

        def refuse(route: Route) -> None:
            if route.request.method == "POST" and refusals:
                body = json.dumps({"error": "The disk is full.", "code": "Full"})
                route.fulfill(status=refusals.pop(), content_type="application/json", body=body)
            else:
                route.continue_()

        seat.page.route("**/api/sessions", refuse)
        seat.say("!say reply from the agent")
        expect(seat.page.get_by_text("The disk is full.")).to_be_visible()
        seat.page.get_by_role("button", name="Try again").click()
        expect(seat.prose.first).to_have_text("reply from the agent", timeout=10_000)
        expect(seat.page.get_by_text("The disk is full.")).to_have_count(0)


def test_what_was_said_here_is_not_stacked_up_while_its_session_is_opened_again(
    chromium: Browser, house: House, person: Person
) -> None:
    session, other = person.begin(title="Much said"), person.begin(title="Nothing said")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        for word in ("one", "two"):
            seat.say(f"!say {word}")
            expect(seat.prose.last).to_have_text(word)
            seat.expect_idle()
        turn_to(seat, other, "Nothing said")
        with held(seat, f"**/api/sessions/{session}") as routes:
            turn_to(seat, session, "Much said")
            wait_for(seat, routes)
            expect(seat.page.get_by_text("Opening")).to_be_visible()
            expect(seat.page.get_by_role("article")).to_have_count(0)
        expect(seat.prose.last).to_have_text("two")


def test_a_session_that_is_deleted_elsewhere_says_so_though_something_was_said_here(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin(title="Soon gone")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.say("!say hello")
        expect(seat.prose.last).to_have_text("hello")
        seat.expect_idle()
        person.delete(f"/api/sessions/{session}").raise_for_status()
        expect(seat.page.get_by_role("link", name="Begin a new one")).to_be_visible(timeout=10_000)
        expect(seat.field).to_have_count(0)


def waiting_messages(seat: Seat) -> Locator:
    return seat.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")


def test_words_that_could_not_be_taken_back_are_no_draft_of_another_session(
    chromium: Browser, house: House, person: Person
) -> None:
    session, other = person.begin(title="It goes on"), person.begin(title="With a draft")
    with desk(chromium, house) as place:
        seat = place.tab(other)
        seat.field.fill("a long draft")
        turn_to(seat, session, "It goes on")
        person.say(session, "!stream 400 50")
        expect(seat.prose.first).to_contain_text("word3")
        seat.say("!say later")
        expect(waiting_messages(seat)).to_have_count(1)
        refused = {"error": "It has begun.", "code": "AlreadyBegun"}
        with held(seat, "**/withdraw", status=409, answer=refused) as routes:
            waiting_messages(seat).get_by_role("button", name="Edit").click()
            wait_for(seat, routes)
            expect(seat.field).to_have_value("!say later")
            turn_to(seat, other, "With a draft")
            expect(seat.field).to_have_value("a long draft")
        seat.page.wait_for_timeout(500)
        expect(seat.field).to_have_value("a long draft")
        turn_to(seat, session, "It goes on")
        expect(seat.field).to_have_value("")
        turn_to(seat, other, "With a draft")
        expect(seat.field).to_have_value("a long draft")


COUNTED = """
    window.frames_ = 0
    const frame = window.requestAnimationFrame
    window.requestAnimationFrame = (act) => (window.frames_++, frame.call(window, act))
"""


def test_who_leaves_while_the_queue_is_put_in_order_costs_no_frames(
    chromium: Browser, house: House, person: Person
) -> None:
    session, other = person.begin(title="In order"), person.begin(title="Quiet")
    person.say(session, "!approve make")
    person.wait_for_ask(session)
    with desk(chromium, house, script=COUNTED) as place:
        seat = place.tab(session)
        expect(seat.cards).to_have_count(1)
        for word in ("bee", "cee"):
            seat.say(f"!say {word}")
        expect(waiting_messages(seat)).to_have_count(2)
        with held(seat, "**/queue") as routes:
            waiting_messages(seat).last.get_by_role("button", name="Move up").click()
            wait_for(seat, routes)
            turn_to(seat, other, "Quiet")
        seat.page.wait_for_timeout(1_000)
        before = seat.page.evaluate("frames_")
        seat.page.wait_for_timeout(1_000)
        assert seat.page.evaluate("frames_") - before < 10


def on_a_phone(place: Desk, person: Person, session: SessionId, said: str) -> Seat:
    seat = place.tab(session)
    expect(seat.field).to_be_visible()
    person.say(session, said)
    expect(seat.cards).to_have_count(1)
    return seat


def put_down_and_take_up(seat: Seat) -> None:
    seat.page.locator("button.grip").click()
    expect(seat.cards).to_have_count(0)
    seat.page.locator("button.strip").click()
    expect(seat.cards).to_have_count(1)


def test_what_is_written_in_a_card_is_there_when_its_sheet_is_taken_up_again(
    chromium: Browser, house: House, person: Person
) -> None:
    with desk(chromium, house, screen="phone") as place:
        seat = on_a_phone(place, person, person.begin(title="A question"), "!ask What colour?")
        seat.cards.get_by_role("textbox").fill("a long answer")
        put_down_and_take_up(seat)
        expect(seat.cards.get_by_role("textbox")).to_have_value("a long answer")
        press(seat.cards.get_by_role("button", name="Answer"))
        expect(seat.cards).to_have_count(0)
        seat = on_a_phone(place, person, person.begin(title="An approval"), "!approve make")
        seat.cards.get_by_role("button", name="Deny and say why").click()
        seat.cards.get_by_role("textbox").fill("not today")
        put_down_and_take_up(seat)
        expect(seat.cards.get_by_role("textbox")).to_have_value("not today")
        expect(seat.cards.get_by_role("textbox")).not_to_be_focused()
        seat.expect_well()


def test_a_message_that_is_written_anew_is_there_when_its_session_is_opened_again(
    chromium: Browser, house: House, person: Person
) -> None:
    session, other = person.begin(title="Written anew"), person.begin(title="Something else")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.say("!say first")
        expect(seat.prose.last).to_have_text("first")
        seat.expect_idle()
        message = seat.page.get_by_role("article", name="You")
        message.hover()
        message.get_by_role("button", name="Edit").click()
        message.get_by_role("textbox").fill("!say something longer")
        turn_to(seat, other, "Something else")
        turn_to(seat, session, "Written anew")
        expect(message.get_by_role("textbox")).to_have_value("!say something longer")
        message.get_by_role("button", name="Cancel").click()
        expect(message).to_contain_text("!say first")
        turn_to(seat, other, "Something else")
        turn_to(seat, session, "Written anew")
        expect(message).to_contain_text("!say first")
        expect(message.get_by_role("textbox")).to_have_count(0)


@pytest.mark.contract("G4")
def test_what_is_to_be_sent_now_is_not_said_again_when_all_is_over_before_it_is_heard(
    chromium: Browser, house: House, person: Person
) -> None:
    """The turn has begun, ended and settled while nobody could be asked."""
    session = person.begin(title="Send now")
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        person.say(session, "!stream 40 50")
        expect(seat.prose.first).to_contain_text("word3")
        seat.say("!say bee")
        seat.say("!say cee")
        waiting = waiting_messages(seat)
        expect(waiting).to_have_count(2)
        gate.shut = True
        gate.cut()
        waiting.first.get_by_role("button", name="Send now").click()
        end = time.monotonic() + 30
        while sum(item["type"] == "end" for item in person.look(session).items) < 3 and time.monotonic() < end:
            time.sleep(0.2)
        time.sleep(0.5)
        gate.shut = False
        expect(seat.prose.last).to_have_text("cee")
        expect(seat.page.get_by_role("article", name="You, not yet sent")).to_have_count(0)
        seat.page.wait_for_timeout(1_500)
        said = [item["text"] for item in person.look(session).items if item["type"] == "user"]
        assert said == ["!stream 40 50", "!say bee", "!say cee"]
