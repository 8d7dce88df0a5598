"""What people do with a conversation all day: files, copies, links, long output, words to a run, what was seen."""

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.desk import PATIENCE_MS, Seat, Theme, desk
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LOOKS = pytest.mark.parametrize(("screen", "theme"), [("desk", "light"), ("phone", "dark")])
GIVEN = """([node, kind, name, text]) => {
    const held = new DataTransfer()
    held.items.add(new File([text], name, {type: 'text/plain'}))
    const event = kind === 'paste'
        ? new ClipboardEvent('paste', {clipboardData: held, bubbles: true, cancelable: true})
        : new DragEvent('drop', {dataTransfer: held, bubbles: true, cancelable: true})
    node.dispatchEvent(event)
}"""


def copied(page: Page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("kind", ["paste", "drop"])
def test_a_file_is_pasted_or_dropped_and_uploading_ends_when_it_ends(
    chromium: Browser, house: House, person: Person, kind: str
) -> None:
    session = person.begin()
    with desk(chromium, house) as place:
        seat = place.tab(session)
        held: list[Route] = []
        place.context.route("**/api/files*", lambda route: held.append(route))  # noqa: PLW0108  a lambda is what it takes
        seat.page.evaluate(GIVEN, [seat.field.element_handle(), kind, "tides.txt", "ebb and flood"])
        seat.expect_text("Uploading…")
        while not held:
            seat.page.wait_for_timeout(50)
        held.pop().continue_()
        expect(seat.page.get_by_text("Uploading…")).to_have_count(0)
        seat.say("!say taken")
        expect(seat.prose.first).to_have_text("taken", timeout=PATIENCE_MS)
        expect(seat.page.get_by_role("article", name="You")).to_contain_text("tides.txt")
        assert [each["name"] for each in person.look(session).items[0]["attachments"]] == ["tides.txt"]
        seat.expect_well()


def test_what_was_said_is_copied_and_a_link_leads_to_it(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    for number in range(30):
        text = f"!say Answer {number}.\\n\\n```python\\nprint({number})\\n```"
        person.wait_for_end(session, person.say(session, text))
    with desk(chromium, house, permissions=["clipboard-read", "clipboard-write"]) as place:
        seat = place.tab(session)
        seat.page.get_by_role("button", name="Copy code").last.click()
        assert copied(seat.page).strip() == "print(29)"
        seat.page.get_by_role("button", name="Copy answer").last.click()
        assert copied(seat.page) == "Answer 29.\n\n```python\nprint(29)\n```"
        message = seat.page.get_by_role("article", name="You").filter(has_text="Answer 3.")
        message.scroll_into_view_if_needed()
        message.hover()
        message.get_by_role("button", name="Copy message").click()
        assert copied(seat.page).startswith("!say Answer 3.")
        message.get_by_role("button", name="Copy a link to this message").click()
        link = copied(seat.page)
        assert link.startswith(f"{seat.link}/session/{session}#at=")
        other = Seat(place.context.new_page(), seat.link)
        other.page.goto(link)
        expect(other.page.get_by_role("article", name="You").filter(has_text="Answer 3.")).to_be_in_viewport()
        for each in (seat, other):
            each.expect_well()


@LOOKS
def test_long_output_shows_its_end_and_all_of_it_when_asked(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    session = person.begin()
    lines = [f"line {number}" for number in range(1, 41)]
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        person.say(session, '!tool execute {"command":"make"} 200 ' + "\\n".join(lines))
        output = seat.page.get_by_label("Output")
        expect(output).to_have_text("\n".join(lines[-12:]), timeout=PATIENCE_MS)
        seat.page.get_by_role("button", name="Show all 40 lines").click()
        expect(output).to_have_text("\n".join(lines))
        seat.expect_fits()
        seat.expect_well()


@LOOKS
def test_a_run_is_given_a_word_while_it_works(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    session = person.begin()
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        person.say(session, "!stream 3000 20")
        expect(seat.prose.first).to_contain_text("word5", timeout=PATIENCE_MS)
        if screen == "phone":
            seat.page.locator("form select").select_option("steer")
        else:
            seat.page.get_by_text("Steer", exact=True).click()
        seat.say("mind the rocks")
        expect(seat.page.get_by_text("mind the rocks").first).to_be_visible()
        kinds = {each["event"]["kind"] for each in person.records(session)}
        assert "turn.steered" in kinds
        seat.page.get_by_role("button", name="Stop").click()
        seat.expect_text("You stopped this at")
        seat.expect_well()


def test_what_was_opened_is_no_longer_unseen_in_any_tab(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Tide tables")
    person.wait_for_end(session, person.say(session, "!say done"))
    with desk(chromium, house) as place:
        seat, other = place.tab(), place.tab()
        for each in (seat, other):
            unseen = each.page.get_by_role("region", name="Finished, not yet seen")
            expect(unseen.get_by_role("link", name="Tide tables")).to_be_visible()
        seat.page.locator(f"nav a[href='/session/{session}']").click()
        expect(seat.prose.first).to_have_text("done", timeout=PATIENCE_MS)
        for each in (seat, other):
            unseen = each.page.get_by_role("region", name="Finished, not yet seen")
            expect(unseen.get_by_role("link", name="Tide tables")).to_have_count(0)
            each.expect_well()
