"""The live connection in a real browser: nothing is missed or doubled, whatever is cut, killed or reloaded."""

import json

import pytest
from playwright.sync_api import Browser, expect

from holdfast.core.ids import SessionId
from tests.browser.desk import PATIENCE_MS, Seat, Theme, desk, press, stored_words
from tests.browser.gate import Gate
from tests.journeys.house import House
from tests.journeys.patience import wait_until
from tests.journeys.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ALONE = "delete window.SharedWorker; Object.defineProperty(navigator, 'locks', {value: undefined});"
LED = "delete window.SharedWorker;"
LOOKS = pytest.mark.parametrize(("screen", "theme"), [("desk", "light"), ("phone", "dark")])


def words(count: int, prefix: str = "word") -> str:
    return " ".join(f"{prefix}{number}" for number in range(1, count + 1))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_a_message_is_sent_and_its_answer_streams(
    chromium: Browser, house: House, person: Person, theme: Theme, screen: str
) -> None:
    session = person.begin(title="Stream")
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        seat.field.fill("!stream 40 10")
        seat.page.get_by_role("button", name="Send").click()
        expect(seat.prose.first).to_have_text(words(40), timeout=PATIENCE_MS)
        seat.expect_idle()
        assert seat.words() == stored_words(person, session)
        seat.expect_fits()
        seat.expect_well()


