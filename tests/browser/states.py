"""Every state that the page can be in, brought about by a real run: for pictures, and for checks of what is reachable.

Each is a function that leaves a tab showing the state.
"""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.desk import PATIENCE_MS, Desk, Seat
from tests.browser.gate import Gate
from tests.journeys.person import Person

Act = Callable[[Desk, Person, Gate], Seat]

THINK = "!think The build folder may hold something that is still needed. I look first, then I ask."
LOOK = (
    '!tool list_files {"path":"./build"} 40 objects.o main.o\n'
    '!tool execute {"command":"du -sh build ~/.cache/docker"} 60 3.2G build'
)
FOUND = (
    "!say The build directory holds **3.2 GB** of stale objects and Docker's cache another **11 GB**. I'd like to "
    "remove both. The images can be pulled again; the build takes about four minutes."
)


def _began(place: Desk, person: Person, title: str, text: str) -> tuple[Seat, str, str]:
    session = person.begin(title=title, workspace="")
    turn = person.say(session, text)
    return place.tab(session), session, turn


def start(place: Desk, _: Person, __: Gate) -> Seat:
    seat = place.tab()
    expect(seat.page.locator(".frame")).to_be_visible(timeout=PATIENCE_MS)
    if seat.page.get_by_role("button", name="New session").is_visible() and not seat.field.is_visible():
        seat.page.get_by_role("button", name="New session").click()
    expect(seat.field).to_be_visible()
    return seat


def overview(place: Desk, person: Person, _: Gate) -> Seat:
    waits = person.begin(title="Clean the build directory")
    person.say(waits, "!approve rm -rf ./build && docker system prune -af")
    asks = person.begin(title="Deploy docs site")
    person.say(asks, "!ask Which environment should I deploy to? | staging | production")
    runs = person.begin(title="Port the parser to msgspec")
    person.say(runs, '!plan Read; Port; Test; Tidy\n!tool execute {"command":"pytest tests/codec -q"} 600000 ok')
    done = person.begin(title="Why is the sidebar slow?")
    person.wait_for_end(done, person.say(done, "!say Because."))
    failed = person.begin(title="Nightly triage")
    person.wait_for_end(failed, person.say(failed, "!fail The model is out of tea."))
    person.begin(title="Rename the settings keys")
    seat = place.tab()
    region = seat.page.get_by_role("region", name="Waits for you")
    expect(region.get_by_text("Deploy docs site").first).to_be_visible(timeout=PATIENCE_MS)
    expect(seat.page.get_by_text("0/4").first).to_be_visible(timeout=PATIENCE_MS)
    return seat


def streaming(place: Desk, person: Person, _: Gate) -> Seat:
    seat, *_ = _began(place, person, "Read about kelp", f"{THINK}\n{LOOK}\n{FOUND}\n!stream 3000 30")
    expect(seat.prose.last).to_contain_text("word10", timeout=PATIENCE_MS)
    return seat


def approval(place: Desk, person: Person, _: Gate) -> Seat:
    text = f"Please clean the build directory and free some disk space.\n{THINK}\n{LOOK}\n{FOUND}\n"
    command = "!approve rm -rf ./build && docker system prune -af"
    seat, *_ = _began(place, person, "Clean the build directory", text + command)
    expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
    return seat


def approvals(place: Desk, person: Person, _: Gate) -> Seat:
    seat, *_ = _began(place, person, "Four at once", "!approvemany 4")
    expect(seat.page.get_by_text("1 of 4")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def question(place: Desk, person: Person, _: Gate) -> Seat:
    text = "!ask Which environment should I deploy to? | staging | production | timeout=55"
    seat, *_ = _began(place, person, "Deploy docs site", text)
    expect(seat.cards).to_have_count(1, timeout=PATIENCE_MS)
    return seat


def queued(place: Desk, person: Person, _: Gate) -> Seat:
    seat, session, _turn = _began(place, person, "A long walk", "!stream 3000 30")
    person.say(session, "Then write down what you saw.")
    person.say(session, "And mind the tide.")
    expect(seat.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")).to_have_count(2)
    return seat


def stopped(place: Desk, person: Person, _: Gate) -> Seat:
    seat, session, turn = _began(place, person, "Stopped half way", f"{LOOK}\n!stream 3000 30")
    expect(seat.prose.last).to_contain_text("word10", timeout=PATIENCE_MS)
    person.cancel(session, turn).raise_for_status()
    seat.expect_text("You stopped this at")
    return seat


def failed(place: Desk, person: Person, _: Gate) -> Seat:
    seat, *_ = _began(place, person, "Out of tea", f"{FOUND}\n!fail The model is out of tea. Put the kettle on.")
    seat.expect_text("Put the kettle on.")
    return seat


def interrupted(place: Desk, person: Person, _: Gate) -> Seat:
    seat, *_ = _began(place, person, "Cut off", f"{FOUND}\n!sleep 200\n!crash")
    expect(seat.page.get_by_role("button", name="Continue")).to_be_visible(timeout=PATIENCE_MS)
    return seat


def gone(place: Desk, _: Person, __: Gate) -> Seat:
    seat = place.tab("nowhere")
    seat.expect_text("This session is not here.")
    return seat


def away(place: Desk, person: Person, gate: Gate) -> Seat:
    seat, *_ = _began(place, person, "Out at sea", FOUND)
    expect(seat.prose.first).to_be_visible(timeout=PATIENCE_MS)
    gate.shut = True
    gate.cut()
    seat.say("Are you there?")
    seat.expect_text("Runs go on")
    seat.expect_text("Waits here until the server answers")
    return seat


def searched(place: Desk, person: Person, _: Gate) -> Seat:
    session = person.begin(title="Harbour walls")
    person.wait_for_end(session, person.say(session, "!say The limpets hold fast to the granite."))
    seat = place.tab()
    seat.page.get_by_role("searchbox", name="Search sessions").fill("granite")
    expect(seat.page.locator("nav mark").first).to_be_visible(timeout=PATIENCE_MS)
    return seat


STATES: dict[str, Act] = {
    "start": start,
    "streaming": streaming,
    "approval": approval,
    "approvals": approvals,
    "question": question,
    "queued": queued,
    "stopped": stopped,
    "failed": failed,
    "interrupted": interrupted,
    "gone": gone,
    "searched": searched,
    "overview": overview,
    "away": away,
}
"""In this order: what comes last leaves something behind, or shuts the gate."""
