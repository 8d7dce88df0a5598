"""What a conversation looks like and how it is read: markdown, steps, markers, scrolling, long sessions."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.desk import PATIENCE_MS, Theme, desk, press
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = (
    "<img src=x onerror=alert(1)> <script>alert(2)</script> [link](javascript:alert(3)) "
    "![picture](https://example.invalid/x.png) [inside](/api/sessions) "
    "[data](data:text/html,x) <a href='https://example.invalid' style='color:red' class='solid'>a</a>"
)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_the_tour_from_its_first_word_to_its_last(chromium: Browser, house: House, theme: Theme, screen: str) -> None:
    """Everything that a run can show, answered as a newcomer would."""
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab()
        if screen == "phone":
            seat.page.get_by_role("button", name="New session").click()
        seat.page.get_by_role("button", name="Start the tour").click()
        expect(seat.page.get_by_role("heading", name="Welcome to Holdfast")).to_be_visible(timeout=PATIENCE_MS)
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        seat.rest()
        seat.shot(f"approval-{screen}-{theme}")
        seat.expect_fits()
        press(seat.page.get_by_role("button", name="Allow once"))
        expect(seat.page.get_by_role("button", name="Look around first")).to_be_visible(timeout=PATIENCE_MS)
        seat.rest()
        press(seat.page.get_by_role("button", name="Look around first"))
        seat.expect_text("That was the tour.")
        seat.expect_idle()
        seat.shot(f"tour-{screen}-{theme}")
        expect(seat.page.get_by_role("heading", level=1)).to_contain_text("A tour of Holdfast")
        expect(seat.page.get_by_text("4 of 4")).to_be_visible()
        seat.expect_fits()
        seat.expect_well()


def test_what_a_model_says_can_do_no_harm(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    person.say(session, f"!say {HOSTILE}")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.prose.first).to_contain_text("picture", timeout=PATIENCE_MS)
        assert seat.page.locator(".prose img, .prose script, .prose [style], .prose .solid").count() == 0
        addresses = [link.get_attribute("href") or "" for link in seat.page.locator(".prose a").all()]
        assert {address for address in addresses if address} == {"https://example.invalid/x.png"}
        leads = seat.page.locator(".prose a[href]").first
        expect(leads).to_have_attribute("target", "_blank")
        expect(leads).to_have_attribute("rel", "noopener noreferrer")
        seat.expect_well()


@pytest.mark.parametrize("width", [360, 390, 768, 1440])
def test_nothing_is_wider_than_the_screen(chromium: Browser, house: House, person: Person, width: int) -> None:
    session = person.begin(title="W" * 200)
    path = "/" + "/".join("directory" for _ in range(30)) + "/file-name.txt"
    table = "| " + " | ".join(f"column {n}" for n in range(20)) + " |\\n|" + "---|" * 20
    person.say(
        session,
        "\n".join(
            [
                f'!tool read {{"path":"{path}"}} 1 {"x" * 400}',
                f"!say A path: {path} and `{path}`",
                f"!say \\n\\n{table}\\n\\n```text\\n{'long code ' * 60}\\n```\\n\\n",
                f"!say {'wide' * 200}",
                f"!approve {path}",
            ]
        ),
    )
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.page.set_viewport_size({"width": width, "height": 844})
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        expect(seat.page.get_by_role("table")).to_have_count(1)
        expect(seat.page.locator(".prose pre")).to_have_count(1)
        seat.expect_fits()
        seat.page.get_by_role("button", name="Read").first.click()
        seat.expect_fits()
        seat.expect_well()


def test_it_follows_only_while_the_reader_is_at_the_bottom(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    person.say(session, "!bytes 12000")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        scroller = seat.page.get_by_role("region", name="Conversation")
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        at_end = "node => node.scrollHeight - node.clientHeight - node.scrollTop < 5"
        assert scroller.evaluate(at_end)
        seat.say("!stream 300 10 more")
        expect(seat.prose.last).to_contain_text("more50", timeout=PATIENCE_MS)
        assert scroller.evaluate(at_end)
        scroller.hover()
        seat.page.mouse.wheel(0, -600)
        expect(seat.page.get_by_role("button", name="Newest")).to_be_visible()
        seat.page.wait_for_timeout(300)
        where = scroller.evaluate("node => node.scrollTop")
        expect(seat.prose.last).to_contain_text("more300", timeout=PATIENCE_MS)
        seat.expect_idle()
        assert scroller.evaluate("node => node.scrollTop") == where
        seat.page.get_by_role("button", name="Newest").click()
        assert scroller.evaluate(at_end)
        seat.expect_well()


@pytest.mark.contract("R1")
@pytest.mark.contract("X6")
def test_a_run_that_fails_or_dies_says_so_and_can_be_continued(chromium: Browser, house: House, person: Person) -> None:
    failed, dead = person.begin(), person.begin()
    person.say(failed, "!say before\n!fail The model is out of tea.")
    person.say(dead, "!stream 3000 20")
    with desk(chromium, house) as place:
        seat = place.tab(failed)
        seat.expect_text("The model is out of tea.")
        seat.open(dead)
        expect(seat.prose.first).to_contain_text("word5", timeout=PATIENCE_MS)
        house.end_runner(dead)
        button = seat.page.get_by_role("button", name="Continue")
        expect(button).to_be_visible(timeout=PATIENCE_MS)
        error = person.look(dead).items[-1]["error"]
        expect(seat.page.get_by_role("note")).to_contain_text(error)
        button.click()
        expect(seat.page.get_by_text("Go on where you were interrupted.")).to_be_visible(timeout=PATIENCE_MS)
        seat.expect_idle()
        seat.expect_well()


@pytest.mark.contract("X6")
def test_after_the_agent_has_died_one_goes_on_and_what_came_to_nothing_is_tried_again(
    chromium: Browser, house: House, person: Person
) -> None:
    died, refused = person.begin(), person.begin()
    person.say(died, "!stream 3000 20")
    person.say(refused, "!fail The model is out of tea.")
    with desk(chromium, house) as place:
        seat = place.tab(died)
        expect(seat.prose.first).to_contain_text("word5", timeout=PATIENCE_MS)
        house.end_agent(died)
        seat.expect_text("The agent's process was killed")
        seat.page.get_by_role("button", name="Continue").click()
        expect(seat.page.get_by_text("Go on where you were interrupted.")).to_be_visible(timeout=PATIENCE_MS)
        seat.expect_idle()
        expect(seat.page.get_by_role("button", name="Continue")).to_have_count(0)
        seat.open(refused)
        seat.page.get_by_role("button", name="Try again", exact=True).click()
        expect(seat.page.get_by_text("The model is out of tea.")).to_have_count(4, timeout=PATIENCE_MS)
        expect(seat.page.get_by_role("button", name="Try again", exact=True)).to_have_count(1)
        seat.expect_well()


def test_messages_wait_their_turn_and_can_be_taken_back(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    person.say(session, "!stream 2000 20")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        seat.say("!say second")
        seat.say("!say third")
        chips = seat.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")
        expect(chips).to_have_count(2)
        chips.first.get_by_role("button", name="Take back").click()
        expect(chips).to_have_count(1)
        chips.first.get_by_role("button", name="Edit").click()
        expect(seat.field).to_have_value("!say third")
        expect(chips).to_have_count(0)
        seat.page.get_by_text("Interrupt", exact=True).click()
        seat.page.get_by_role("button", name="Send").click()
        expect(seat.prose.last).to_have_text("third", timeout=PATIENCE_MS)
        seat.expect_text("You stopped this at")
        seat.expect_well()


def test_a_draft_stays_with_its_session_and_history_comes_back(chromium: Browser, house: House, person: Person) -> None:
    one, two = person.begin(title="One"), person.begin(title="Two")
    person.say(one, "!say hello")
    with desk(chromium, house) as place:
        seat = place.tab(one)
        expect(seat.prose.first).to_have_text("hello", timeout=PATIENCE_MS)
        seat.expect_idle()
        seat.field.press("ArrowUp")
        expect(seat.field).to_have_value("!say hello")
        seat.field.fill("a thought for later")
        seat.page.locator(f"nav a[href='/session/{two}']").click()
        expect(seat.field).to_have_value("")
        seat.page.reload()
        seat.page.locator(f"nav a[href='/session/{one}']").click()
        expect(seat.field).to_have_value("a thought for later")
        seat.expect_well()


def test_a_picture_is_attached_and_shown(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    picture = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
        "5e5c2d1d0000000049454e44ae426082"
    )
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.page.get_by_label("Attach files").set_input_files(
            {"name": "dot.png", "mimeType": "image/png", "buffer": picture}
        )
        expect(seat.page.get_by_role("img", name="dot.png")).to_be_visible()
        seat.say("!say seen")
        expect(seat.prose.first).to_have_text("seen", timeout=PATIENCE_MS)
        expect(seat.page.get_by_role("article", name="You").get_by_role("img", name="dot.png")).to_be_visible()
        message = person.look(session).items[0]
        assert [each["name"] for each in message["attachments"]] == ["dot.png"]
        seat.expect_well()