@pytest.mark.parametrize(
    ("script", "screen", "theme"),
    [("", "desk", "light"), ("", "phone", "dark"), (LED, "phone", "light"), (ALONE, "desk", "dark")],
    ids=["shared worker", "shared worker, phone", "leader", "alone"],
)
def test_a_reload_in_the_middle_loses_nothing(
    chromium: Browser, house: House, person: Person, script: str, screen: str, theme: Theme
) -> None:
    session = person.begin()
    person.say(session, "!stream 150 20")
    with desk(chromium, house, script=script, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        for part in ("word20", "word60", "word100"):
            expect(seat.prose.first).to_contain_text(part, timeout=PATIENCE_MS)
            seat.page.reload()
        expect(seat.prose.first).to_have_text(words(150), timeout=PATIENCE_MS)
        assert seat.words() == stored_words(person, session)
        seat.expect_well()


@LOOKS
@pytest.mark.contract("G2")
def test_the_server_dies_and_comes_back_without_a_click(
    chromium: Browser, own_house: House, screen: str, theme: Theme
) -> None:
    person = Person(own_house)
    session = person.begin()
    with (
        Gate(own_house.server.link) as gate,
        desk(chromium, own_house, link=gate.link, screen=screen, theme=theme) as place,
    ):
        seat = place.tab(session)
        person.say(session, "!stream 300 20")
        expect(seat.prose.first).to_contain_text("word40", timeout=PATIENCE_MS)
        own_house.kill()
        gate.cut()
        gate.target = own_house.start().link
        expect(seat.prose.first).to_have_text(words(300), timeout=PATIENCE_MS)
        seat.expect_idle()
        assert seat.words() == stored_words(person, session)
        assert seat.troubles == []


@LOOKS
@pytest.mark.contract("X11")
@pytest.mark.parametrize(
    ("speaks", "last"),
    [("!think Let me see.\n{step}\n!stream 500 20", "word30"), ("{step}\n!thinkstream 500 20", "thought30")],
    ids=["while it speaks", "while it thinks"],
)
def test_what_stays_on_screen_after_a_stop_is_what_is_stored(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme, speaks: str, last: str
) -> None:
    """Words, thoughts, and what a step was asked to do: nothing that was there at the stop is gone after it."""
    session = person.begin()
    with desk(chromium, house, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        seat.say(speaks.format(step='!tool read {"path":"a.txt","lines":[1,9]} 10 found it'))
        unfold(seat)
        expect(seat.page.locator("main")).to_contain_text(last, timeout=PATIENCE_MS)
        words, thoughts, step = on_screen(seat)
        assert last in f"{words} {thoughts}"
        seat.page.get_by_role("button", name="Stop").click()
        seat.expect_text("You stopped this at")
        after = on_screen(seat)
        stored = person.look(session).items
        assert after == (
            stored_words(person, session),
            *(item["text"] for item in stored if item["type"] == "thought"),
            *(json.loads(item["arguments"]) for item in stored if item["type"] == "tool"),
        )
        assert after[0].startswith(words)
        assert after[1].startswith(thoughts)
        assert after[2] == step
        seat.page.reload()
        seat.expect_text("You stopped this at")
        unfold(seat)
        assert on_screen(seat) == after
        expect(seat.page.get_by_text("You stopped this at")).to_have_count(1)
        seat.expect_well()


def unfold(seat: Seat) -> None:
    """Open the one thought and the one step."""
    seat.page.locator("details.thought").locator("summary").click()
    seat.page.locator(".step").get_by_role("button").first.click()


def on_screen(seat: Seat) -> tuple[str, str, dict[str, object]]:
    """The words, the thoughts, and the arguments of the one step, which are unfolded."""
    step = seat.page.locator(".step")
    names, values = step.locator("dt").all_inner_texts(), step.locator("dd").all_inner_texts()
    rest = {name: json.loads(value) for name, value in zip(names, values, strict=True)}
    return (
        seat.words(),
        seat.page.locator("details.thought .words").inner_text(),
        {"path": step.locator("code").first.inner_text(), **rest},
    )


@pytest.mark.parametrize(
    ("script", "screen", "theme"), [("", "desk", "light"), (ALONE, "phone", "dark")], ids=["shared worker", "alone"]
)
@pytest.mark.contract("A12")
@pytest.mark.contract("C12")
def test_where_no_stream_comes_through_asks_come_all_the_same(
    chromium: Browser, house: House, person: Person, script: str, screen: str, theme: Theme
) -> None:
    session = person.begin()
    with Gate(house.server.link) as gate:
        gate.no_streams = True
        with desk(chromium, house, link=gate.link, script=script, screen=screen, theme=theme) as place:
            seat = place.tab(session)
            person.say(session, "!approve make\n!ask Which? | one | two\n!stream 20 10")
            expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
            seat.page.wait_for_timeout(600)
            press(seat.page.get_by_role("button", name="Allow once"))
            expect(seat.page.get_by_role("button", name="one")).to_be_visible(timeout=PATIENCE_MS)
            assert gate.streams == 0
            gate.no_streams = False
            wait_until(lambda: gate.streams == 1, "the page's return to the stream")
            seat.page.wait_for_timeout(600)
            press(seat.page.get_by_role("button", name="one"))
            seat.expect_text(words(20))
            assert seat.troubles == []


@pytest.mark.contract("C12")
def test_many_tabs_have_one_connection(chromium: Browser, house: House, person: Person) -> None:
    sessions = [person.begin(title=f"Session {number}") for number in range(10)]
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link) as place:
        seats = [place.tab(session) for session in sessions]
        for seat in seats:
            expect(seat.field).to_be_visible()
        wait_until(lambda: gate.streams == 1, "one live connection")
        for session in sessions:
            person.say(session, "!stream 5 1")
        for seat in seats:
            expect(seat.prose.first).to_have_text(words(5), timeout=PATIENCE_MS)
        assert gate.streams == 1
        for seat in seats:
            seat.expect_well()


@pytest.mark.contract("C12")
def test_switching_sessions_leaks_no_connection(chromium: Browser, house: House, person: Person) -> None:
    sessions = [person.begin(title=f"Switch {number}") for number in range(2)]
    for number, session in enumerate(sessions):
        person.say(session, f"!stream 400 20 s{number}-")
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link) as place:
        seat = place.tab(sessions[0])
        expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
        for turn in range(50):
            seat.page.locator(f"nav a[href='/session/{sessions[turn % 2]}']").click()
        for number, session in enumerate(sessions):
            seat.page.locator(f"nav a[href='/session/{session}']").click()
            expect(seat.prose.first).to_have_text(words(400, f"s{number}-"), timeout=60_000)
        wait_until(lambda: gate.streams == 1, "one live connection")
        seat.expect_well()


