"""Approvals and questions on screen: answered by who means it, and by nobody else."""

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.desk import PATIENCE_MS, STEADY_MS, Seat, Theme, desk, press
from tests.browser.gate import Gate
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def card(seat: Seat, command: str) -> Locator:
    return seat.cards.filter(has_text=command)


def steady(seat: Seat, count: int) -> None:
    """That many cards are there, and have stood still."""
    expect(seat.cards).to_have_count(count, timeout=PATIENCE_MS)
    seat.page.wait_for_timeout(STEADY_MS)


def top(place: Locator) -> float:
    box = place.bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.contract("A1")
@pytest.mark.contract("A5")
@pytest.mark.contract("A9")
def test_four_approvals_are_answered_in_any_order_in_two_tabs_and_the_others_do_not_move(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    with desk(chromium, house) as one_place, desk(chromium, house) as other_place:
        one, other = one_place.tab(session), other_place.tab(session)
        person.say(session, "!approvemany 4")
        steady(one, 4)
        steady(other, 4)
        expect(card(one, "command-1")).to_contain_text("1 of 4")
        places = {number: top(card(one, f"command-{number}")) for number in (1, 2, 4)}
        press(card(other, "command-3").get_by_role("button", name="Deny", exact=True))
        expect(one.cards).to_have_count(3)
        assert {number: top(card(one, f"command-{number}")) for number in (1, 2, 4)} == places
        press(card(one, "command-2").get_by_role("button", name="Allow once"))
        expect(other.cards).to_have_count(2)
        assert top(card(one, "command-1")) == places[1]
        assert top(card(one, "command-4")) == places[4]
        other.page.wait_for_timeout(STEADY_MS)
        press(card(other, "command-4").get_by_role("button", name="Allow once"))
        expect(one.cards).to_have_count(1)
        press(card(one, "command-1").get_by_role("button", name="Deny", exact=True))
        expect(one.prose.first).to_contain_text("denied", timeout=PATIENCE_MS)
        asked = [item for item in person.look(session).items if item["type"] == "approval"]
        assert [item["choice"] for item in asked] == ["deny", "once", "deny", "once"]
        one.expect_well()
        other.expect_well()


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_typing_while_a_card_arrives_answers_nothing(
    chromium: Browser, house: House, person: Person, screen: str
) -> None:
    session = person.begin()
    with desk(chromium, house, screen=screen) as place:
        seat = place.tab(session)
        seat.field.click()
        person.say(session, "!sleep 300\n!approve make")
        seat.page.keyboard.type("yes do it", delay=80)
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        seat.page.wait_for_timeout(STEADY_MS)
        expect(seat.field).to_be_focused()
        for key in ("a", "d", "1", "Space", "Control+Enter"):
            seat.page.keyboard.press(key)
        wait_until(lambda: person.look(session).session.get("queue"), "the message in the queue")
        expect(seat.cards).to_have_count(1)
        assert len(person.asks(session)) == 1


def test_keys_outside_of_the_card_answer_nothing_and_inside_they_do(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    person.say(session, "!approve first\n!approve second")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        steady(seat, 1)
        # A click on the card itself is no wish to use letters either.
        seat.cards.first.get_by_role("heading").click()
        for key in ("a", "d", "Enter", "Space", "y", "1"):
            seat.page.keyboard.press(key)
        assert len(person.asks(session)) == 1
        seat.page.keyboard.press("Alt+a")
        expect(seat.cards.first).to_be_focused()
        expect(seat.page.get_by_text("A allows once · D denies")).to_be_visible()
        seat.page.keyboard.press("a")
        expect(card(seat, "second")).to_be_visible(timeout=PATIENCE_MS)
        seat.page.wait_for_timeout(STEADY_MS)
        seat.page.keyboard.press("Alt+a")
        seat.page.keyboard.press("d")
        expect(seat.cards).to_have_count(0, timeout=PATIENCE_MS)
        choices = [item["choice"] for item in person.look(session).items if item["type"] == "approval"]
        assert choices == ["once", "deny"]
        seat.expect_well()


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_a_press_within_half_a_second_of_a_shift_answers_nothing(
    chromium: Browser, house: House, person: Person, screen: str
) -> None:
    session = person.begin()
    person.say(session, "!approve make")
    with desk(chromium, house, screen=screen) as place:
        seat = place.tab(session)
        steady(seat, 1)
        # The card moves, and the press comes in the same breath.
        seat.page.evaluate(
            """() => {
                const card = document.querySelector('[data-ask]')
                card.style.transform = 'translateY(-40px)'
                card.querySelector('button.solid').click()
            }"""
        )
        expect(seat.page.get_by_text("This had just moved")).to_be_attached()
        assert len(person.asks(session)) == 1
        seat.page.wait_for_timeout(STEADY_MS)
        press(seat.page.get_by_role("button", name="Allow once"))
        expect(seat.cards).to_have_count(0, timeout=PATIENCE_MS)


def test_a_card_that_has_just_come_answers_nothing(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        seat.page.evaluate(
            """() => new MutationObserver(() => document.querySelector('[data-ask] button.solid')?.click())
                .observe(document.body, {childList: true, subtree: true})"""
        )
        person.say(session, "!approve make")
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        expect(seat.page.get_by_text("This had just moved")).to_be_attached()
        assert len(person.asks(session)) == 1


@pytest.mark.contract("A10")
def test_the_command_is_shown_whole_with_what_can_not_be_seen(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    person.say(session, '!approve "rm -rf \u202e./build\u200b && echo \u00a0done"')
    with desk(chromium, house) as place:
        seat = place.tab(session)
        steady(seat, 1)
        shown = seat.page.get_by_role("region", name="What would run").inner_text()
        assert shown == "rm -rf U+202E./buildU+200B && echo U+00A0done"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_a_question_is_answered_by_a_choice_and_counts_down_at_its_end(
    chromium: Browser, house: House, person: Person, theme: Theme, screen: str
) -> None:
    session = person.begin()
    person.say(session, "!ask Which way? | left | right | timeout=50")
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        steady(seat, 1)
        expect(seat.cards.first).to_contain_text("left")
        expect(seat.cards.first).to_contain_text(re.compile(r"0:[0-4]\d left"))
        seat.shot(f"question-{screen}-{theme}")
        press(seat.page.get_by_role("button", name="right"))
        expect(seat.prose.first).to_have_text("answer:right", timeout=PATIENCE_MS)
        seat.expect_fits()
        seat.expect_well()


def test_a_question_is_answered_in_ones_own_words_or_expires(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    person.say(session, "!ask What name? | timeout=600\n!ask Gone soon? | timeout=2")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        steady(seat, 1)
        seat.page.get_by_role("textbox", name="Your answer").fill("Limpet")
        press(seat.cards.get_by_role("button", name="Answer"))
        seat.expect_text("answer:Limpet")
        seat.expect_text("Nobody answered")
        expect(seat.cards).to_have_count(0, timeout=PATIENCE_MS)
        seat.expect_well()


@pytest.mark.contract("A9")
def test_an_answer_that_meets_a_dead_network_says_so_and_arrives_once(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link) as place:
        seat = place.tab(session)
        person.say(session, "!approve make")
        steady(seat, 1)
        gate.shut = True
        gate.cut()
        press(seat.page.get_by_role("button", name="Deny", exact=True))
        expect(seat.page.get_by_role("button", name="Sending…")).to_be_visible()
        gate.shut = False
        expect(seat.prose.first).to_have_text("denied", timeout=PATIENCE_MS)
        answers = [each for each in person.records(session) if each["event"]["kind"] == "approval.answered"]
        assert len(answers) == 1


@pytest.mark.contract("A9")
@pytest.mark.contract("A10")
def test_a_run_that_ends_first_closes_its_card(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    turn = person.say(session, "!approve make")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        steady(seat, 1)
        person.cancel(session, turn).raise_for_status()
        seat.expect_text("The run ended first. Nothing ran.")
        expect(seat.cards).to_have_count(0)
        seat.expect_well()


def test_what_waits_is_in_the_title_and_in_the_list(chromium: Browser, own_house: House) -> None:
    person = Person(own_house)
    session = person.begin(title="Clean up")
    with desk(chromium, own_house) as place:
        seat = place.tab()
        person.say(session, "!approve make")
        waits = seat.page.get_by_role("region", name="Waits for you")
        expect(waits).to_contain_text("Allow: make", timeout=PATIENCE_MS)
        expect(seat.page).to_have_title(re.compile(r"^\(\d+\) "))
        assert seat.page.locator("link[rel=icon]").get_attribute("href") == "/favicon-waiting.svg"
        seat.page.get_by_role("button", name="New session").focus()
        seat.page.keyboard.press("g")
        seat.page.keyboard.press("w")
        expect(seat.cards).to_have_count(1)
        seat.page.wait_for_timeout(STEADY_MS)
        press(seat.page.get_by_role("button", name="Allow once"))
        expect(waits.filter(has_text="Clean up")).to_have_count(0)


def test_a_row_that_waits_shows_how_long_its_ask_has_waited(chromium: Browser, own_house: House) -> None:
    """As its card does, however long the turn has run before."""
    person = Person(own_house)
    session = person.begin(title="Clean up")
    person.say(session, '!tool execute {"command":"make"} 3000 ok\n!approve "make clean"')
    with desk(chromium, own_house) as place:
        seat = place.tab()
        row = seat.page.get_by_role("region", name="Waits for you").get_by_role("listitem")
        expect(row).to_have_count(1, timeout=PATIENCE_MS)
        row.get_by_role("button", name="Answer").click()
        expect(row.locator("[data-ask]")).to_contain_text("waiting ", timeout=PATIENCE_MS)
        both = row.evaluate("(row) => ['time', '[data-ask] header'].map((part) => row.querySelector(part).innerText)")
        assert f"waiting {both[0]}" in both[1]
        person.answer(session, person.asks(session)[0]["ask"], choice="deny").raise_for_status()


@pytest.mark.contract("A10")
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_what_waits_is_answered_from_the_list_whole_and_under_the_same_rules(
    chromium: Browser, own_house: House, screen: str
) -> None:
    person = Person(own_house)
    approval, question = person.begin(title="Clean up"), person.begin(title="Sail on")
    command = "rm -rf " + " ".join(f"./build/part-{number}" for number in range(20))
    person.say(approval, f'!approve "{command}"\n!approve second')
    person.say(question, "!ask Which tide? | ebb | flood")
    with desk(chromium, own_house, screen=screen) as place:
        seat = place.tab()
        waits = seat.page.get_by_role("region", name="Waits for you").get_by_role("listitem")
        expect(waits).to_have_count(2, timeout=PATIENCE_MS)
        row = waits.filter(has_text="Clean up")
        before = seat.page.evaluate("document.activeElement.tagName")
        row.get_by_role("button", name="Answer").click()
        expect(row.get_by_role("region", name="What would run")).to_have_text(command)
        assert seat.page.evaluate("document.activeElement.closest('[data-ask]')") is None, before
        for key in ("a", "d"):
            seat.page.keyboard.press(key)
        # The press that comes with the card is not meant.
        seat.page.evaluate("document.querySelector('[data-ask] button.solid').click()")
        assert len(person.asks(approval)) == 1
        seat.expect_fits()
        press(row.get_by_role("button", name="Allow once"))
        expect(row.get_by_role("region", name="What would run")).to_have_text("second", timeout=PATIENCE_MS)
        press(row.get_by_role("button", name="Deny", exact=True))
        expect(waits).to_have_count(1, timeout=PATIENCE_MS)
        waits.get_by_role("button", name="Answer").click()
        press(waits.get_by_role("button", name="flood"))
        expect(waits).to_have_count(0, timeout=PATIENCE_MS)
        choices = [item["choice"] for item in person.look(approval).items if item["type"] == "approval"]
        assert choices == ["once", "deny"]
        seat.expect_well()
