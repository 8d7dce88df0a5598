"""The composer: commands, messages that are held, and a stop that meets a dead network."""

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from tests.browser.desk import PATIENCE_MS, SCREENS, Theme, desk
from tests.browser.gate import Gate
from tests.journeys.house import House
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_slash_commands_are_completed_and_obeyed(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin(title="Old name")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.field.fill("/re")
        expect(seat.page.get_by_role("option")).to_have_count(1)
        seat.field.press("Tab")
        expect(seat.field).to_have_value("/rename ")
        seat.page.keyboard.type("New name")
        seat.field.press("Enter")
        expect(seat.page.get_by_role("heading", level=1)).to_have_text("New name")
        seat.field.fill("/")
        seat.field.press("ArrowDown")
        seat.field.press("ArrowDown")
        expect(seat.page.get_by_role("option", selected=True)).to_contain_text("/new")
        seat.field.press("Enter")
        expect(seat.page.get_by_role("heading", name="What should be done?")).to_be_visible()
        assert person.look(session).items == []
        seat.expect_well()


def test_a_command_that_the_page_does_not_know_goes_to_the_agent(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.say("/compact please")
        expect(seat.page.get_by_role("article", name="You")).to_contain_text("/compact please", timeout=PATIENCE_MS)


def test_after_a_failure_messages_are_held_until_they_are_sent_on(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible(timeout=PATIENCE_MS)
        person.say(session, "!approve make\n!fail No luck.")
        expect(seat.page.get_by_role("button", name="Stop")).to_be_visible(timeout=PATIENCE_MS)
        seat.say("!say after all")
        chip = seat.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")
        expect(chip).to_contain_text("!say after all", timeout=PATIENCE_MS)
        (ask,) = person.wait_for_ask(session)
        person.answer(session, ask["ask"], choice="once").raise_for_status()
        seat.expect_text("No luck.")
        expect(chip).to_contain_text("Held")
        chip.get_by_role("button", name="Send").click()
        expect(seat.prose.last).to_have_text("after all", timeout=PATIENCE_MS)
        seat.expect_well()


@pytest.mark.parametrize(("written", "key"), [("/de", "Tab"), ("/de", "Enter"), ("/", "Enter")])
def test_what_puts_a_session_away_is_completed_and_only_then_obeyed(
    chromium: Browser, house: House, person: Person, written: str, key: str
) -> None:
    session = person.begin(title="To be kept")
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.rows.filter(has_text="To be kept")).to_have_count(1)
        seat.field.fill(written)
        seat.field.press(key)
        command = "/delete" if written == "/de" else "/archive"
        expect(seat.field).to_have_value(command)
        seat.field.press("Tab")
        expect(seat.field).to_have_value(command)
        seat.page.wait_for_timeout(500)
        expect(seat.rows.filter(has_text="To be kept")).to_have_count(1)
        seat.field.press("Enter")
        expect(seat.rows.filter(has_text="To be kept")).to_have_count(0)
        seat.expect_well()


@pytest.mark.contract("X10")
def test_a_stop_that_meets_a_dead_network_says_so_and_arrives(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link) as place:
        seat = place.tab(session)
        person.say(session, "!stream 3000 20")
        expect(seat.prose.first).to_contain_text("word5", timeout=PATIENCE_MS)
        gate.shut = True
        gate.cut()
        seat.page.get_by_role("button", name="Stop").click()
        expect(seat.page.get_by_role("button", name="Sending…")).to_be_visible()
        gate.shut = False
        seat.expect_text("You stopped this at")
        assert seat.troubles == []


def test_a_new_session_names_the_one_before_it(chromium: Browser, house: House, person: Person) -> None:
    before = person.begin(title="Before")
    with desk(chromium, house) as place:
        seat = place.tab(before)
        expect(seat.page.get_by_role("heading", level=1)).to_have_text("Before")
        seat.page.get_by_role("button", name="New session").click()
        seat.say("!say here")
        expect(seat.prose.first).to_have_text("here", timeout=PATIENCE_MS)
        session = seat.page.url.rpartition("/")[2]
        with house.server.client() as client:
            assert client.get(f"/api/sessions/{session}").json()["session"]["predecessor"] == before
        seat.expect_well()


def test_looking_at_sessions_again_and_again_leaves_nothing_behind(
    chromium: Browser, house: House, person: Person
) -> None:
    """What the page holds, once garbage is collected, does not grow with the number of looks."""
    sessions = [person.begin(title=f"Look {number}") for number in range(2)]
    for session in sessions:
        person.wait_for_end(session, person.say(session, "!bytes 20000\n!stream 50 1"))
    with desk(chromium, house) as place:
        seat = place.tab(sessions[0])
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        tools = place.context.new_cdp_session(seat.page)

        def held(looks: int) -> float:
            for turn in range(looks):
                seat.page.locator(f"nav a[href='/session/{sessions[turn % 2]}']").click()
                expect(seat.prose.last).to_contain_text("word50", timeout=PATIENCE_MS)
            tools.send("HeapProfiler.collectGarbage")
            size: float = seat.page.evaluate("performance.memory.usedJSHeapSize")
            return size

        first = held(10)
        assert held(40) - first < 3_000_000
        seat.expect_well()


def test_files_stay_with_the_draft_of_their_session(chromium: Browser, house: House, person: Person) -> None:
    one, other = person.begin(title="With a file"), person.begin(title="Without")
    with desk(chromium, house) as place:
        seat = place.tab(one)
        seat.page.locator("input[type=file]").set_input_files(
            {"name": "a.txt", "mimeType": "text/plain", "buffer": b"x"}
        )
        file = seat.page.get_by_role("button", name="Remove a.txt")
        expect(file).to_be_visible()
        seat.page.locator(f"nav a[href='/session/{other}']").click()
        expect(seat.page.get_by_role("heading", level=1)).to_have_text("Without")
        expect(file).to_have_count(0)
        seat.page.locator(f"nav a[href='/session/{one}']").click()
        expect(file).to_be_visible()
        seat.say("!say thanks")
        expect(file).to_have_count(0)
        seat.expect_well()


DROP = """() => {
    const held = new DataTransfer()
    held.items.add(new File(['x'], 'dropped.txt', {type: 'text/plain'}))
    const at = document.querySelector('[role=log]') ?? document.querySelector('main')
    const event = (name) => new DragEvent(name, {dataTransfer: held, bubbles: true, cancelable: true})
    return ['dragover', 'drop'].map((name) => !at.dispatchEvent(event(name)))
}"""


def test_a_file_that_is_dropped_beside_the_field_is_taken_and_opens_nothing(
    chromium: Browser, house: House, person: Person
) -> None:
    session = person.begin()
    with desk(chromium, house) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        assert seat.page.evaluate(DROP) == [True, True]
        expect(seat.page.get_by_role("button", name="Remove dropped.txt")).to_be_visible()
        seat.page.goto(f"{seat.link}/settings")
        expect(seat.page.get_by_role("heading", name="Settings")).to_be_visible()
        assert seat.page.evaluate(DROP) == [True, True]


def test_a_question_is_answered_in_the_composer_only_where_that_is_said(
    chromium: Browser, house: House, person: Person
) -> None:
    """Words that were begun before it came stay a message; so do those that are said to be one."""
    session = person.begin()
    with desk(chromium, house) as place:
        seat = place.tab(session)
        seat.field.fill("a message")
        person.say(session, "!approve make\n!ask Which tide? | ebb | flood\n!ask And when? | today")
        expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
        (ask,) = person.asks(session)
        person.answer(session, ask["ask"], choice="once").raise_for_status()
        expect(seat.cards).to_contain_text("Which tide?", timeout=PATIENCE_MS)
        seat.field.press("Control+Enter")
        expect(seat.page.get_by_role("list", name="Messages that wait")).to_contain_text("a message")
        assert len(person.asks(session)) == 1

        expect(seat.field).to_have_attribute("placeholder", "Answering: Which tide?")
        seat.field.type("neap")
        expect(seat.page.get_by_text("Answering: Which tide?")).to_be_visible()
        seat.field.press("Control+Enter")
        expect(seat.field).to_have_value("")
        expect(seat.cards).to_contain_text("And when?", timeout=PATIENCE_MS)

        seat.field.type("another message")
        seat.page.get_by_role("button", name="Send it as a message instead").click()
        expect(seat.page.get_by_text("Answering:")).to_have_count(0)
        seat.field.press("Control+Enter")
        expect(seat.page.get_by_role("list", name="Messages that wait")).to_contain_text("another message")
        assert [each["text"] for each in person.asks(session)] == ["And when?"]
        answers = [item.get("answer", "") for item in person.look(session).items if item["type"] == "question"]
        assert answers == ["neap", ""]
        seat.expect_well()


@pytest.mark.parametrize(("screen", "theme"), [("phone", "light"), ("desk", "dark")])
def test_however_much_waits_the_field_is_on_screen(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    """Messages that wait, asks, files and a long draft: what is above it scrolls, and all of it can be reached."""
    session = person.begin()
    person.say(session, "!approvemany 6")
    person.wait_for_ask(session, 6)
    for number in range(1, 31):
        person.say(session, f"!say message {number}")
    files: list[FilePayload] = [
        {"name": f"file-{n}.txt", "mimeType": "text/plain", "buffer": b"x"} for n in range(1, 16)
    ]
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        chips = seat.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")
        expect(chips).to_have_count(30, timeout=PATIENCE_MS)
        seat.page.locator("input[type=file]").set_input_files(files)
        remove = seat.page.get_by_role("button", name="Remove file-15.txt")
        expect(remove).to_be_attached(timeout=PATIENCE_MS)
        width, whole = SCREENS[screen]["width"], SCREENS[screen]["height"]
        for lines, height in ((40, 500), (1, whole), (40, whole)):  # a keyboard takes the rest
            seat.page.set_viewport_size({"width": width, "height": height})
            seat.field.fill("line\n" * lines)
            for needed in (seat.field, seat.page.get_by_role("button", name="Send", exact=True).last):
                expect(needed).to_be_in_viewport(ratio=1)
            expect(seat.cards.last).to_be_in_viewport()
            seat.shot(f"much-waits-{lines}-{height}-{screen}-{theme}")
            seat.expect_fits()
        for reached in (chips.last, remove, seat.page.get_by_role("button", name="Deny", exact=True).first):
            reached.scroll_into_view_if_needed()
            expect(reached).to_be_in_viewport(ratio=0.9)
        expect(seat.field).to_be_in_viewport(ratio=1)
        seat.expect_well()