@LOOKS
@pytest.mark.contract("G4")
def test_what_is_written_while_the_server_is_away_is_sent_once_when_it_is_back(
    chromium: Browser, house: House, person: Person, screen: str, theme: Theme
) -> None:
    session = person.begin()
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link, screen=screen, theme=theme) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        wait_until(lambda: gate.streams == 1, "a live connection")
        gate.shut = True
        gate.cut()
        seat.say("!say back again")
        seat.expect_text("Waits here until the server answers")
        seat.expect_text("Runs go on")
        gate.shut = False
        expect(seat.prose.first).to_have_text("back again", timeout=PATIENCE_MS)
        expect(seat.page.get_by_text("Runs go on")).to_have_count(0)
        submitted = [each for each in person.records(session) if each["event"]["kind"] == "turn.submitted"]
        assert len(submitted) == 1


def test_a_message_survives_a_reload_while_the_server_is_away(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    with Gate(house.server.link) as gate, desk(chromium, house, link=gate.link) as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        place.context.route("**/turns", lambda route: route.abort())
        seat.say("!say kept")
        seat.expect_text("Waits here until the server answers")
        place.context.unroute("**/turns")
        seat.page.reload()
        expect(seat.prose.first).to_have_text("kept", timeout=PATIENCE_MS)
        submitted = [each for each in person.records(session) if each["event"]["kind"] == "turn.submitted"]
        assert len(submitted) == 1


def test_another_tab_sees_a_new_session_its_name_and_its_end(chromium: Browser, house: House, person: Person) -> None:
    with desk(chromium, house) as place:
        seat = place.tab()
        session = person.begin(title="Just begun")
        row = seat.page.locator(f"nav a[href='/session/{session}']")
        expect(row).to_contain_text("Just begun")
        person.patch(f"/api/sessions/{session}", {"title": "Now renamed"}).raise_for_status()
        expect(row).to_contain_text("Now renamed")
        delete(house, session)
        expect(row).to_have_count(0)
        seat.expect_well()


def delete(house: House, session: SessionId) -> None:
    with house.server.client() as client:
        client.delete(f"/api/sessions/{session}").raise_for_status()


@pytest.mark.contract("C12")
def test_a_worker_that_was_killed_is_replaced_without_a_reload(chromium: Browser, house: House, person: Person) -> None:
    session = person.begin()
    with desk(chromium, house) as place:
        seats = [place.tab(session), place.tab(session)]
        person.say(session, "!stream 600 20")
        for seat in seats:
            expect(seat.prose.first).to_contain_text("word20", timeout=PATIENCE_MS)
        tools = chromium.new_browser_cdp_session()
        workers = [each for each in tools.send("Target.getTargets")["targetInfos"] if each["type"] == "shared_worker"]
        assert len(workers) == 1
        tools.send("Target.closeTarget", {"targetId": workers[0]["targetId"]})
        for seat in seats:
            expect(seat.prose.first).to_have_text(words(600), timeout=60_000)
            assert seat.words() == stored_words(person, session)
            seat.expect_well()
        again = [each for each in tools.send("Target.getTargets")["targetInfos"] if each["type"] == "shared_worker"]
        assert len(again) == 1
        assert again[0]["targetId"] != workers[0]["targetId"]


def test_tabs_of_two_builds_do_not_share_a_connection(chromium: Browser, house: House, person: Person) -> None:
    """The lock by which one tab has the connection for all carries the digest of the build."""
    session = person.begin()
    with desk(chromium, house, script="delete window.SharedWorker;") as place:
        seat = place.tab(session)
        expect(seat.field).to_be_visible()
        held = seat.page.evaluate("navigator.locks.query().then(({held}) => held.map(({name}) => name))")
        (script,) = seat.page.evaluate("[...document.scripts].map(({src}) => src).filter(Boolean)")
        (name,) = [name for name in held if name.startswith("holdfast-live ")]
        assert "/assets/" in name
        names = seat.page.evaluate("performance.getEntriesByType('resource').map(({name}) => name)")
        assert name.removeprefix("holdfast-live ") in [script, *names]
