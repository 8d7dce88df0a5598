"""Choosing agent, model, mode and folder, and the agent's own commands: by mouse, keyboard and finger."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.desk import PATIENCE_MS, Seat, desk
from tests.journeys.house import QUIET, House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHOOSER = Path(__file__).parents[1] / "agents/programs/chooser.py"
AGENTS = f"""
[agents.chooser]
title = "Chooser"
command = ["{sys.executable}", "{CHOOSER}", "states"]

[agents.slow]
title = "Slow"
command = ["sh", "-c", "sleep 5; exec {sys.executable} {CHOOSER} states"]

[agents.away]
title = "Away"
command = ["no-such-program-anywhere"]
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A machine that has an agent with models, modes and commands, and one that is not installed."""
    with House(tmp_path_factory.mktemp("house") / "home", QUIET + AGENTS) as house:
        house.start()
        yield house


def chip(seat: Seat, label: str) -> Locator:
    return seat.page.get_by_role("button", name=re.compile(f"^{label}:"))


def option(seat: Seat, words: str) -> Locator:
    return seat.page.get_by_role("option", name=words)


def test_a_new_session_gets_what_was_chosen(chromium: Browser, house: House, tmp_path: Path) -> None:
    with desk(chromium, house) as place:
        seat = place.tab()
        chip(seat, "Agent").click()
        expect(option(seat, "Chooser")).to_be_visible()
        expect(option(seat, "Away")).to_have_count(0)  # not installed: shown to who looks for it
        seat.page.get_by_role("combobox", name="Find an agent").fill("away")
        away = option(seat, "Away")
        expect(away).to_have_attribute("aria-disabled", "true")
        expect(away).to_contain_text("no-such-program-anywhere")
        away.click(force=True)  # whoever presses it all the same
        expect(chip(seat, "Agent")).not_to_contain_text("Away")
        seat.page.get_by_role("combobox", name="Find an agent").fill("choo")
        seat.page.keyboard.press("Enter")
        expect(chip(seat, "Agent")).to_contain_text("Chooser")
        expect(chip(seat, "Agent")).to_be_focused()
        chip(seat, "Model").click()
        seat.page.get_by_role("combobox", name="Find or type a model").fill("large")
        seat.page.keyboard.press("Enter")
        expect(chip(seat, "Model")).to_contain_text("large")
        chip(seat, "Folder").click()
        folder = tmp_path / "harbour"
        folder.mkdir()
        seat.page.get_by_role("combobox", name="The path of a folder").fill(str(folder))
        seat.page.keyboard.press("Enter")
        expect(chip(seat, "Folder")).to_contain_text("harbour")
        seat.say("Which one are you?")
        expect(seat.prose.first).to_have_text("large ask", timeout=PATIENCE_MS)
        expect(chip(seat, "Model")).to_contain_text("Large")
        seat.expect_well()


def test_what_is_changed_counts_from_the_next_message_on(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(agent="chooser")
    person.wait_for_end(session, person.say(session, "hello"))
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.prose.first).to_have_text("small ask", timeout=PATIENCE_MS)
        chip(seat, "Mode").click()
        expect(option(seat, "Go")).to_be_visible()
        seat.page.keyboard.press("ArrowDown")
        seat.page.keyboard.press("Escape")
        expect(seat.page.get_by_role("listbox")).to_have_count(0)
        expect(chip(seat, "Mode")).to_be_focused()
        expect(chip(seat, "Mode")).to_contain_text("Ask")
        seat.page.keyboard.press("Enter")
        expect(option(seat, "Go")).to_be_visible()
        seat.page.keyboard.press("ArrowDown")
        seat.page.keyboard.press("Enter")
        expect(chip(seat, "Mode")).to_contain_text("Go")
        seat.say("And now?")
        expect(seat.prose.last).to_have_text("small go", timeout=PATIENCE_MS)
        seat.expect_well()


def test_on_a_phone_all_is_behind_one_button(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(agent="chooser")
    person.wait_for_end(session, person.say(session, "hello"))
    with desk(chromium, house, screen="phone") as place:
        seat = place.tab(session)
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        seat.page.get_by_role("button", name="Agent, model and folder").tap()
        seat.page.get_by_role("dialog").get_by_role("button", name="Model").tap()
        line = option(seat, "Large")
        box = line.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        line.tap()
        expect(seat.page.get_by_role("dialog")).to_contain_text("Large")
        seat.page.get_by_role("button", name="Close").last.tap()
        expect(seat.page.get_by_role("dialog")).to_have_count(0)
        seat.say("And now?")
        expect(seat.prose.last).to_have_text("large ask", timeout=PATIENCE_MS)
        seat.expect_fits()
        seat.expect_well()


def test_commands_of_the_agent_are_completed(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(agent="chooser")
    person.wait_for_end(session, person.say(session, "hello"))
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        seat.field.press_sequentially("/i")
        expect(option(seat, "/init")).to_contain_text("Begin.")
        seat.field.press("Escape")
        expect(seat.page.get_by_role("option")).to_have_count(0)
        seat.field.press_sequentially("n")
        expect(option(seat, "/init")).to_have_attribute("aria-selected", "true")
        seat.field.press("Tab")
        expect(seat.field).to_have_value("/init ")
        seat.field.press_sequentially("here")
        seat.field.press("Enter")
        expect(seat.prose).to_have_count(2, timeout=PATIENCE_MS)
        assert person.look(session).items[-3]["text"] == "/init here"
        seat.expect_well()


def test_the_first_letter_opens_the_agent(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(agent="chooser")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(chip(seat, "Agent")).to_contain_text("Chooser", timeout=PATIENCE_MS)
        assert house.runner(session) is None
        seat.field.press_sequentially("h")
        house.running(session)
        expect(chip(seat, "Model")).to_contain_text("Small", timeout=PATIENCE_MS)
        woken = [address for address in seat.addresses if address.endswith("/wake")]
        seat.field.press_sequentially("ello")
        assert len(woken) == 1
        seat.expect_well()


def test_a_start_that_takes_a_while_says_whose(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(agent="slow")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(chip(seat, "Agent")).to_contain_text("Slow", timeout=PATIENCE_MS)
        seat.say("hello")
        expect(seat.page.get_by_text("Starting Slow…").first).to_be_visible(timeout=PATIENCE_MS)
        expect(seat.page.get_by_text(re.compile(r"^\s*[1-9]\d* s$")).first).to_be_visible(timeout=PATIENCE_MS)
        expect(seat.prose.first).to_have_text("small ask", timeout=PATIENCE_MS)
        expect(seat.page.get_by_text("Starting Slow…")).to_have_count(0)
        seat.expect_well()
